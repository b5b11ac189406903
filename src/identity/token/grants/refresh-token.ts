// grant_type=refresh_token (RFC 6749 §6, RFC 9700 §4.14, contract §3): the same client, for the same tenant, gets a new
// access token and the next refresh token, for what its grant is still good for.

import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import type { OAuthError } from '../../../oauth/errors/errors.js'
import { requireParameter } from '../../../oauth/requests/parameters.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { chargeUser } from '../../limits.js'
import { familyKeys, findRefreshToken } from '../../refresh-family.js'
import type { TokenResponse } from '../issue-token.js'
import { narrowedScope } from '../narrowed-scope.js'
import { checkSameTenant } from '../requested-tenant.js'
import { checkIdTokenKey, credentialOf, issueUserTokens } from '../user-token.js'
import { endReusedGrant } from './ended-by-reuse.js'
import type { TokenRequest } from './grant.js'
import { consentLost, eligibilityOf, factsOf, words } from './grant-eligibility.js'
import { grantEnded, invalidGrant, notThisClients } from './invalid-grant.js'
import { exchangeRefreshToken, type RefreshStatus, refreshStatus } from './refresh-successor.js'

/** Exchanges a refresh token. Throws OAuthError, StoreUnavailable. */
export async function grantRefreshToken(
  deps: IdentityDependencies,
  tokenRequest: TokenRequest,
): Promise<TokenResponse> {
  const { client, parameters } = tokenRequest
  const { registration } = client
  const { refreshGraceMs: graceMs, refreshIdleMs: idleMs } = deps.settings.tokens
  const token = requireParameter(parameters, 'refresh_token')
  const found = await findRefreshToken(deps, token)
  if (found === undefined) throw notThisClients('refresh_token_unknown')
  const { grant, token: row } = found
  if (grant.application_id !== registration.applicationId) throw notThisClients('refresh_token_of_another')
  const times = { nowMs: deps.now(), graceMs, idleMs }
  // Before anything else can refuse it: an old token that comes back is told as such whatever else is wrong.
  await checkStatus(deps, tokenRequest, grant.id, refreshStatus(grant, row, times))
  checkSameTenant(parameters, grant.tenant_id)
  const eligibility = await eligibilityOf(deps, registration, factsOf(grant))
  if (!eligibility.openidScopes.includes('offline_access')) throw consentLost()
  const person = { userId: grant.user_id, tenantId: grant.tenant_id }
  await chargeUser(deps, { registration, ...person, isProved: client.type === 'web' }, tokenRequest)
  const granted = words(grant.permissions)
  const narrowed = narrowedScope(deps, { resource: grant.resource, granted, eligibility }, parameters)
  checkIdTokenKey(deps, registration, narrowed)
  const keys = { successor: deps.derive('refresh-successor'), family: familyKeys(deps) }
  const exchanged = await exchangeRefreshToken(deps.store, keys, { token, grantId: grant.id }, times)
  if ('status' in exchanged) throw await refusal(deps, tokenRequest, grant.id, exchanged.status)
  return issueUserTokens(deps, {
    registration,
    credential: credentialOf(client),
    grant: exchanged.grant,
    eligibility,
    narrowed,
    refreshToken: exchanged.successor,
    seq: tokenRequest.seq,
    isFirst: false,
  })
}

async function checkStatus(
  deps: IdentityDependencies,
  tokenRequest: TokenRequest,
  grantId: string,
  status: RefreshStatus,
): Promise<void> {
  if (status !== 'first' && status !== 'repeated') throw await refusal(deps, tokenRequest, grantId, status)
}

async function refusal(
  deps: IdentityDependencies,
  tokenRequest: TokenRequest,
  grantId: string,
  status: 'reused' | 'expired' | 'ended',
): Promise<OAuthError> {
  if (status === 'ended') return grantEnded()
  if (status === 'expired') return invalidGrant('The refresh token has expired.', errorNumber.refreshExpired)
  await endReusedGrant(deps, tokenRequest, grantId, 'refresh-token')
  const description = 'The refresh token was used already. All tokens of the grant have been revoked.'
  return invalidGrant(description, errorNumber.refreshReused)
}
