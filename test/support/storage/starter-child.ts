// A process that opens the Store as at a start: `starter-child <file>`. Says "opened <number of migrations>".

import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import { say, untilGo } from './child-messages.js'

const [file = ''] = process.argv.slice(2)
await untilGo()
const store = await openSqliteStore({ file, busyTimeoutMs: 20_000 })
const rows = await store.reader.selectFrom('schema_migrations').select('version').execute()
await store.transaction((tx) =>
  tx
    .updateTable('feed_head')
    .set((eb) => ({ seq: eb('seq', '+', 1) }))
    .execute(),
)
say(`opened ${rows.length}`)
await store.close()
