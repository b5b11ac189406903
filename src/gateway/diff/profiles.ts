// Grants that hold the same under both configurations, so that each call is decided once for all of them.

import type { Catalogue } from '../../config/settings/settings.js'
import type { AccessGrant } from '../../directory/consents/access-grants.js'
import type { PermissionKind, PermissionRef } from '../../directory/records.js'
import type { AccessRules } from './access-table.js'
import { type HeldPermissions, heldPermissions } from './held-permissions.js'

/** What one kind of caller holds before and after. */
export interface Holdings {
  kind: PermissionKind
  before: HeldPermissions
  after: HeldPermissions
  /** Whether the two differ: then even a route that says the same may decide otherwise. */
  changed: boolean
  /** Where a route of either asks who somebody is. */
  who: Pick<AccessGrant, 'applicationId' | 'tenantId'> | undefined
}

export interface Profile extends Holdings {
  grants: AccessGrant[]
}

interface Both {
  before: Pick<AccessRules, 'catalogue' | 'routes'>
  after: Pick<AccessRules, 'catalogue' | 'routes'>
}

/** The grants by what they hold. */
export function profilesOf({ before, after }: Both, grants: readonly AccessGrant[]): readonly Profile[] {
  const profiles = new Map<string, Profile>()
  const asksWho = [...before.routes, ...after.routes].some(({ tenant, applications }) => tenant ?? applications)
  for (const grant of grants) {
    const held = { before: heldPermissions(grant, before.catalogue), after: heldPermissions(grant, after.catalogue) }
    const texts = [textOf(held.before), textOf(held.after)]
    const { applicationId, tenantId } = grant
    const who = asksWho ? { applicationId, tenantId } : undefined
    const key = JSON.stringify([grant.kind, ...texts, who])
    const known = profiles.get(key)
    if (known !== undefined) known.grants.push(grant)
    else profiles.set(key, { kind: grant.kind, ...held, changed: texts[0] !== texts[1], who, grants: [grant] })
  }
  return [...profiles.values()]
}

/** Every permission of either configuration, as if somebody held it alone. */
export function loneProfiles({ before, after }: Both): readonly (Holdings & { ref: PermissionRef })[] {
  const refs = new Map<string, PermissionRef>()
  for (const { catalogue } of [before, after]) {
    for (const { id, resource, kinds } of catalogue.permissions) {
      for (const kind of kinds) refs.set(JSON.stringify([kind, resource, id]), { kind, resource, id })
    }
  }
  return [...refs.values()].map((ref) => {
    const held = { before: holdingOnly(ref, before.catalogue), after: holdingOnly(ref, after.catalogue) }
    return { ref, kind: ref.kind, ...held, changed: held.before.size !== held.after.size, who: undefined }
  })
}

function holdingOnly({ kind, resource, id }: PermissionRef, catalogue: Catalogue): HeldPermissions {
  return new Map(catalogue.find(kind, resource, id) === undefined ? [] : [[resource, new Set([id])]])
}

function textOf(held: HeldPermissions): string {
  const lists = [...held].map(([resource, ids]): [string, string[]] => [resource, [...ids].sort()])
  return JSON.stringify(lists.sort(([a], [b]) => (a < b ? -1 : 1)))
}
