// Userinfo (OpenID Connect Core §5.3, contract §8): who a live user token is about, as long as its scope has `openid`
// and it is for the own API or for userinfo alone: what another API was sent is not to tell that API who the person is.
// The token comes in the Authorization header, by GET or POST; refusals are those of RFC 6750 §3.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DelegatedPrincipal, TokenPrincipal } from '../../access/principal.js'
import { ForgedTooOften } from '../../access/refused-token.js'
import { requestContext } from '../../http/requests/request-context.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { BearerError, OAuthError } from '../../oauth/errors/errors.js'
import { readGrant } from '../../storage/sql/grants/grants.js'
import { findUser } from '../../users/accounts/users.js'
import { keepBodiesAsBytes } from '../../web/form-body.js'
import { refuseOtherMethods } from '../../web/other-methods.js'
import { allowKnownOrigin, allowOrigin, registerPreflight, varyByOrigin } from '../cors.js'
import type { IdentityDependencies } from '../dependencies.js'
import { unavailable } from '../errors.js'
import { chargeAddress, chargeUser, throttled } from '../limits.js'
import { readAuthentication } from '../token/grants/grant-authentication.js'
import { type PersonClaims, personClaims } from '../token/person-claims.js'
import { userinfoPath } from '../userinfo-path.js'
import { checkViewIsFresh } from '../view-freshness.js'

const routeId = 'userinfo'

/** Registers the endpoint on a scope of its own. */
export function registerUserinfo(scope: FastifyInstance, deps: IdentityDependencies): void {
  keepBodiesAsBytes(scope)
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    requestContext(request).entry.route = routeId
    varyByOrigin(reply)
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache').header('x-content-type-options', 'nosniff')
    await chargeAddress(deps, request, reply)
  }
  const bodyLimit = deps.settings.server.tokenBodyBytes
  const handler = async (request: FastifyRequest, reply: FastifyReply) =>
    reply
      .header('content-type', 'application/json')
      .send(Buffer.from(JSON.stringify(await answer(deps, request, reply))))
  // What a POST carries is not read: a token in a body ends up in places where bodies are kept (RFC 6750 §2.2).
  scope.route({ method: ['GET', 'POST'], url: userinfoPath, bodyLimit, onRequest, handler })
  registerPreflight(scope, deps, { path: userinfoPath, routeId, methods: 'GET, POST' })
  refuseOtherMethods(scope, userinfoPath, routeId, ['GET', 'HEAD', 'POST', 'OPTIONS'])
}

async function answer(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ sub: string } & PersonClaims> {
  checkViewIsFresh(deps.view)
  const caller = await authenticate(deps, request).catch(async (error: unknown) => {
    await allowKnownOrigin(deps, request, reply)
    throw error
  })
  const { applicationId, tenantId, userId } = caller
  requestContext(request).entry.applicationId = applicationId
  const registration = await deps.directory.findRegistration(applicationId)
  if (registration === undefined)
    throw refused(401, 'invalid_token', 'The access token is not valid.', 'no_application')
  allowOrigin(registration, request, reply)
  // The token proves both: nothing was charged for its client before.
  await chargeUser(deps, { registration, userId, tenantId, isProved: false }, { request, reply })
  checkOpenid(caller)
  const { reader } = deps.store
  const [user, grant] = await Promise.all([findUser(reader, userId), readGrant(reader, caller.grantId)])
  if (user?.state !== 'enabled' || grant?.state !== 'active') {
    throw refused(401, 'invalid_token', 'The access token is no longer valid.', 'grant_ended')
  }
  const named = readAuthentication(grant.authentication).claims?.userinfo ?? []
  const claims = await personClaims(
    reader,
    { user, tenantId, home: registration.tenantId },
    { scopes: [...caller.permissions], named },
  )
  return { sub: userId, ...claims }
}

/** The bearer of the token. Throws OAuthError 401, 403, 400, 503. */
async function authenticate(deps: IdentityDependencies, request: FastifyRequest): Promise<DelegatedPrincipal> {
  const first = tryToken(deps, request)
  if (!(first instanceof BearerError)) return asUser(deps, first)
  const again = await lookAgain(deps, request, first)
  if (again instanceof BearerError) throw challenge(again)
  return asUser(deps, again)
}

async function lookAgain(deps: IdentityDependencies, request: FastifyRequest, first: BearerError) {
  try {
    return (await deps.authenticator.revalidate(first)) === true ? tryToken(deps, request) : first
  } catch (error) {
    throw unavailable('The service cannot tell now whether it signed this token.', error)
  }
}

function tryToken({ authenticator }: IdentityDependencies, request: FastifyRequest): TokenPrincipal | BearerError {
  const facts = requestContext(request)
  const { target } = facts
  try {
    const query = target.ok ? target.query : undefined
    return authenticator.authenticate(request.raw.rawHeaders, query, undefined, { raw: request.raw, facts })
  } catch (error) {
    if (error instanceof ForgedTooOften) throw throttled(error.retryAfterSeconds)
    if (error instanceof BearerError) return error
    throw error
  }
}

function asUser({ settings }: IdentityDependencies, caller: TokenPrincipal): DelegatedPrincipal {
  const own = settings.catalogue.own.id
  if (caller.resource !== own && caller.resource !== settings.server.baseUrl + userinfoPath) {
    const instead = `Use a refresh token with resource=${own} and scope=openid to get one for userinfo.`
    throw refused(401, 'invalid_token', `The access token is for another API. ${instead}`, 'wrong_audience')
  }
  if (caller.kind === 'delegated') return caller
  throw refused(403, 'insufficient_scope', 'The access token is not one of a user.', 'not_a_user')
}

function checkOpenid(caller: DelegatedPrincipal): void {
  if (caller.permissions.has('openid')) return
  throw refused(403, 'insufficient_scope', 'The scope of the access token does not have openid.', 'insufficient_scope')
}

/** RFC 6750 §3.1: who sent no token is told which kind is wanted, and no error. */
function challenge(error: BearerError): OAuthError {
  if (error.code === 'invalid_request') return refused(400, 'invalid_request', error.message, error.reason)
  return refused(401, 'invalid_token', error.message, error.reason, error.code === 'no_token')
}

function refused(
  status: number,
  code: 'invalid_request' | 'invalid_token' | 'insufficient_scope',
  description: string,
  reason: string,
  isBare = false,
): OAuthError {
  const scope = code === 'insufficient_scope' ? ', scope="openid"' : ''
  const details = isBare ? '' : `, error="${code}", error_description="${description}"${scope}`
  return new OAuthError(code, description, {
    number: errorNumber.invalidAccessToken,
    status,
    headers: [['www-authenticate', `Bearer realm="portcullis"${details}`]],
    cause: reason,
  })
}
