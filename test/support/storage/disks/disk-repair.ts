// A process whose disk loses a commit and is full when that is to be repaired: `disk-repair <file>`. Says what each
// write comes to.

import { spawnSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { openSqliteStore } from '../../../../src/storage/sql/sqlite/sqlite.js'
import { NotWritable } from '../../../../src/storage/sql/store.js'
import { say, untilGo } from '../child-messages.js'
import { tenantRow } from '../temporary-store.js'

const [file = ''] = process.argv.slice(2)
await untilGo()
let isFailing = false
const store = await openSqliteStore({
  file,
  busyTimeoutMs: 30_000,
  async openLog(path) {
    const handle = await open(path, 'r+')
    return {
      datasync: () => (isFailing ? Promise.reject(new Error('the disk failed')) : handle.datasync()),
      close: () => handle.close(),
    }
  },
})
let written = 0

async function write(what: string): Promise<void> {
  written += 1
  const row = tenantRow(String(written).padStart(6, '0'), 'x'.repeat(100_000))
  const outcome = await store
    .transaction((tx) => tx.insertInto('tenants').values(row).execute())
    .then(
      () => 'written',
      (error: unknown) => (error instanceof NotWritable ? 'not writable' : String(error)),
    )
  say(`${what}: ${outcome}`)
}

const limitFiles = (bytes: string) => spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`])
await write('first')
isFailing = true
await write('unsynced')
isFailing = false
const isLimited = limitFiles('4096').status === 0
if (isLimited) for (let turn = 0; turn < 3; turn += 1) await write('full')
limitFiles('unlimited')
await write('with room')
await store.close()
say(isLimited ? 'limited' : 'not limited')
