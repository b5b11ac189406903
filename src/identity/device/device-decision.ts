// What a person decided about a device: one transaction in which the code is decided exactly once, and which asks again
// whatever the answer rests on. Allowed, there is a grant from then on, and the device gets it with its next request.

import { writesAs } from '../../directory/actor.js'
import { rememberInTransaction } from '../../directory/consents/consents.js'
import { type Writing, write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import type { Origin } from '../../ledger/ledger.js'
import { decideDeviceCode } from '../../storage/sql/grants/device-decisions.js'
import { findUser } from '../../users/accounts/users.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { isSignedIn } from '../../users/sessions/signed-in.js'
import { consentNeeded } from '../consent/consent-step.js'
import { requireRoomForGrant } from '../consent/room-for-grant.js'
import type { IdentityDependencies } from '../dependencies.js'
import { takePending } from '../pending/pending-request.js'
import { isStillTaken } from '../sign-in/ways/required-way.js'
import { createGrant } from '../token/grants/new-grant.js'
import type { DeviceQuestion } from './device-status.js'
import { deviceRefusal } from './refusals.js'

/**
 * Allows the device what `question` says. `origin` is the person's. Throws PageError when somebody was faster, or when
 * what it rests on has changed: then nothing is written.
 */
export async function allowDevice(deps: IdentityDependencies, question: DeviceQuestion, origin: Origin): Promise<void> {
  const writes = writesAs(deps.writes, origin)
  await write(writes, async (writing) => {
    await checkStill(deps, writing, question)
    await takeOnce(writing, question)
    const { request, registration, session, membership, permissions } = question
    const { userId, tenantId } = membership
    const { applicationId } = registration
    const { resource, openidScopes } = request
    await requireRoomForGrant(deps, writing.tx, userId)
    const grantId = await createGrant(deps, writing.tx, {
      origin: 'device',
      userId,
      applicationId,
      tenantId,
      resource,
      permissions,
      openidScopes,
      session,
    })
    await decide(writing, question, { state: 'approved', grantId })
    const about = { userId, applicationId, tenantId }
    const byAdministrator = isAdministrator(membership.role)
    if (question.missing.length > 0) {
      const consent = { ...about, permissions: question.missing, byAdministrator }
      await rememberInTransaction(writes, writing, consent)
    }
    const details = { grant: grantId, resource, permissions, openidScopes, requestedFrom: request.address }
    await appendAudit(writes, writing.tx, { event: 'device.approved', ...about, details })
  })
}

/** Denies it: the device is told so. Throws PageError when somebody was faster. */
export async function denyDevice(deps: IdentityDependencies, question: DeviceQuestion, origin: Origin): Promise<void> {
  const writes = writesAs(deps.writes, origin)
  await write(writes, async (writing) => {
    await takeOnce(writing, question)
    await decide(writing, question, { state: 'denied', grantId: null })
    const { userId, tenantId } = question.membership
    const about = { userId, tenantId, applicationId: question.registration.applicationId }
    const details = { requestedFrom: question.request.address }
    await appendAudit(writes, writing.tx, { event: 'device.denied', ...about, details })
  })
}

/** Session, person, membership and consent as they are in this transaction. */
async function checkStill(deps: IdentityDependencies, { tx }: Writing, question: DeviceQuestion): Promise<void> {
  const { request, registration, session, user: before, membership, permissions, missing } = question
  const { userId, tenantId, role } = membership
  if (!(await isSignedIn(tx, userId, session))) throw deviceRefusal('gone')
  const [user, still] = [await findUser(tx, userId), await findMembership(tx, userId, tenantId)]
  if (user?.isOperator !== before.isOperator || still?.role !== role) throw deviceRefusal('gone')
  if (!(await isStillTaken(deps, tx, session, still))) throw deviceRefusal('gone')
  const answer = await consentNeeded(deps, tx, {
    userId,
    registration,
    tenantId,
    resource: request.resource,
    permissions,
    openidScopes: request.openidScopes,
    redirectUri: undefined,
    prompt: ['consent'],
  })
  if (answer.kind === 'administrator') throw deviceRefusal('administrator')
  // More is missing than the person was shown: they are prompted again.
  if (answer.kind === 'ask' && answer.missing.length > missing.length) throw deviceRefusal('gone')
}

async function takeOnce({ tx }: Writing, { pending }: DeviceQuestion): Promise<void> {
  if (!(await takePending(tx, pending))) throw deviceRefusal('gone')
}

async function decide(
  { tx, nowMs }: Writing,
  { row, membership }: DeviceQuestion,
  decision: { state: 'approved' | 'denied'; grantId: string | null },
): Promise<void> {
  const { userId } = membership
  if (await decideDeviceCode(tx, row.device_hash, { ...decision, userId, now: nowMs })) return
  throw deviceRefusal('expired')
}
