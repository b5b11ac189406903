// Letting people in: who may be handed the link that does it, and who adds people to a tenant without one (decision
// 84).

import type { Role } from '../../config/settings/settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import { countOwners } from '../../storage/sql/people/memberships.js'
import type { Statements } from '../../storage/sql/store.js'
import type { Caller } from '../access/access.js'
import { checkMayGive } from './people-rules.js'

/**
 * Whether an answer to this caller may have a one-time link of somebody: never one to an application, whether it comes
 * as itself or for a person, for the holder of a link can act as that person. The command line is the person's own
 * hand.
 */
export function mayHoldLinks(caller: Caller): boolean {
  if (caller.kind === 'local' || caller.principal.kind === 'session') return true
  return caller.principal.kind === 'delegated' && caller.principal.applicationId === commandLineClient.applicationId
}

/**
 * Whether an operator may add somebody to a tenant in a role: in their own as everybody does; in another one until it
 * has an owner, who lets people in from then on. To be judged in the transaction that adds. Throws ApiError 403 and StoreUnavailable.
 */
export async function checkMayAdd(
  tx: Statements,
  caller: Caller,
  { tenantId, role }: { tenantId: string; role: Role },
): Promise<void> {
  if (caller.kind === 'local') return
  if (tenantId.toLowerCase() === caller.tenantId) return checkMayGive(caller, role)
  if ((await countOwners(tx, { tenantId: tenantId.toLowerCase() })) === 0) return
  const message = 'This tenant has an owner, who invites people: an operator adds nobody to it.'
  throw new ApiError(403, 'TenantHasOwner', message, { target: 'tenantId' })
}
