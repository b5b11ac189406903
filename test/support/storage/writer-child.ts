// A process that writes until it is killed: `writer-child <file> <name>`. Each write is one commit of three rows (a
// tenant, a revocation that holds the number of its change, the change itself), confirmed as `ack <tenant> <number>`
// after it.

import { createEmbeddedFeed } from '../../../src/storage/changes/embedded-feed.js'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import { say, untilGo } from './child-messages.js'
import { tenantRow } from './temporary-store.js'

const [file = '', name = ''] = process.argv.slice(2)
await untilGo()
const store = await openSqliteStore({ file, busyTimeoutMs: 30_000 })
const feed = createEmbeddedFeed({ store, pollMs: 20, now: Date.now, monotonic: () => performance.now() })
feed.follow({ name: 'numbers', load: async () => {}, apply: () => {} })
await feed.start()
say('writing')
for (let i = 0; ; i += 1) {
  const id = `${name}-${i}`
  const { seq } = await feed.commit(async (tx, record) => {
    await tx.insertInto('tenants').values(tenantRow(id)).execute()
    const number = record({ kind: 'revoked', what: 'tenant', id, expiresAt: 1 })
    await tx.insertInto('revocations').values({ what: 'tenant', id, seq: number, at: 0, expires_at: 1 }).execute()
  })
  say(`ack ${id} ${seq}`)
  // A turn of the event loop, as there is between two requests.
  await new Promise((resolve) => setImmediate(resolve))
}
