// GET /api/v2/oauth2/v2.0/authorize/resume/<id>: what the request still needs of the person, decided anew each time, in
// this order: sign-in, tenant, role, consent; then the code. Pages do their part and come back here; none of them
// decides what is next. With prompt=none there are no pages, only answers (C11).

import type { FastifyReply } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { findUser } from '../../users/accounts/users.js'
import { permissionsFor } from '../../users/memberships/roles.js'
import type { Membership, Session } from '../../users/records.js'
import type { Browser } from '../../web/browser.js'
import { isHeldBack } from '../../web/demanded-factor.js'
import { needsConsent } from '../consent/authorization-consent.js'
import type { IdentityDependencies } from '../dependencies.js'
import type { AuthorizeRequest } from '../pending/authorize-request.js'
import { consentPath, signInPath, tenantPath } from '../pending/paths.js'
import { changedPending, type PendingRequest } from '../pending/pending-request.js'
import { signInNeed } from '../sign-in/sign-in-need.js'
import { circumstancesOf } from '../sign-in/step-up/circumstances.js'
import { demandedPath } from '../sign-in/step-up/demanded.js'
import { isTaken, requireTaken } from '../sign-in/ways/required-way.js'
import { checkMayIssue } from '../view-freshness.js'
import { unmetRequirements } from './claims-parameter.js'
import { type CurrentRequest, inTenantOf, refuse, revalidate } from './current-request.js'
import { sendCode } from './finish.js'
import { loginRequired, toError } from './refusal.js'
import { tenantStep } from './tenant-step.js'

/** Takes the request as far as it goes now. Throws PageError, OAuthError 503, StoreUnavailable. */
export async function goOn(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  pending: PendingRequest,
  authorizeRequest: AuthorizeRequest,
): Promise<FastifyReply> {
  checkMayIssue(deps)
  const { address, entry } = requestContext(reply.request)
  const current = await revalidate(deps, { browser, address }, pending, authorizeRequest)
  entry.applicationId = current.registration.applicationId || undefined
  if (
    authorizeRequest.error !== undefined &&
    (browser.session !== undefined || authorizeRequest.prompt.includes('none'))
  ) {
    return refuse(deps, reply, current, toError(authorizeRequest.error))
  }
  const { session } = browser
  const need = signInNeed(authorizeRequest, session, await circumstancesOf(deps, pending, session))
  if (need === 'unmet') return refuse(deps, reply, current, unmetRequirements())
  if (session === undefined || need !== 'enough') {
    const ends = need === 'wrong' || authorizeRequest.prompt.includes('none')
    return ends ? refuse(deps, reply, current, loginRequired()) : reply.redirect(signInPath(pending), 303)
  }
  if (await isHeldBack(deps, session)) {
    if (authorizeRequest.prompt.includes('none')) return refuse(deps, reply, current, factorDemanded())
    return reply.redirect(demandedPath(pending), 303)
  }
  const tenant = await tenantStep(deps, authorizeRequest, current.registration, session.userId)
  if (tenant.kind === 'refused') return refuse(deps, reply, current, tenant.error)
  if (tenant.kind === 'choose') return reply.redirect(tenantPath(pending), 303)
  if (authorizeRequest.prompt.includes('none') && !(await isTaken(deps, session, tenant.membership))) {
    return refuse(deps, reply, current, wayNotTaken())
  }
  await requireTaken(deps, session, tenant.membership, () => pending)
  const there = await inTenantOf(deps, reply.request, current, tenant.membership)
  entry.applicationId = there.registration.applicationId
  return goOnAs(deps, reply, there, session, tenant.membership)
}

async function goOnAs(
  deps: IdentityDependencies,
  reply: FastifyReply,
  current: CurrentRequest,
  session: Session,
  membership: Membership,
): Promise<FastifyReply> {
  const { browser, pending, authorizeRequest } = current
  const { userId, tenantId, role } = membership
  const isOperator = (await findUser(deps.store.reader, userId))?.isOperator === true
  const person = { role, isOperator }
  const permissions = permissionsFor(
    person,
    deps.settings.catalogue,
    authorizeRequest.resource,
    authorizeRequest.permissions,
  )
  if (permissions.length === 0 && authorizeRequest.permissions.length > 0) return refuse(deps, reply, current, noRole())
  const wanted = { userId, registration: current.registration, tenantId, permissions }
  if (await needsConsent(deps, deps.store.reader, authorizeRequest, wanted)) {
    if (authorizeRequest.prompt.includes('none')) return refuse(deps, reply, current, consentRequired())
    // An answer that another person gave, for another tenant, or that has been withdrawn since, is none.
    const renewed = { ...authorizeRequest, consentAskedOf: { userId, tenantId }, consentGiven: false }
    const waiting = changedPending(deps, browser, pending, { body: withTenant(renewed, membership) })
    return reply.redirect(consentPath(waiting), 303)
  }
  return sendCode(deps, reply, current, { session, membership, isOperator, permissions })
}

/** The consent page says for which tenant. */
function withTenant(authorizeRequest: AuthorizeRequest, { userId, tenantId }: Membership): AuthorizeRequest {
  if (authorizeRequest.tenantId !== undefined && authorizeRequest.tenantChosenBy === undefined) return authorizeRequest
  return { ...authorizeRequest, tenantId, tenantChosenBy: userId }
}

function noRole(): OAuthError {
  return new OAuthError(
    'access_denied',
    'The role of the person in the tenant allows none of the permissions that were requested.',
    { number: errorNumber.noRole },
  )
}

function factorDemanded(): OAuthError {
  return new OAuthError('interaction_required', 'The person has to set up or show a second factor first.', {
    number: errorNumber.interactionRequired,
  })
}

function wayNotTaken(): OAuthError {
  return new OAuthError('interaction_required', 'The person has to sign in by a way that the tenant takes.', {
    number: errorNumber.interactionRequired,
  })
}

function consentRequired(): OAuthError {
  return new OAuthError('consent_required', 'The person, or an administrator, has to consent first.', {
    number: errorNumber.consentRequired,
  })
}
