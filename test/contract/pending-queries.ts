// Every query of pending requests, with what each answered: the same on every engine.

import { deleteEndedPendingRequests } from '../../src/storage/sql/grants/pending-request-upkeep.js'
import {
  findPendingRequest,
  insertPendingRequest,
  takePendingRequest,
  updatePendingRequest,
} from '../../src/storage/sql/grants/pending-requests.js'
import type { Statements, Store } from '../../src/storage/sql/store.js'
import { answersOf, type Query } from './answers.js'

/** Runs each query in a transaction of its own; their answers as JSON. */
export function answersOfPendingQueries(store: Store): Promise<string[]> {
  return answersOf(store, queries)
}

const pending = (id_hash: string, expires_at: number) => ({
  ...{ id_hash, browser_hash: 'b1', kind: 'authorize', application_id: null, body: '{"a":"ä😀"}' },
  ...{ created_at: 1, expires_at },
})
const look = (idHash: string, browserHash: string, now: number) => (tx: Statements) =>
  findPendingRequest(tx, { idHash, browserHash, now })

const queries: readonly Query[] = [
  (tx) => insertPendingRequest(tx, pending('r1', 100)),
  (tx) => insertPendingRequest(tx, { ...pending('r2', 50), application_id: 'a1' }),
  (tx) => insertPendingRequest(tx, pending('r3', 60)),
  look('r1', 'b1', 99),
  look('r1', 'b1', 100),
  look('r1', 'b2', 99),
  look('r2', 'b1', 1),
  (tx) => updatePendingRequest(tx, 'r1', '{}'),
  (tx) => updatePendingRequest(tx, 'nothing', '{}'),
  look('r1', 'b1', 99),
  (tx) => takePendingRequest(tx, 'r1'),
  (tx) => takePendingRequest(tx, 'r1'),
  (tx) => updatePendingRequest(tx, 'r1', '{}'),
  (tx) => deleteEndedPendingRequests(tx, 60, 1),
  look('r2', 'b1', 1),
  look('r3', 'b1', 1),
  (tx) => deleteEndedPendingRequests(tx, 59, 10),
  (tx) => deleteEndedPendingRequests(tx, 60, 10),
]
