// The queries of recorded decisions, one after the other, with what each answered.

import { crowdedApplications, pruneDecisions } from '../../src/storage/sql/ledger/decision-upkeep.js'
import {
  type DecisionRow,
  findDecisions,
  insertDecisions,
  listDecisions,
} from '../../src/storage/sql/ledger/recorded-decisions.js'
import type { Statements, Store } from '../../src/storage/sql/store.js'
import { answersOf, type Query } from './answers.js'

const row = (id: string, at: number, application_id: string, more: Partial<DecisionRow> = {}): DecisionRow => ({
  ...{ id, at, application_id, proved: 1, what: 'call', outcome: 'refused', reason: 'insufficient_scope', status: 403 },
  ...{
    number: null,
    request_id: `request ${id}`,
    tenant_id: 't',
    user_id: null,
    route: 'GET /api/v2/me',
    method: 'GET',
  },
  ...{ grant_type: null, permissions: 'User.Read.All' },
  ...more,
})
const token = { what: 'token', outcome: 'granted', reason: 'granted', status: 200, grant_type: 'client_credentials' }
const list = (tx: Statements, applicationId: string, more: Partial<Parameters<typeof listDecisions>[1]> = {}) =>
  listDecisions(tx, { applicationId, filter: {}, limit: 10, ...more })

/** Runs each in a transaction of its own on an empty Store; their answers as JSON. */
export function answersOfDecisionQueries(store: Store): Promise<string[]> {
  return answersOf(store, queries)
}

const queries: readonly Query[] = [
  (tx) => insertDecisions(tx, []),
  (tx) =>
    insertDecisions(tx, [
      row('a', 5, 'x'),
      row('b', 5, 'x', token),
      row('c', 4, 'x', { number: 7_000_215, proved: 0 }),
    ]),
  (tx) => insertDecisions(tx, [row('d', 8, 'x'), row('e', 1, 'y'), row('f', 2, 'y'), row('g', 3, 'y')]),
  (tx) => list(tx, 'x'),
  (tx) => list(tx, 'x', { before: { at: 5, id: 'b' } }),
  (tx) => list(tx, 'x', { filter: { outcome: 'granted', what: 'token' } }),
  (tx) => list(tx, 'x', { filter: { requestId: 'request c' }, limit: 1 }),
  (tx) => list(tx, 'z'),
  (tx) => findDecisions(tx, 'request d'),
  (tx) => findDecisions(tx, 'nothing'),
  (tx) => crowdedApplications(tx, 1, 3, 10),
  (tx) => crowdedApplications(tx, 1, 2, 1).then((found) => found.length),
  (tx) => crowdedApplications(tx, 0, 0, 10),
  (tx) => pruneDecisions(tx, { applicationId: 'y', proved: 1 }, 3, 10),
  (tx) => pruneDecisions(tx, { applicationId: 'y', proved: 1 }, 1, 1),
  (tx) => pruneDecisions(tx, { applicationId: 'y', proved: 1 }, 1, 10),
  (tx) => list(tx, 'y'),
  (tx) => pruneDecisions(tx, 'all', 2, 10),
  (tx) => list(tx, 'x'),
]
