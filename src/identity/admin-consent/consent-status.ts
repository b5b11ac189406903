// The status of a request for an administrator's consent, decided anew each time: who is signed in, for which tenant,
// with which role, and what consenting would change.

import { createHash } from 'node:crypto'
import type { Role } from '../../config/settings/settings.js'
import { type ApplicationBrand, findApplicationBrand } from '../../directory/brands/application-brand.js'
import type { PermissionRef, Registration, Tenant } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { findUser } from '../../users/accounts/users.js'
import { listMemberships } from '../../users/memberships/memberships.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import type { Session, User } from '../../users/records.js'
import type { Browser } from '../../web/browser.js'
import { PageError } from '../../web/pages/page-error.js'
import { requestGone } from '../../web/request-gone.js'
import { requireClient } from '../authorize/client.js'
import type { IdentityDependencies } from '../dependencies.js'
import { signInPath } from '../pending/paths.js'
import { findPending, type PendingRequest } from '../pending/pending-request.js'
import { requireTaken } from '../sign-in/ways/required-way.js'
import { type AdminConsentRequest, readAdminConsentRequest } from './request.js'
import { type Difference, differenceTo, requestedForTenant } from './requested-permissions.js'

/** What is certain about every request that is answered. */
export interface Waiting {
  pending: PendingRequest
  request: AdminConsentRequest
  registration: Registration
  /** What it says of itself. */
  claim: ApplicationBrand
}

export interface OpenConsent extends Waiting {
  kind: 'open'
  user: User
  session: Session
  tenant: Tenant
  role: Role
  /** Whether this person may decide. */
  mayDecide: boolean
  permissions: readonly PermissionRef[]
  difference: Difference
}

export type ConsentStatus =
  | { kind: 'elsewhere'; path: string }
  | (Waiting & { kind: 'refused'; error: OAuthError })
  | (Waiting & { kind: 'choose'; user: User; tenants: readonly Tenant[] })
  | OpenConsent

interface Place {
  tenant: Tenant
  role: Role
  mayDecide: boolean
}

/** Reads the request `id` of this browser. Throws PageError, StoreUnavailable. */
export async function readConsentStatus(
  deps: IdentityDependencies,
  browser: Browser,
  id: string,
): Promise<ConsentStatus> {
  const pending = await findPending(deps, browser, id)
  const request = pending === undefined ? undefined : readAdminConsentRequest(pending)
  if (pending === undefined || request === undefined) throw requestGone(browser)
  // Until it is known about which tenant somebody decides, no tenant's look stands around the question.
  await browser.wear?.('server')
  const { registration } = await requireClient(deps, request.applicationId)
  const { session } = browser
  const user = session && (await findUser(deps.store.reader, session.userId))
  if (session === undefined || user === undefined) return { kind: 'elsewhere', path: signInPath(pending) }
  const claim = await findApplicationBrand(deps.store.reader, registration.applicationId)
  const waiting = { pending, request, registration, claim }
  try {
    const status = await decide(deps, waiting, { user, session })
    if (status.kind !== 'open') return status
    const { tenantId } = status.tenant
    await requireTaken(deps, session, { tenantId, role: status.role }, () => pending)
    await browser.wear?.({ tenantId })
    return status
  } catch (error) {
    if (error instanceof OAuthError && error.status === 400) return { ...waiting, kind: 'refused', error }
    throw error
  }
}

/** Binds a form to what it showed: who sends it agrees to this, and to nothing that was added meanwhile (C2). */
export function digestOf({ tenant, difference }: OpenConsent): string {
  const text = JSON.stringify([tenant.tenantId, difference.added, difference.kept, difference.removed])
  return createHash('sha256').update(text).digest('base64url')
}

async function decide(
  deps: IdentityDependencies,
  waiting: Waiting,
  { user, session }: { user: User; session: Session },
): Promise<ConsentStatus> {
  const { registration, request } = waiting
  const wanted = requestedForTenant(deps.settings.catalogue, registration, request.scope)
  const requested = request.tenant === undefined ? undefined : parseGuid(request.tenant)
  if (request.tenant !== undefined && requested === undefined) throw notATenant()
  const places = await placesOf(deps, registration, user)
  const administered = places.filter(({ mayDecide }) => mayDecide)
  const candidates = administered.length > 0 ? administered : places
  const chosen = request.chosen?.by === user.userId ? request.chosen.tenantId : undefined
  const [only, another] = candidates
  const place =
    requested === undefined
      ? (candidates.find(({ tenant }) => tenant.tenantId === chosen) ?? (another === undefined ? only : undefined))
      : places.find(({ tenant }) => tenant.tenantId === requested)
  if (place !== undefined) {
    const { tenantId } = place.tenant
    const installation = await deps.directory.findInstallation(registration.applicationId, tenantId)
    const difference = differenceTo(installation?.granted ?? [], wanted)
    return { ...waiting, ...place, kind: 'open', user, session, permissions: wanted.permissions, difference }
  }
  if (requested !== undefined || only === undefined) throw notAMember(registration, waiting.pending)
  return { ...waiting, kind: 'choose', user, tenants: candidates.map(({ tenant }) => tenant) }
}

/** The tenants of a person that may have the application, the oldest membership first. */
async function placesOf(deps: IdentityDependencies, registration: Registration, { userId }: User): Promise<Place[]> {
  const memberships = await listMemberships(deps.store.reader, { userId })
  const usable = memberships.filter(
    ({ tenantId }) => registration.audience === 'any' || tenantId === registration.tenantId,
  )
  const places = await Promise.all(
    usable.map(async ({ tenantId, role }) => {
      const tenant = await deps.directory.findTenant(tenantId)
      return tenant?.state === 'enabled' ? [{ tenant, role, mayDecide: isAdministrator(role) }] : []
    }),
  )
  return places.flat()
}

function notATenant(): OAuthError {
  return new OAuthError('invalid_request', 'tenant must be the GUID of a tenant.', {
    number: errorNumber.malformedTenant,
  })
}

/** One text for a tenant that is unknown, out of use, not for this application, or another's. */
function notAMember({ name }: Registration, pending: PendingRequest): PageError {
  return new PageError({
    status: 403,
    title: ({ errors }) => errors.notAMember.title,
    what: ({ errors }) => errors.notAMember.what(name),
    remedy: ({ errors }) => errors.notAMember.remedy,
    links: [{ href: signInPath(pending), text: ({ errors }) => errors.notAMember.link }],
    reason: 'not_a_member',
  })
}
