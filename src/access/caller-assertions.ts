// Where the assertions of a caller are found by a token of theirs that is new.

import { LRUCache } from 'lru-cache'
import type { HeldAssertions } from './held-assertions.js'
import type { TokenPrincipal } from './principal.js'

/** Callers that are found by a token that is new; one that is seen again leads to them by itself. */
const mostCallers = 10_000

/** Gives what is held for the caller of a token, and notes it beside the token. Bounded: the longest unseen goes. */
export function createCallerAssertions(): (principal: TokenPrincipal) => HeldAssertions {
  const callers = new LRUCache<string, HeldAssertions>({ max: mostCallers })
  return (principal) => {
    if (principal.assertions !== undefined) return principal.assertions
    const caller = callerOf(principal)
    const known = callers.get(caller)
    const held: HeldAssertions = known ?? new Map()
    if (known === undefined) callers.set(caller, held)
    principal.assertions = held
    return held
  }
}

/** Whom a token is about: the person, or the application itself. */
export function subjectOf(principal: TokenPrincipal): string {
  return principal.kind === 'delegated' ? principal.userId : principal.applicationId
}

/** All that an assertion says of who calls. No identifier has a line break in it. */
function callerOf(principal: TokenPrincipal): string {
  const { kind, applicationId, tenantId, issuer = '', via = [] } = principal
  const actors = via.map(({ client_id }) => client_id)
  return [kind, issuer, tenantId, applicationId, subjectOf(principal), ...actors].join('\n')
}
