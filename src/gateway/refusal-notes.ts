// What the owners of an application can look up later: which of its calls were refused, and why. A caller that is not
// proved to be an application is noted nowhere, and neither is a call that is allowed.

import type { TokenPrincipal } from '../access/principal.js'
import { refusedCall } from '../access/refused-call.js'
import type { RequestContext } from '../http/requests/request-context.js'
import type { DecisionNotes } from '../ledger/decisions.js'
import { methodLabel } from '../observability/metrics.js'
import type { Refusal } from './errors.js'

export type NoteRefusal = (call: {
  facts: RequestContext
  method: string | undefined
  principal: TokenPrincipal | undefined
  refused: Refusal
}) => void

/** Builds it. */
export function createRefusalNotes(decisions: DecisionNotes): NoteRefusal {
  return ({ facts, method, principal, refused }) => {
    if (principal === undefined) return
    decisions.note({
      ...refusedCall(principal),
      reason: refused.reason,
      status: refused.error.status,
      requestId: facts.requestId,
      route: facts.entry.route,
      method: methodLabel(method ?? ''),
      permissions: refused.missing === undefined ? [] : [refused.missing.id],
    })
  }
}
