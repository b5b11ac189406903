// What is recorded of a call that was refused, for the owners of the application that made it.

import type { TokenPrincipal } from './principal.js'

/** Whose call it was. */
export function refusedCall(principal: TokenPrincipal) {
  return {
    what: 'call',
    outcome: 'refused',
    isProved: true,
    applicationId: principal.applicationId,
    tenantId: principal.tenantId,
    userId: principal.kind === 'delegated' ? principal.userId : undefined,
  } as const
}
