// The code: one transaction that ends the request, looks once more whether person, membership and consent still stand,
// and writes the grant, its code and what the ledger says of it. Two tabs, a doubled click or a replayed address get
// one code between them; the second attempt gets a page.

import type { FastifyReply } from 'fastify'
import { appendAudit } from '../../ledger/append-audit.js'
import { codeFields } from '../../oauth/requests/authorization-response.js'
import type { Statements } from '../../storage/sql/store.js'
import { findUser } from '../../users/accounts/users.js'
import { findMembership } from '../../users/memberships/memberships.js'
import type { Membership, Session } from '../../users/records.js'
import { isSignedIn } from '../../users/sessions/signed-in.js'
import { originOf } from '../../web/origin.js'
import { requestGone } from '../../web/request-gone.js'
import { countFinished } from '../client/single-use.js'
import { isConsentGiven, needsConsent } from '../consent/authorization-consent.js'
import { requireRoomForGrant } from '../consent/room-for-grant.js'
import type { IdentityDependencies } from '../dependencies.js'
import { resumePath } from '../pending/paths.js'
import { takePending } from '../pending/pending-request.js'
import { isStillTaken } from '../sign-in/ways/required-way.js'
import { createCode, createGrant } from '../token/grants/new-grant.js'
import type { CurrentRequest } from './current-request.js'
import { sendAnswer } from './respond.js'

/** Who allowed it, and what. */
export interface Allowed {
  session: Session
  membership: Membership
  isOperator: boolean
  /** Plain ids. */
  permissions: readonly string[]
}

/** Something of what was decided on has changed: nothing was written, and the request is decided anew. */
class Overtaken extends Error {}

/**
 * Ends the request with a code for the client. Throws PageError when it had ended already, OAuthError 503,
 * StoreUnavailable.
 */
export async function sendCode(
  deps: IdentityDependencies,
  reply: FastifyReply,
  current: CurrentRequest,
  allowed: Allowed,
): Promise<FastifyReply> {
  await countFinished(deps, allowed.session.userId)
  const code = await makeCode(deps, reply, current, allowed)
  if (code === 'gone') throw requestGone({ isNew: false })
  if (code === 'overtaken') return reply.redirect(resumePath(current.pending), 303)
  deps.usage.code(current.registration.applicationId, current.authorizeRequest.codeChallenge !== undefined)
  const fields = codeFields({ code, state: current.to.state, issuer: deps.settings.server.baseUrl })
  return sendAnswer(reply, current.to, fields)
}

async function makeCode(
  deps: IdentityDependencies,
  reply: FastifyReply,
  current: CurrentRequest,
  allowed: Allowed,
): Promise<string | 'gone' | 'overtaken'> {
  try {
    const { result } = await deps.feed.commit(async (tx) => {
      if (!(await takePending(tx, current.pending))) return 'gone'
      await checkStill(deps, tx, current, allowed)
      return writeGrant(deps, tx, reply, current, allowed)
    })
    return result
  } catch (error) {
    if (error instanceof Overtaken) return 'overtaken'
    throw error
  }
}

/** The same questions as before, put where nobody can change the answers meanwhile. */
async function checkStill(
  deps: IdentityDependencies,
  tx: Statements,
  { authorizeRequest, registration }: CurrentRequest,
  { session, membership, isOperator, permissions }: Allowed,
): Promise<void> {
  const { userId, tenantId, role } = membership
  // Signing out everywhere ends the grants that there are: none may begin behind it.
  if (!(await isSignedIn(tx, userId, session))) throw new Overtaken()
  const [user, still] = [await findUser(tx, userId), await findMembership(tx, userId, tenantId)]
  if (user?.isOperator !== isOperator || still?.role !== role) throw new Overtaken()
  if (!(await isStillTaken(deps, tx, session, still))) throw new Overtaken()
  const wanted = { userId, registration, tenantId, permissions }
  if (await needsConsent(deps, tx, authorizeRequest, wanted)) throw new Overtaken()
}

async function writeGrant(
  deps: IdentityDependencies,
  tx: Statements,
  reply: FastifyReply,
  { authorizeRequest, registration, to }: CurrentRequest,
  { session, membership, permissions }: Allowed,
): Promise<string> {
  const { userId, tenantId } = membership
  const { applicationId } = registration
  const { resource, openidScopes, nonce, claims, codeChallenge } = authorizeRequest
  await requireRoomForGrant(deps, tx, userId)
  const endsAt = isConsentGiven(authorizeRequest, membership) ? authorizeRequest.consentEndsAt : undefined
  const grantId = await createGrant(deps, tx, {
    origin: 'code',
    userId,
    applicationId,
    tenantId,
    resource,
    permissions,
    openidScopes,
    endsAt,
    nonce,
    session,
    claims: claims === undefined ? undefined : { idToken: claims.idToken, userinfo: claims.userinfo },
  })
  const code = await createCode(deps, tx, grantId, { applicationId, redirectUri: to.redirectUri, codeChallenge })
  const origin = originOf(reply.request, { kind: 'user', userId })
  await appendAudit({ ledger: deps.ledger, ...origin }, tx, {
    event: 'grant.created',
    tenantId,
    applicationId,
    userId,
    details: {
      grant: grantId,
      resource,
      permissions,
      openidScopes,
      ...(endsAt === undefined ? {} : { endsAt }),
    },
  })
  return code
}
