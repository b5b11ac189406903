// From a client that may act as itself to a signed token: tenant, permissions, claims (RFC 9068 §2.2, contract §3),
// answer. Nothing is stored; what can end the token is in its claims.

import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import type { Registration } from '../../directory/records.js'
import { readScopeRequest, responseScope, type ScopeRequest } from '../../oauth/requests/scope-request.js'
import type { AccessTokenClaims } from '../../tokens/claims.js'
import { issueWrittenToken, type OwnClaims } from '../../tokens/issue.js'
import { type WrittenClaims, writeClaims } from '../../tokens/sign-jws.js'
import type { IssuingDependencies } from '../dependencies.js'
import { type GrantedPermissions, grantedPermissions } from './granted-permissions.js'
import { requireInstallation } from './installation.js'

/** RFC 6749 §5.1. `expires_in` in seconds; `scope` only where it differs from what was requested. */
export const TokenResponse = Type.Object({
  access_token: Type.String(),
  /** RFC 8693 §2.2.1: of an exchange only. */
  issued_token_type: Type.Optional(Type.String()),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  scope: Type.Optional(Type.String()),
  refresh_token: Type.Optional(Type.String()),
  id_token: Type.Optional(Type.String()),
})
export type TokenResponse = Static<typeof TokenResponse>

/** What a token is requested for. */
export interface RequestedContent {
  registration: Registration
  /** The entries of the scope list. */
  scope: readonly string[]
  resources: readonly string[]
  /** Lower-case GUID; undefined is the home tenant. */
  requestedTenant: string | undefined
}

/** What one token has of its own. */
export interface TokenOccasion {
  /** What the client proved itself with; a token does not outlive it. `endsAt` is epoch ms. */
  credential: { id: string; endsAt: number }
  /** The change number that the view stood at before anything was looked up. */
  seq: number
}

/** A token that could be issued, but for what is each token's own. */
export interface ApplicationToken {
  claims: WrittenClaims
  /** The answer's `scope`; undefined: it has none. */
  scope: string | undefined
}

/** What a token of this application would be for, at this moment. Throws OAuthError, StoreUnavailable. */
export async function applicationTokenContent(
  { directory, settings }: Pick<IssuingDependencies, 'directory' | 'settings'>,
  request: RequestedContent,
): Promise<GrantedPermissions & { scopeRequest: ScopeRequest; tenantId: string }> {
  const { registration } = request
  const { catalogue, server } = settings
  const scopeRequest = readScopeRequest(request.scope, (id) => catalogue.resourcesOf(id).length > 0)
  const installation = await requireInstallation(directory, registration, request.requestedTenant)
  const context = { catalogue, baseUrl: server.baseUrl, registration, installation }
  return {
    scopeRequest,
    tenantId: installation.tenantId,
    ...grantedPermissions(context, scopeRequest, request.resources),
  }
}

/** Decides on all that tokens for one purpose have in common. Throws OAuthError, StoreUnavailable. */
export async function applicationToken(
  deps: Pick<IssuingDependencies, 'directory' | 'settings'>,
  request: RequestedContent,
): Promise<ApplicationToken> {
  const { scopeRequest, tenantId, resource, permissions } = await applicationTokenContent(deps, request)
  const { applicationId } = request.registration
  const claims: Omit<AccessTokenClaims, keyof OwnClaims> = {
    iss: deps.settings.server.baseUrl,
    aud: resource,
    sub: applicationId,
    client_id: applicationId,
    tid: tenantId,
    idtyp: 'app',
    scope: permissions.join(' '),
    roles: permissions,
  }
  return { claims: writeClaims(claims), scope: responseScope(request.scope, scopeRequest, permissions) }
}

/** Signs it, at once where the algorithm allows that. */
export function signApplicationToken(
  { keyring, now, settings }: Pick<IssuingDependencies, 'keyring' | 'now' | 'settings'>,
  { claims, scope }: ApplicationToken,
  { credential, seq }: TokenOccasion,
): TokenResponse | Promise<TokenResponse> {
  const iat = Math.floor(now() / 1000)
  const exp = Math.min(iat + settings.tokens.lifetimeSeconds, Math.floor(credential.endsAt / 1000))
  const own: OwnClaims = { cid: credential.id, iat, nbf: iat, exp, jti: randomUUID(), seq }
  const signed = issueWrittenToken(keyring, claims, own)
  const answer = (token: string): TokenResponse => ({
    access_token: token,
    token_type: 'Bearer',
    // One second less than the token has: a client that counts from the answer's arrival stays inside.
    expires_in: exp - iat - 1,
    ...(scope === undefined ? {} : { scope }),
  })
  return typeof signed === 'string' ? answer(signed) : signed.then(answer)
}
