// Every query of calls that wait for a person, one after the other, with what each answered: the same on every engine.

import { pruneCallApprovals } from '../../src/storage/sql/grants/call-approval-upkeep.js'
import {
  countWaitingApprovals,
  findCallApproval,
  insertCallApproval,
  moveCallApproval,
} from '../../src/storage/sql/grants/call-approvals.js'
import type { Store } from '../../src/storage/sql/store.js'
import { answersOf, type Query } from './answers.js'

/** Runs each query in a transaction of its own; their answers as JSON. */
export function answersOfApprovalQueries(store: Store): Promise<string[]> {
  return answersOf(store, queries)
}

const row = (id: string, callKey: string, at = 0) => ({
  ...{ id, call_key: callKey, state: 'pending', user_id: 'anna', tenant_id: 't1', application_id: 'a1' },
  ...{ grant_id: 'g1', operation: 'o', body: 'b', created_at: at, expires_at: at + 100, decided_at: null },
})
const person = { userId: 'anna', applicationId: 'a1' }

const queries: readonly Query[] = [
  (tx) => insertCallApproval(tx, row('1', 'k1')),
  (tx) => insertCallApproval(tx, row('2', 'k1')),
  (tx) => insertCallApproval(tx, row('3', 'k3')),
  (tx) => insertCallApproval(tx, row('4', 'k4')),
  (tx) => countWaitingApprovals(tx, person, 50),
  (tx) => countWaitingApprovals(tx, { tenantId: 't1' }, 100),
  (tx) => countWaitingApprovals(tx, { userId: 'anna' }, 50),
  (tx) => countWaitingApprovals(tx, { tenantId: 't1', applicationId: 'a1' }, 50),
  (tx) => findCallApproval(tx, { callKey: 'k1' }),
  (tx) => moveCallApproval(tx, '1', { to: 'used', nowMs: 50 }),
  (tx) => moveCallApproval(tx, '1', { to: 'allowed', nowMs: 100, expiresAt: 150 }),
  (tx) => moveCallApproval(tx, '1', { to: 'allowed', nowMs: 50, expiresAt: 150 }),
  (tx) => moveCallApproval(tx, '1', { to: 'refused', nowMs: 50, expiresAt: 150 }),
  (tx) => findCallApproval(tx, { id: '1' }),
  (tx) => moveCallApproval(tx, '1', { to: 'used', nowMs: 150 }),
  (tx) => moveCallApproval(tx, '1', { to: 'used', nowMs: 149 }),
  (tx) => moveCallApproval(tx, '1', { to: 'used', nowMs: 149 }),
  (tx) => findCallApproval(tx, { callKey: 'k1' }),
  (tx) => insertCallApproval(tx, row('5', 'k1', 149)),
  (tx) => moveCallApproval(tx, '3', { to: 'refused', nowMs: 50, expiresAt: 150 }),
  (tx) => insertCallApproval(tx, row('6', 'k3', 149)),
  (tx) => insertCallApproval(tx, row('7', 'k3', 150)),
  (tx) => findCallApproval(tx, { id: '3' }),
  (tx) => countWaitingApprovals(tx, person, 150),
  (tx) => pruneCallApprovals(tx, 151, 1),
  (tx) => pruneCallApprovals(tx, 151, 10),
  (tx) => findCallApproval(tx, { id: '5' }),
]
