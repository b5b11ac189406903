// Which ways the sign-in page shows: those that the tenant takes, where it is known before anybody has signed in.

import type { ProviderSettings } from '../../../config/settings/settings.js'
import type { Registration } from '../../../directory/records.js'
import { parseGuid } from '../../../oauth/secrets/guid.js'
import { takenProviders } from '../../../users/sessions/tenant-ways.js'
import type { IdentityDependencies } from '../../dependencies.js'

export interface ShownWays {
  /** Whose wish it is. */
  tenantName: string
  /** Whether the form for a password and the passkey are for everybody; owners may always use them. */
  own: boolean
  providers: readonly ProviderSettings[]
}

/** Undefined: all that the server has. Throws StoreUnavailable. */
export async function shownWays(
  { directory, settings }: Pick<IdentityDependencies, 'directory' | 'settings'>,
  registration: Registration | undefined,
  requested: unknown,
): Promise<ShownWays | undefined> {
  const home = registration?.audience === 'home' ? registration.tenantId : undefined
  const tenantId = typeof requested === 'string' ? parseGuid(requested) : home
  const tenant = tenantId === undefined ? undefined : await directory.findTenant(tenantId)
  if (tenant === undefined || (tenant.ownSignIn === 'allowed' && tenant.signInProviders === null)) return undefined
  const providers = takenProviders(tenant, settings.signIn.providers.values())
  // With nothing else to show, the form is there for owners.
  const own = tenant.ownSignIn === 'allowed' || providers.length === 0
  return { tenantName: tenant.name, own, providers }
}
