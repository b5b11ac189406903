// A process that fills a disk: `disk-filler <file> <command …>`. Writes until the Store refuses, says "full <rows>",
// checks what it can still do, runs the command that makes room, and goes on: "recovered <rows>".

import { spawnSync } from 'node:child_process'
import { openSqliteStore } from '../../../../src/storage/sql/sqlite/sqlite.js'
import { NotWritable } from '../../../../src/storage/sql/store.js'
import { say, untilGo } from '../child-messages.js'
import { tenantRow } from '../temporary-store.js'

const [file = '', command = '', ...args] = process.argv.slice(2)
await untilGo()
const store = await openSqliteStore({ file, busyTimeoutMs: 1_000 })
let acknowledged = 0

/** Two rows that must be there together. */
async function write(): Promise<void> {
  const id = String(acknowledged).padStart(6, '0')
  await store.transaction(async (tx) => {
    await tx
      .insertInto('tenants')
      .values(tenantRow(`a${id}`, 'x'.repeat(3_000)))
      .execute()
    await tx
      .insertInto('tenants')
      .values(tenantRow(`b${id}`, 'x'.repeat(3_000)))
      .execute()
  })
  acknowledged += 1
}

async function count(): Promise<number> {
  return (await store.reader.selectFrom('tenants').select('id').execute()).length
}

let refusal: unknown
while (refusal === undefined) await write().catch((error: unknown) => (refusal = error))
if (!(refusal instanceof NotWritable)) throw refusal
say(`full ${acknowledged} ${await count()}`)
for (let again = 0; again < 3; again += 1) {
  const outcome = await write().then(
    () => 'written',
    (error: unknown) => (error instanceof NotWritable ? 'not writable' : String(error)),
  )
  say(`again ${outcome}`)
}
if (command === '') process.exit(0)
say('making room')
const made = spawnSync(
  command,
  args.map((arg) => (arg === '{pid}' ? String(process.pid) : arg)),
)
if (made.status !== 0) throw new Error(`no room was made: ${made.stderr}`)
for (let more = 0; more < 5; more += 1) await write()
say(`recovered ${acknowledged} ${await count()}`)
await store.close()
const reopened = await openSqliteStore({ file, busyTimeoutMs: 1_000 })
say(`reopened ${(await reopened.reader.selectFrom('tenants').select('id').execute()).length}`)
await reopened.close()
