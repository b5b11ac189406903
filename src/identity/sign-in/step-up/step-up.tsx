// A second factor of somebody who is signed in with one (RFC 9470): the code or the passkey alone, without the
// password. Where it is only preferred they may say that it is not at hand; the `acr` of the ID token then says so.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { readSessions } from '../../../storage/sql/people/sessions.js'
import type { User } from '../../../users/records.js'
import { lastAccessEnd } from '../../../users/sessions/end-access.js'
import type { Browser } from '../../../web/browser.js'
import { formToken } from '../../../web/form-token.js'
import { sendPage } from '../../../web/pages/send-page.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { readAuthorizeRequest } from '../../pending/authorize-request.js'
import { resumePath } from '../../pending/paths.js'
import { changedPending } from '../../pending/pending-request.js'
import { passkeyRequest } from '../passkeys/prove-by-passkey.js'
import type { Purpose } from '../purpose.js'
import { beginSecondFactor } from '../second-factor.js'
import { prefersSecondFactor } from '../sign-in-need.js'
import { secondFactorsOf } from './second-factors.js'
import { StepUpPage, type StepUpView } from './step-up-page.js'

/** One attempt to sign in: who asks, what for, and with which answer. */
export interface Attempt {
  request: FastifyRequest
  reply: FastifyReply
  browser: Browser
  purpose: Purpose
}

/** What the forms of the sign-in page are for: one request. */
export function formScope({ pending }: Purpose): string {
  return `sign-in:${pending?.id ?? ''}`
}

/** Asks for what this person has. Throws StoreUnavailable. */
export async function showStepUp(
  deps: IdentityDependencies,
  { reply, browser, purpose }: Attempt,
  user: User,
): Promise<FastifyReply> {
  const page = (
    <StepUpPage
      purpose={purpose}
      token={formToken(deps, browser, formScope(purpose))}
      user={user}
      factors={await secondFactorsOf(deps, browser.session)}
      passkeyOptions={passkeyRequest(deps, browser)}
      mayGoWithout={isPreferred(purpose) || isInGrace(purpose)}
      demand={await shownDemand(deps, purpose)}
    />
  )
  return sendPage(reply, 200, page, { formAction: purpose.formAction, script: true })
}

/** To the page of the code: what was proved first is the session. Throws PageError 429, StoreUnavailable. */
export async function beginStepUp(deps: IdentityDependencies, attempt: Attempt): Promise<FastifyReply> {
  const { reply, browser, purpose } = attempt
  const { session } = browser
  if (session === undefined || purpose.mode !== 'secondFactor') return reply.redirect(purpose.path, 303)
  const { userId, idHash, amr, way } = session
  const { reader } = deps.store
  const provenAfter = await lastAccessEnd(reader, userId)
  // Looked at behind the other: what ends the session from now on ends half a sign-in too.
  const [still] = await readSessions(reader, { idHash })
  const { code } = await secondFactorsOf(deps, session)
  if (still === undefined || !code) return reply.redirect(purpose.path, 303)
  const first = amr.includes('fed') ? 'fed' : 'pwd'
  return beginSecondFactor(deps, attempt, { userId, first, way, provenAfter, session: idHash })
}

/** Goes on with one factor, where the second is only preferred. */
export function goWithout(deps: IdentityDependencies, { reply, browser, purpose }: Attempt): FastifyReply {
  if (isInGrace(purpose)) return reply.redirect(purpose.next, 303)
  const { pending } = purpose
  const authorizeRequest = pending === undefined ? undefined : readAuthorizeRequest(pending)
  if (pending === undefined || authorizeRequest === undefined || !isPreferred(purpose))
    return reply.redirect(purpose.path, 303)
  return reply.redirect(
    resumePath(changedPending(deps, browser, pending, { body: { ...authorizeRequest, secondFactorSkipped: true } })),
    303,
  )
}

/** Whether it is demanded, and not yet (decision 119). */
function isInGrace({ demand }: Purpose): boolean {
  return demand !== undefined && !demand.isDue
}

/** Who demands it: people of several tenants would wonder. */
async function shownDemand(deps: IdentityDependencies, { demand }: Purpose): Promise<StepUpView['demand']> {
  if (demand === undefined) return undefined
  const tenants = await Promise.all(demand.tenantIds.map((tenantId) => deps.directory.findTenant(tenantId)))
  const names = tenants.flatMap((tenant) => (tenant === undefined ? [] : [tenant.name]))
  return { names, dueAtMs: demand.isDue ? undefined : demand.dueAtMs }
}

/** Whether it is wished for and not demanded. */
function isPreferred({ pending }: Purpose): boolean {
  const authorizeRequest = pending === undefined ? undefined : readAuthorizeRequest(pending)
  return (
    authorizeRequest !== undefined &&
    authorizeRequest.claims?.acr === undefined &&
    prefersSecondFactor(authorizeRequest)
  )
}
