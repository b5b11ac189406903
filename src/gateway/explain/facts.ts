// What is known of a caller beside its token: registration, tenant, installation, person, consents. Read for an
// explanation only; the decision itself was made without them.

import type { TokenPrincipal } from '../../access/principal.js'
import type { Role } from '../../config/settings/settings.js'
import type { Directory, Installation, PermissionRef, Registration, Tenant } from '../../directory/records.js'

/** A person in a tenant; undefined members: not there. */
export interface PersonInTenant {
  state: 'enabled' | 'disabled' | undefined
  role: Role | undefined
  isOperator: boolean
}

export interface FactsDeps {
  directory: Pick<Directory, 'findRegistration' | 'findInstallation' | 'findTenant' | 'findToolRules'>
  consentsOf: (
    about: Record<'userId' | 'applicationId' | 'tenantId', string>,
  ) => Promise<readonly (PermissionRef & { grantedAt: number })[]>
  personIn: (userId: string, tenantId: string) => Promise<PersonInTenant>
}

/** Whom it is about, as far as that is known. */
export type About = Pick<TokenPrincipal, 'kind' | 'applicationId' | 'tenantId'> & { userId?: string | undefined }

export interface CallerFacts {
  about: About
  registration: Registration | undefined
  tenant: Tenant | undefined
  installation: Installation | undefined
  person: PersonInTenant | undefined
  ownConsents: readonly (PermissionRef & { grantedAt: number })[]
}

/** Throws StoreUnavailable. */
export async function readFacts(deps: FactsDeps, about: About): Promise<CallerFacts> {
  const { applicationId, tenantId, userId } = about
  const [registration, tenant, installation, person, ownConsents] = await Promise.all([
    deps.directory.findRegistration(applicationId),
    deps.directory.findTenant(tenantId),
    deps.directory.findInstallation(applicationId, tenantId),
    userId === undefined ? undefined : deps.personIn(userId, tenantId),
    userId === undefined ? [] : deps.consentsOf({ userId, applicationId, tenantId }),
  ])
  return { about, registration, tenant, installation, person, ownConsents }
}
