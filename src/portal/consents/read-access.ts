// Which applications have access in the current tenant: what administrators granted for everybody, and how many people
// allowed something by themselves.

import { findApplicationLogos } from '../../directory/brands/application-logos.js'
import type { ShownLogo } from '../../directory/brands/brand-logo.js'
import { includesPermission } from '../../directory/consents/consent-rules.js'
import type { PermissionRef, Registration } from '../../directory/records.js'
import type { ConsentAnswer } from '../../management/consents/consent-schemas.js'
import { compareNames } from '../../naming/name-order.js'
import type { PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'

export interface Access {
  registration: Registration
  /** Undefined: it has none. */
  logo: ShownLogo | undefined
  /** For everybody, by administrators. */
  granted: ConsentAnswer<'consent'>['permissions']
  /** What people allowed by themselves, each once. */
  allowed: readonly PermissionRef[]
  people: number
  /** The first of all that still counts; epoch ms. */
  since: number
}

/** Of one application, or of all, by name. Throws ApiError and StoreUnavailable. */
export async function readAccess(
  deps: PortalDependencies,
  context: PortalContext,
  applicationId?: string,
): Promise<readonly Access[]> {
  const query = new URLSearchParams({
    tenantId: context.currentTenant.tenantId,
    ...(applicationId && { applicationId }),
  })
  const { value } = await context.api<ConsentAnswer<'consents'>>('GET', `/consents?${query}`)
  const consents = value.filter(({ permissions }) => permissions.length > 0)
  const applications = [...new Set(consents.map((each) => each.applicationId))]
  const logos = await findApplicationLogos(deps.store.reader, applications)
  const found = await Promise.all(
    applications.map(async (id) => {
      const registration = await deps.directory.findRegistration(id)
      const own = consents.filter((each) => each.applicationId === id)
      return registration === undefined ? [] : [{ logo: logos.get(id), ...accessOf(registration, own) }]
    }),
  )
  return found.flat().sort((a, b) => compareNames(a.registration.name, b.registration.name))
}

function accessOf(registration: Registration, consents: readonly ConsentAnswer<'consent'>[]) {
  const granted = consents.filter(({ userId }) => userId === null).flatMap(({ permissions }) => permissions)
  const byPeople = consents.filter(({ userId }) => userId !== null)
  const allowed: PermissionRef[] = []
  for (const { kind, resource, id } of byPeople.flatMap(({ permissions }) => permissions)) {
    if (!includesPermission(allowed, { kind, resource, id })) allowed.push({ kind, resource, id })
  }
  const times = consents.flatMap(({ permissions }) => permissions.map(({ grantedAt }) => Date.parse(grantedAt)))
  return { registration, granted, allowed, people: byPeople.length, since: Math.min(...times) }
}
