// From a client that may act as itself to a signed token: tenant, permissions, claims (RFC 9068 §2.2, contract §3),
// answer. Nothing is stored; what can end the token is in its claims.

import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import type { Registration } from '../../directory/records.js'
import { readScopeRequest, responseScope, type ScopeRequest } from '../../oauth/requests/scope-request.js'
import type { AccessTokenClaims } from '../../tokens/claims.js'
import { issueAccessToken } from '../../tokens/issue.js'
import type { IssuingDependencies } from '../dependencies.js'
import { type GrantedPermissions, grantedPermissions } from './granted-permissions.js'
import { requireInstallation } from './installation.js'

/** RFC 6749 §5.1. `expires_in` in seconds; `scope` only where it differs from what was requested. */
export const TokenResponse = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  scope: Type.Optional(Type.String()),
  refresh_token: Type.Optional(Type.String()),
  id_token: Type.Optional(Type.String()),
})
export type TokenResponse = Static<typeof TokenResponse>

export interface ApplicationTokenRequest {
  registration: Registration
  /** What the client proved itself with; a token does not outlive it. `endsAt` is epoch ms. */
  credential: { id: string; endsAt: number }
  /** The entries of the scope list. */
  scope: readonly string[]
  resources: readonly string[]
  /** Lower-case GUID; undefined is the home tenant. */
  requestedTenant: string | undefined
  /** The change number that the view stood at before anything was looked up. */
  seq: number
}

/** What a token of this application would be for, at this moment. Throws OAuthError, StoreUnavailable. */
export async function applicationTokenContent(
  { directory, settings }: Pick<IssuingDependencies, 'directory' | 'settings'>,
  request: Pick<ApplicationTokenRequest, 'registration' | 'scope' | 'resources' | 'requestedTenant'>,
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

/** Issues a token for an application acting as itself. Throws OAuthError, StoreUnavailable. */
export async function issueApplicationToken(
  deps: IssuingDependencies,
  request: ApplicationTokenRequest,
): Promise<TokenResponse> {
  const { registration, credential, seq } = request
  const { server, tokens } = deps.settings
  const { scopeRequest, tenantId, resource, permissions } = await applicationTokenContent(deps, request)
  const iat = Math.floor(deps.now() / 1000)
  const exp = Math.min(iat + tokens.lifetimeSeconds, Math.floor(credential.endsAt / 1000))
  const { applicationId } = registration
  const claims: AccessTokenClaims = {
    iss: server.baseUrl,
    aud: resource,
    sub: applicationId,
    client_id: applicationId,
    iat,
    nbf: iat,
    exp,
    jti: randomUUID(),
    seq,
    tid: tenantId,
    idtyp: 'app',
    scope: permissions.join(' '),
    roles: permissions,
    cid: credential.id,
  }
  const scope = responseScope(request.scope, scopeRequest, permissions)
  return {
    access_token: await issueAccessToken(deps.keyring, claims),
    token_type: 'Bearer',
    // One second less than the token has: a client that counts from the answer's arrival stays inside.
    expires_in: exp - iat - 1,
    ...(scope === undefined ? {} : { scope }),
  }
}
