// The queries of the ledger and of the activity log, one after the other, with what each answered.

import { type ActivityRow, insertActivity, listActivity, pruneActivity } from '../../src/storage/sql/ledger/activity.js'
import { listLedger, readLedger } from '../../src/storage/sql/ledger/ledger-entries.js'
import { appendLedgerRow, lockLedgerHead, readLedgerHead } from '../../src/storage/sql/ledger/ledger-head.js'
import type { Statements } from '../../src/storage/sql/store.js'

const row = (position: number) => ({
  position,
  at: 1_000 + position,
  event: position % 2 === 0 ? 'secret.created' : 'consent.granted',
  tenant_id: position < 4 ? 't1' : null,
  actor: '{"kind":"operator"}',
  application_id: position % 3 === 0 ? 'a3' : null,
  user_id: `u${position}`,
  ...{ request_id: null, address: '192.0.2.1', details: '{"é":"\\u0000"}', key_id: 'k', mac: `mac ${position}` },
  previous_mac: null,
})

const entry = (id: string, at: number): ActivityRow => ({
  ...{ id, at, event: at % 2 === 0 ? 'client.authentication-failed' : 'sign-in.failed' },
  ...{ tenant_id: id < 'c' ? 't1' : null, application_id: null, user_id: null, request_id: 'r' },
  ...{ address: null, details: '{}' },
})
const newest = { order: 'newest', limit: 10 } as const

/** In order, on an empty Store. */
export const ledgerQueries: readonly ((tx: Statements) => Promise<unknown>)[] = [
  readLedgerHead,
  lockLedgerHead,
  ...[1, 2, 3, 4, 5, 6].map((position) => (tx: Statements) => appendLedgerRow(tx, row(position))),
  lockLedgerHead,
  readLedgerHead,
  (tx) => readLedger(tx, 0, 2),
  (tx) => readLedger(tx, 4, 100),
  (tx) => readLedger(tx, 6, 100),
  (tx) => listLedger(tx, { ...newest, filter: {} }),
  (tx) => listLedger(tx, { ...newest, filter: {}, place: 4, limit: 2 }),
  (tx) => listLedger(tx, { order: 'oldest', filter: {}, place: 4, limit: 2 }),
  (tx) => listLedger(tx, { ...newest, filter: { tenantId: 't1', event: 'consent.granted' } }),
  (tx) => listLedger(tx, { ...newest, filter: { applicationId: 'a3' } }),
  (tx) => listLedger(tx, { ...newest, filter: { userId: 'u2' } }),
  (tx) => listLedger(tx, { ...newest, filter: { from: 1_002, to: 1_004 } }),
  (tx) => insertActivity(tx, []),
  (tx) => insertActivity(tx, [entry('a', 5), entry('b', 5), entry('c', 4), entry('d', 8)]),
  (tx) => listActivity(tx, { filter: {}, limit: 10 }),
  (tx) => listActivity(tx, { filter: {}, place: { at: 5, id: 'b' }, limit: 10 }),
  (tx) => listActivity(tx, { filter: { tenantId: 't1', event: 'sign-in.failed', from: 5, to: 6 }, limit: 1 }),
  (tx) => listActivity(tx, { filter: { applicationId: 'x', userId: 'y' }, limit: 1 }),
  (tx) => pruneActivity(tx, 4, 10),
  (tx) => pruneActivity(tx, 2, 1),
  (tx) => pruneActivity(tx, 2, 10),
  (tx) => listActivity(tx, { filter: {}, limit: 10 }),
]
