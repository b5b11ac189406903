// A process that takes away the beginning of a ledger, for ledger/retention.test.ts. After each of its transactions it
// says `committed <number>` and waits for a line, so that it can be killed between any two.

import { createInterface } from 'node:readline'
import { createLedger } from '../../../src/ledger/chain.js'
import { createLedgerKeys } from '../../../src/ledger/ledger-keys.js'
import { pruneLedger } from '../../../src/ledger/prune.js'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import type { Store } from '../../../src/storage/sql/store.js'
import { say } from './child-messages.js'

const [file = '', key = '', through = '0'] = process.argv.slice(2)
const keys = createLedgerKeys([Buffer.from(key, 'hex')])
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const store = await openSqliteStore({ file, busyTimeoutMs: 30_000 })
let committed = 0
const slow: Pick<Store, 'reader' | 'transaction'> = {
  reader: store.reader,
  async transaction(work, separation) {
    const result = await store.transaction(work, separation)
    committed += 1
    say(`committed ${committed}`)
    await lines.next()
    return result
  },
}
say('ready')
await lines.next()
const now = Date.now
const pruning = { store: slow, keys, ledger: createLedger({ keys, now }), now }
await pruneLedger(pruning, { through: Number(through), digest: undefined }, { actor: { kind: 'operator' } })
say('done')
await store.close()
process.exit()
