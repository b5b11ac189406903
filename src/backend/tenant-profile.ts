// The profile that a tenant has before anybody has changed it. Tenants are made in another room, which knows no
// profiles, so the profile comes into being when it is first requested.

import { blankProfile } from '../storage/sql/resources/blank-profile.js'
import type { insertProfile } from '../storage/sql/resources/profiles.js'

/** The columns of a profile. */
export type ProfileColumns = Parameters<typeof insertProfile>[1]

/** All fifteen fields' columns; identifiers are new, figures are zero. `now` is epoch milliseconds. */
export function blankTenantProfile(tenantId: string, now: number, newId: () => string): ProfileColumns {
  const publicName = `Business ${tenantId.slice(0, 8)}`
  return blankProfile({ tenantId, userId: null }, { publicName, idProvider: 'portcullis', email: '' }, now, newId)
}
