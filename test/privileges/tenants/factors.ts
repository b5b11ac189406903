// Who has to show a second factor: the rule of decision 119 once more, over a snapshot.

import type { Role } from '../../../src/config/settings/settings.js'
import { type Actor, isAtLeast } from '../model.js'
import type { Snapshot } from '../snapshot.js'

/**
 * Whether somebody has to show a second factor first: what one of their tenants demands of them holds for the whole
 * account.
 */
export function lacksFactor({ people, demands }: Snapshot, actor: Actor): boolean {
  if (actor.kind === 'application' || actor.acr === '2') return false
  return [...(people.get(actor.userId)?.roles ?? [])].some(([tenantId, role]) => {
    const least = demands.get(tenantId) ?? 'none'
    return least !== 'none' && isAtLeast(role, least as Role)
  })
}
