// What became of a request for a plan that was declined, for those who wait.

import { readPlanRequests } from '../../storage/sql/registrations/plans/plan-requests.js'
import type { Statements } from '../../storage/sql/store.js'

/** What became of the last request of an application, when it was declined. */
export interface DeclinedRequest {
  plan: string
  /** In the words of who declined it; may be empty. */
  answer: string
  /** Epoch ms. */
  declinedAt: number
}

/** The one of this application that was declined last, until it requests again or its plan changes. */
export async function readDeclinedRequest(
  statements: Statements,
  applicationId: string,
): Promise<DeclinedRequest | undefined> {
  const [row] = await readPlanRequests(statements, { applicationId }, 1, 'declined')
  return row === undefined ? undefined : { plan: row.plan, answer: row.answer, declinedAt: Number(row.declined_at) }
}
