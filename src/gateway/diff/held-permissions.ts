// Who can get a token, and what would be in it under one catalogue or another: the grants of the Store, cut to what the
// catalogue still has, to what people may give away alone, and to what their role allows.

import type { Catalogue } from '../../config/settings/settings.js'
import type { AccessGrant } from '../../directory/consents/access-grants.js'
import { needsAdministrator } from '../../directory/consents/consent-rules.js'
import { isAdministrator, isAtLeast } from '../../users/memberships/roles.js'

/** Permission ids by resource. */
export type HeldPermissions = ReadonlyMap<string, ReadonlySet<string>>

/** The largest token for each resource that this one could get. */
export function heldPermissions(
  { kind, role, permissions }: Pick<AccessGrant, 'kind' | 'role' | 'permissions'>,
  catalogue: Catalogue,
): HeldPermissions {
  const held = new Map<string, Set<string>>()
  for (const { resource, id, by } of permissions) {
    const definition = catalogue.find(kind, resource, id)
    if (definition === undefined) continue
    if (role !== undefined) {
      if (!isAtLeast(role, definition.role)) continue
      if (by === 'user' && needsAdministrator(catalogue, { kind, resource, id }) && !isAdministrator(role)) continue
    }
    held.set(resource, (held.get(resource) ?? new Set()).add(id))
  }
  return held
}
