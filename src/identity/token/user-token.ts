// The tokens that an application gets for a person: the access token (RFC 9068 §2.2), with `openid` an ID token, and
// the answer around them (RFC 6749 §5.1). Whether there is a refresh token was decided where the grant was consumed.

import { randomUUID } from 'node:crypto'
import type { Registration } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import type { GrantRow } from '../../storage/sql/grants/grants.js'
import type { AccessTokenClaims } from '../../tokens/claims.js'
import { signIdToken } from '../../tokens/id-token.js'
import { issueAccessToken } from '../../tokens/issue.js'
import type { Client } from '../client/client-authentication.js'
import type { IdentityDependencies } from '../dependencies.js'
import { userinfoPath } from '../userinfo-path.js'
import { type GrantAuthentication, readAuthentication } from './grants/grant-authentication.js'
import type { GrantEligibility } from './grants/grant-eligibility.js'
import type { TokenResponse } from './issue-token.js'
import type { NarrowedScope } from './narrowed-scope.js'
import { personClaims } from './person-claims.js'

export interface UserTokenRequest {
  registration: Registration
  /** What the client proved itself with: a token does not outlive it. A native client has none. */
  credential: { id: string; endsAt: number }
  grant: GrantRow
  eligibility: GrantEligibility
  narrowed: NarrowedScope
  refreshToken: string | undefined
  /** The change number that the view stood at before anything was looked up. */
  seq: number
  /** The first tokens of the grant: a nonce comes back only then (OpenID Connect Core §12.2). */
  isFirst: boolean
}

type Deps = Pick<IdentityDependencies, 'keyring' | 'settings' | 'now' | 'store'>

/** Signs what the client gets. Throws StoreUnavailable. */
export async function issueUserTokens(deps: Deps, request: UserTokenRequest): Promise<TokenResponse> {
  const { grant, eligibility, narrowed, refreshToken, seq } = request
  const { credential } = request
  const { server, tokens } = deps.settings
  const authentication = readAuthentication(grant.authentication)
  const { authTime, acr, amr } = authentication.session
  const iat = Math.floor(deps.now() / 1000)
  const ends = Math.min(credential.endsAt, eligibility.endsAt ?? credential.endsAt)
  const exp = Math.min(iat + tokens.lifetimeSeconds, Math.floor(ends / 1000))
  const openid = narrowed.openidScopes.filter((word) => word !== 'offline_access')
  const claims: AccessTokenClaims = {
    iss: server.baseUrl,
    // Without a permission it is good for userinfo, and no route takes it (contract §3).
    aud: narrowed.permissions.length > 0 ? grant.resource : server.baseUrl + userinfoPath,
    sub: grant.user_id,
    client_id: request.registration.document?.url ?? grant.application_id,
    iat,
    nbf: iat,
    exp,
    jti: randomUUID(),
    seq,
    tid: grant.tenant_id,
    idtyp: 'user',
    scope: [...narrowed.permissions, ...openid].join(' '),
    gid: grant.id,
    cid: credential.id,
    auth_time: authTime,
    acr,
    amr,
  }
  const accessToken = await issueAccessToken(deps.keyring, claims)
  const idToken = narrowed.openidScopes.includes('openid')
    ? await idTokenFor(deps, request, authentication, { iat, accessToken })
    : undefined
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: exp - iat - 1,
    scope: narrowed.scope,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(idToken === undefined ? {} : { id_token: idToken }),
  }
}

/**
 * Whether an ID token can be signed as the application has registered, checked before anything is consumed. Throws
 * OAuthError `server_error`: the algorithm was configured once and is no more.
 */
export function checkIdTokenKey(
  { keyring }: Pick<Deps, 'keyring'>,
  { idTokenAlg }: Registration,
  { openidScopes }: NarrowedScope,
): void {
  if (!openidScopes.includes('openid')) return
  const keys = keyring.describe().filter(({ purpose, state }) => purpose === 'token' && state === 'active')
  if (keys.some(({ alg }) => alg === idTokenAlg)) return
  throw new OAuthError('server_error', `No key signs ID tokens with ${idTokenAlg} here.`, {
    number: errorNumber.serverError,
  })
}

/** `none` is no key id of ours, so what ends a secret never ends the token of a client that has none by accident. */
export function credentialOf(client: Client): { id: string; endsAt: number } {
  return client.type === 'web' ? client.credential : { id: 'none', endsAt: Number.MAX_SAFE_INTEGER }
}

async function idTokenFor(
  deps: Deps,
  { registration, grant, eligibility, narrowed, isFirst }: UserTokenRequest,
  authentication: GrantAuthentication,
  { iat, accessToken }: { iat: number; accessToken: string },
): Promise<string> {
  const { nonce, session, claims } = authentication
  const wanted = { scopes: narrowed.openidScopes, named: claims?.idToken ?? [] }
  const about = { user: eligibility.user, tenantId: grant.tenant_id, home: registration.tenantId }
  const person = await personClaims(deps.store.reader, about, wanted)
  return signIdToken(
    deps.keyring,
    registration.idTokenAlg,
    {
      ...person,
      iss: deps.settings.server.baseUrl,
      sub: grant.user_id,
      aud: grant.client_identifier,
      iat,
      exp: iat + deps.settings.tokens.lifetimeSeconds,
      auth_time: session.authTime,
      acr: session.acr,
      amr: session.amr,
      tid: grant.tenant_id,
      nonce: isFirst ? nonce : undefined,
    },
    accessToken,
  )
}
