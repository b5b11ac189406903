// What a person's application holds, permission by permission: which of them the person can take away alone, and which
// the application does not use. Uses are counted by application and organisation, so the page says whose they are.

import { includesPermission } from '../../directory/consents/consent-rules.js'
import { measuredPermissions } from '../../directory/permissions/measured-permissions.js'
import { readPermissionUse } from '../../directory/permissions/permission-use.js'
import type { PermissionRef } from '../../directory/records.js'
import type { IdentityDependencies } from '../dependencies.js'
import type { HeldAccess } from './application-access.js'

export interface HeldPermission extends PermissionRef {
  /** An administrator allowed it for everybody. */
  isOfTenant: boolean
  /** Epoch ms. */
  lastUsedAt: number | undefined
  /** Since when it is not used (epoch ms); undefined where it is, nobody knows, or the person allowed it only lately. */
  unusedSince: number | undefined
}

type Deps = Pick<IdentityDependencies, 'settings' | 'directory' | 'store' | 'now'>

/** What the person allowed, then what an administrator allowed besides. Throws StoreUnavailable. */
export async function heldPermissions(
  deps: Deps,
  { registration, tenant: { tenantId }, permissions }: Pick<HeldAccess, 'registration' | 'tenant' | 'permissions'>,
): Promise<HeldPermission[]> {
  const { settings, now, store } = deps
  const ofTenant = await allowedForEverybody(deps, registration.applicationId, tenantId)
  const { unusedAfterMs } = settings.usage
  const options = { measured: measuredPermissions(settings), unusedAfterMs, nowMs: now(), tenantId }
  const uses = await readPermissionUse(store.reader, registration, options)
  const others = ofTenant.filter((ref) => !includesPermission(permissions, ref))
  const recent = now() - unusedAfterMs
  return [...permissions, ...others.map((ref) => ({ ...ref, grantedAt: now() }))].map(
    ({ kind, resource, id, grantedAt }) => {
      const use = uses.find((one) => includesPermission([one], { kind, resource, id }))
      const isUnused = use?.unused === true && grantedAt <= recent
      return {
        kind,
        resource,
        id,
        isOfTenant: includesPermission(ofTenant, { kind, resource, id }),
        lastUsedAt: use?.lastUsedAt,
        unusedSince: isUnused ? use.unusedSince : undefined,
      }
    },
  )
}

/** The delegated permissions that administrators allowed an application in a tenant. Throws StoreUnavailable. */
export async function allowedForEverybody(
  { directory }: Pick<Deps, 'directory'>,
  applicationId: string,
  tenantId: string,
): Promise<PermissionRef[]> {
  const installation = await directory.findInstallation(applicationId, tenantId)
  const granted = installation?.granted ?? []
  return granted.filter(({ kind }) => kind === 'delegated').map(({ kind, resource, id }) => ({ kind, resource, id }))
}
