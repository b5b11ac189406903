// The status of a device's request for the person in front of this browser: signed in, in which tenant, what the device
// would be allowed there. Decided anew each time the page is shown or its form comes back.

import { type ApplicationBrand, findApplicationBrand } from '../../directory/brands/application-brand.js'
import type { PermissionRef, Registration } from '../../directory/records.js'
import { type DeviceCodeRow, findDeviceCode } from '../../storage/sql/grants/device-codes.js'
import { findUser } from '../../users/accounts/users.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { permissionsFor } from '../../users/memberships/roles.js'
import type { Membership, Session, User } from '../../users/records.js'
import type { Browser } from '../../web/browser.js'
import { isUsableIn } from '../authorize/requested-tenant.js'
import { usableMemberships } from '../authorize/tenant-step.js'
import { homeOf } from '../consent/application-home.js'
import { consentNeeded } from '../consent/consent-step.js'
import type { IdentityDependencies } from '../dependencies.js'
import { deviceCodesOff } from '../device-codes-allowed.js'
import type { PendingRequest } from '../pending/pending-request.js'
import { requireTaken } from '../sign-in/ways/required-way.js'
import { asksAdministrator, isStrong } from './asks-administrator.js'
import { type DeviceRequest, readDevicePending, readDeviceRequest } from './device-request.js'
import { deviceRefusal } from './refusals.js'

/** A code that waits, and who requested it. */
export interface WaitingCode {
  row: DeviceCodeRow
  request: DeviceRequest
  registration: Registration
}

/** All that the person decides on. */
export interface DeviceQuestion extends WaitingCode {
  pending: PendingRequest
  session: Session
  /** The code came in an address, and nobody typed it. */
  filledIn: boolean
  user: User
  membership: Membership
  /** The organisation that registered the application. */
  home: { name: string; isOwn: boolean }
  /** What the application says of itself. */
  claim: ApplicationBrand
  /** Plain ids: what was requested, as far as the person's role allows it. */
  permissions: readonly string[]
  /**
   * What nobody has allowed yet: the person does it with the same button, or, if `administrator`, must leave it to one.
   */
  missing: readonly PermissionRef[]
  administrator: boolean
}

export type DeviceStatus =
  | { kind: 'sign-in' }
  | { kind: 'tenant'; waiting: WaitingCode; user: User; memberships: readonly Membership[] }
  | { kind: 'question'; question: DeviceQuestion }

/**
 * Decides what comes next. Throws PageError when the code waits no more or is not for this person, StoreUnavailable.
 */
export async function readDeviceStatus(
  deps: IdentityDependencies,
  browser: Browser,
  pending: PendingRequest,
): Promise<DeviceStatus> {
  const body = readDevicePending(pending)
  const waiting = body === undefined ? undefined : await findWaiting(deps, body.deviceHash)
  if (body === undefined || waiting === undefined) throw deviceRefusal('expired')
  const { session } = browser
  const user = session === undefined ? undefined : await findUser(deps.store.reader, session.userId)
  if (session === undefined || user === undefined) return { kind: 'sign-in' }
  const chosen = body.chosenBy === user.userId ? body.tenantId : undefined
  const memberships = await possibleMemberships(deps, waiting, user.userId, chosen)
  const [membership, another] = memberships
  if (membership === undefined) throw deviceRefusal('tenant')
  if (another !== undefined) return { kind: 'tenant', waiting, user, memberships }
  await requireTaken(deps, session, membership, () => pending)
  await browser.wear?.({ tenantId: membership.tenantId })
  return {
    kind: 'question',
    question: await questionOf(deps, {
      ...waiting,
      pending,
      session,
      user,
      membership,
      filledIn: body.filledIn === true,
    }),
  }
}

/** The code with this hash, if somebody may still decide on it. Throws StoreUnavailable. */
export async function findWaiting(deps: IdentityDependencies, deviceHash: string): Promise<WaitingCode | undefined> {
  const row = await findDeviceCode(deps.store.reader, deviceHash)
  if (row === undefined || row.state !== 'pending' || Number(row.expires_at) <= deps.now()) return undefined
  const registration = await deps.directory.findRegistration(row.application_id)
  if (registration?.state !== 'enabled' || deviceCodesOff(deps, registration, undefined) !== undefined) return undefined
  return { row, request: readDeviceRequest(row.body), registration }
}

async function possibleMemberships(
  deps: IdentityDependencies,
  { request, registration }: WaitingCode,
  userId: string,
  chosen: string | undefined,
): Promise<readonly Membership[]> {
  const tenantId = request.tenantId ?? chosen
  if (tenantId === undefined) return usableMemberships(deps, registration, userId)
  const usable = await isUsableIn(deps.directory, registration, tenantId)
  const membership = usable ? await findMembership(deps.store.reader, userId, tenantId) : undefined
  if (membership !== undefined) return [membership]
  return request.tenantId === undefined ? usableMemberships(deps, registration, userId) : []
}

async function questionOf(
  deps: IdentityDependencies,
  status: Omit<DeviceQuestion, 'home' | 'claim' | 'permissions' | 'missing' | 'administrator'>,
): Promise<DeviceQuestion> {
  const { request, registration, user, membership } = status
  const { resource, openidScopes } = request
  const person = { role: membership.role, isOperator: user.isOperator }
  const permissions = permissionsFor(person, deps.settings.catalogue, resource, request.permissions)
  if (permissions.length === 0 && request.permissions.length > 0) throw deviceRefusal('role')
  const { userId } = user
  const { tenantId } = membership
  const tenant = await deps.directory.findTenant(tenantId)
  if (deviceCodesOff(deps, registration, tenant) !== undefined) throw deviceRefusal('off')
  // A device has no address that could vouch for it, so it needs consent each time (RFC 8628 §5.4).
  const answer = await consentNeeded(deps, deps.store.reader, {
    userId,
    registration,
    tenantId,
    resource,
    permissions,
    openidScopes,
    redirectUri: undefined,
    prompt: ['consent'],
  })
  if (answer.kind !== 'administrator' && asksAdministrator(deps.settings.catalogue, { resource, permissions })) {
    if (status.filledIn) throw deviceRefusal('typed')
    if (!isStrong(deps, status.session)) throw deviceRefusal('factor')
  }
  const missing = answer.kind === 'granted' ? [] : answer.missing
  const home = await homeOf(deps, registration, tenantId)
  const claim = await findApplicationBrand(deps.store.reader, registration.applicationId)
  return { ...status, home, claim, permissions, missing, administrator: answer.kind === 'administrator' }
}
