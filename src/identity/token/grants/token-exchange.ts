// grant_type=urn:ietf:params:oauth:grant-type:token-exchange (RFC 8693): an application that serves an API behind the
// gate calls another one on behalf of its caller's person. It gets less than each of them may, for a time that ends with
// the call's own token, and never a refresh token (decision 154).

import { randomUUID } from 'node:crypto'
import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../../oauth/errors/errors.js'
import { invalidParameter } from '../../../oauth/errors/invalid-parameter.js'
import type { RequestParameters } from '../../../oauth/requests/parameters.js'
import { readGrant } from '../../../storage/sql/grants/grants.js'
import type { AccessTokenClaims } from '../../../tokens/claims.js'
import { actorOf } from '../../../tokens/delegation.js'
import { issueAccessToken } from '../../../tokens/issue.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { chargeUser } from '../../limits.js'
import { type ExchangedPermissions, exchangedPermissions } from '../exchange/exchanged-permissions.js'
import { recordExchange } from '../exchange/record-exchange.js'
import { refusedSubject, subjectExpired } from '../exchange/refusals.js'
import { servedBy } from '../exchange/served-resources.js'
import { accessTokenType, readSubject, type Subject } from '../exchange/subject.js'
import type { TokenResponse } from '../issue-token.js'
import { checkSameTenant } from '../requested-tenant.js'
import type { TokenRequest } from './grant.js'
import { type GrantAuthentication, readAuthentication } from './grant-authentication.js'

/** Less than this many seconds are no use to anybody. */
const shortestLifeSeconds = 2

/** Exchanges a token. Throws OAuthError, StoreUnavailable. */
export async function grantTokenExchange(
  deps: IdentityDependencies,
  tokenRequest: TokenRequest,
): Promise<TokenResponse> {
  const { client, parameters, seq } = tokenRequest
  const { registration } = client
  if (client.type !== 'web' || servedBy(deps.settings, registration.applicationId).size === 0) throw mayNotExchange()
  checkRequestedType(parameters)
  const subject = await readSubject(deps, registration, parameters)
  const { userId, tenantId } = subject
  checkSameTenant(parameters, tenantId)
  await chargeUser(deps, { registration, userId, tenantId, isProved: true }, tokenRequest)
  const { session } = await livingGrant(deps, subject)
  const decide = () => exchangedPermissions(deps, { registration, subject, acr: session.acr }, parameters)
  const { applicationId } = registration
  let granted = await decide()
  // Who withdraws from now on finds the record and ends what was exchanged; what was withdrawn before it is seen now.
  if (await recordExchange(deps, { applicationId, subject, granted }, tokenRequest.request)) granted = await decide()
  const iat = Math.floor(deps.now() / 1000)
  // What a person allowed with an end is over for what is exchanged by it, too.
  const ends = Math.min(client.credential.endsAt, granted.endsAt ?? client.credential.endsAt)
  const lifeEnd = Math.min(iat + deps.settings.tokens.lifetimeSeconds, Math.floor(ends / 1000))
  const exp = Math.min(lifeEnd, subject.expiresAt)
  if (exp - iat < shortestLifeSeconds) throw subjectExpired()
  const times = { iat, nbf: iat, exp, seq, cid: client.credential.id }
  const claims = claimsOf(deps, { applicationId, subject, session, granted })
  return {
    access_token: await issueAccessToken(deps.keyring, { ...claims, ...times, jti: randomUUID() }),
    issued_token_type: accessTokenType,
    token_type: 'Bearer',
    expires_in: exp - iat - 1,
    scope: granted.scope,
  }
}

function checkRequestedType(parameters: RequestParameters): void {
  if ((parameters.get('requested_token_type') ?? accessTokenType) === accessTokenType) return
  throw invalidParameter(`requested_token_type must be ${accessTokenType}, or left out.`)
}

/** The Store may know more of it than this instance has heard. */
async function livingGrant(
  { store }: Pick<IdentityDependencies, 'store'>,
  { grantId, userId, tenantId }: Subject,
): Promise<GrantAuthentication> {
  const grant = await readGrant(store.reader, grantId)
  if (grant?.state === 'active' && grant.user_id === userId && grant.tenant_id === tenantId) {
    return readAuthentication(grant.authentication)
  }
  const description = 'The subject token is no longer valid: what the person allowed has ended.'
  throw refusedSubject(description, errorNumber.subjectRevoked, 'grant_ended')
}

/** All but what is the token's own. The grant stays the person's: it ends what hangs on it. */
function claimsOf(
  { settings }: Pick<IdentityDependencies, 'settings'>,
  from: {
    applicationId: string
    subject: Subject
    session: GrantAuthentication['session']
    granted: ExchangedPermissions
  },
): Omit<AccessTokenClaims, 'iat' | 'nbf' | 'exp' | 'seq' | 'cid' | 'jti'> {
  const { applicationId, subject, session, granted } = from
  const { authTime, acr, amr } = session
  return {
    iss: settings.server.baseUrl,
    aud: granted.resource,
    sub: subject.userId,
    client_id: applicationId,
    tid: subject.tenantId,
    idtyp: 'user',
    scope: granted.permissions.join(' '),
    gid: subject.grantId,
    auth_time: authTime,
    acr,
    amr,
    act: actorOf(applicationId, subject.via),
    via: subject.via,
  }
}

function mayNotExchange(): OAuthError {
  const description = 'This application serves no API whose tokens it may exchange. The operator names it there.'
  return new OAuthError('unauthorized_client', description, { number: errorNumber.mayNotExchange })
}
