// Rows behind those that a server wrote, as it would have written them: a ledger of a million that verifies takes
// a minute to make so, and hours to make by calls.

import type { DatabaseSync } from '@photostructure/sqlite'
import { chainMac } from '../../../src/ledger/chain.js'
import { createLedgerKeys } from '../../../src/ledger/ledger-keys.js'

const none = { tenant_id: null, application_id: null, user_id: null, request_id: null, address: null }

/** While nothing else writes to it, and in the transaction of the caller. */
export function lengthenLedger(database: InstanceType<typeof DatabaseSync>, masterKey: Uint8Array, rows: number): void {
  const { current } = createLedgerKeys([masterKey])
  const [head] = database.prepare('select position, mac from ledger_head').all() as { position: number; mac: string }[]
  let { position, mac } = head ?? { position: 0, mac: '' }
  const insert = database.prepare(`insert into ledger (position, at, event, actor, details, key_id, mac, previous_mac)
    values (?, ?, 'secret.added', '{"kind":"system"}', ?, ?, ?, ?)`)
  for (const last = position + rows; position < last; ) {
    position += 1
    const written = { position, at: position, event: 'secret.added', details: `{"n":${position}}` }
    const row = { ...none, ...written, actor: '{"kind":"system"}', key_id: current.id }
    const previous = mac
    mac = chainMac(current.chain, previous, row)
    insert.run(position, row.at, row.details, row.key_id, mac, previous)
  }
  database.prepare('update ledger_head set position = ?, mac = ?').run(position, mac)
}
