// The first tokens of a grant, whether a code or a device code brought them: what still stands, what of it the request
// asks for, the one atomic step in which the code is consumed and the first refresh token begins, and then the
// signatures.

import { appendAudit } from '../../../ledger/append-audit.js'
import { createOpaqueToken, hashOpaqueToken } from '../../../oauth/secrets/opaque-token.js'
import { type GrantRow, readGrant, updateGrant } from '../../../storage/sql/grants/grants.js'
import { insertRefreshToken } from '../../../storage/sql/grants/refresh-tokens.js'
import type { Statements } from '../../../storage/sql/store.js'
import { originOf } from '../../../web/origin.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { chargeUser } from '../../limits.js'
import { familyKeys, withFamily } from '../../refresh-family.js'
import type { TokenResponse } from '../issue-token.js'
import { narrowedScope } from '../narrowed-scope.js'
import { checkSameTenant } from '../requested-tenant.js'
import { checkIdTokenKey, credentialOf, issueUserTokens } from '../user-token.js'
import type { TokenRequest } from './grant.js'
import { eligibilityOf, factsOf, words } from './grant-eligibility.js'
import { grantEnded } from './invalid-grant.js'

/**
 * Redeems a grant of the asking client. `consume` marks the code as used inside the transaction, and says whether this
 * was the first time; it may run twice. Undefined when it was not the first: the caller says what that means. Throws
 * OAuthError.
 */
export async function redeemGrant(
  deps: IdentityDependencies,
  tokenRequest: TokenRequest,
  grant: GrantRow,
  consume: (tx: Statements) => Promise<boolean>,
): Promise<TokenResponse | undefined> {
  const { registration, type } = tokenRequest.client
  checkSameTenant(tokenRequest.parameters, grant.tenant_id)
  const eligibility = await eligibilityOf(deps, registration, factsOf(grant))
  const person = { userId: grant.user_id, tenantId: grant.tenant_id }
  await chargeUser(deps, { registration, ...person, isProved: type === 'web' }, tokenRequest)
  const granted = words(grant.permissions)
  const narrowed = narrowedScope(deps, { resource: grant.resource, granted, eligibility }, tokenRequest.parameters)
  checkIdTokenKey(deps, registration, narrowed)
  const refreshToken = eligibility.openidScopes.includes('offline_access')
    ? firstRefreshToken(deps, grant.id)
    : undefined
  const { endsAt } = eligibility
  const started = await begin(deps, tokenRequest, { grantId: grant.id, refreshToken, endsAt, consume })
  if (started === undefined) return undefined
  return issueUserTokens(deps, {
    registration,
    credential: credentialOf(tokenRequest.client),
    grant: started,
    eligibility,
    narrowed,
    refreshToken,
    seq: tokenRequest.seq,
    isFirst: true,
  })
}

function firstRefreshToken(deps: IdentityDependencies, grantId: string): string {
  return withFamily(familyKeys(deps), createOpaqueToken('pcl_rt_'), { grantId, sequence: 0 })
}

/** The grant as it is from now on; undefined when its code was used already. Throws OAuthError when it has ended. */
async function begin(
  deps: IdentityDependencies,
  { client, request }: TokenRequest,
  redeemed: {
    grantId: string
    refreshToken: string | undefined
    endsAt: number | undefined
    consume: (tx: Statements) => Promise<boolean>
  },
): Promise<GrantRow | undefined> {
  const { grantId, refreshToken, endsAt = Number.MAX_SAFE_INTEGER, consume } = redeemed
  const { tokens } = deps.settings
  const createdAt = deps.now()
  const lifetimes = {
    idle_expires_at: Math.min(createdAt + tokens.refreshIdleMs, endsAt),
    expires_at: Math.min(createdAt + tokens.refreshMs, endsAt),
  }
  const { applicationId } = client.registration
  const origin = originOf(request, { kind: 'application', applicationId })
  return deps.store.transaction(async (tx) => {
    // A change that ends the grant at this moment comes before or after, never in between.
    const grant = await readGrant(tx, grantId, 'lock')
    if (grant?.state !== 'active') throw grantEnded()
    if (!(await consume(tx))) return undefined
    const change = { client_identifier: client.identifier, ...(refreshToken === undefined ? {} : lifetimes) }
    await updateGrant(tx, grantId, change)
    if (refreshToken !== undefined) {
      await insertRefreshToken(tx, { hash: hashOpaqueToken(refreshToken), grantId, sequence: 0, createdAt })
    }
    // What was allowed is told where it was allowed; here, that the application has come for it, and from where.
    const about = { applicationId, tenantId: grant.tenant_id, userId: grant.user_id }
    await appendAudit({ ledger: deps.ledger, ...origin }, tx, {
      event: 'grant.redeemed',
      ...about,
      details: { grant: grantId },
    })
    return { ...grant, ...change }
  }, 'first-lock')
}
