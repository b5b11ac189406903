// Assertions that prove a client at our endpoints (OpenID Connect Core §9, RFC 7523): of its own key (private_key_jwt),
// which come once only, whichever instance sees them first; or of an outside issuer that it trusts (decision 0061).

import type { FederatedCredential, Registration } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import { clientKeyCredential } from '../../oauth/secrets/client-key-credential.js'
import { assertedClient, verifyClientAssertion } from '../../tokens/client-assertion.js'
import { assertedTrust, verifyFederatedAssertion } from '../../tokens/external/federated-assertion.js'
import type { IdentityDependencies } from '../dependencies.js'
import { unavailable } from '../errors.js'
import { useOnce } from './single-use.js'

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const tokenPaths = ['/api/v2/oauth2/v2.0/token', '/api/v2/oauth/token']

const unending = Number.MAX_SAFE_INTEGER

/** What a token says that a client got it with; what it may be used until does not depend on a key. */
export interface ClientCredential {
  /**
   * A secret's key id, a federated credential's id, or that of a client's own key
   * (oauth/secrets/client-key-credential.ts).
   */
  id: string
  /** Epoch milliseconds. */
  endsAt: number
}

/**
 * The assertion of a request and the client that it claims to be of; undefined when there is none. Throws OAuthError
 * `invalid_request` for an assertion of another type, or half of the pair.
 */
export function readClientAssertion(
  parameters: RequestParameters,
): { assertion: string; clientId: string | undefined } | undefined {
  const [assertion, type] = [parameters.get('client_assertion'), parameters.get('client_assertion_type')]
  if (assertion === undefined && type === undefined) return undefined
  if (assertion === undefined || type !== assertionType) {
    throw new OAuthError('invalid_request', 'client_assertion and its client_assertion_type belong together.', {
      number: errorNumber.invalidParameter,
    })
  }
  return { assertion, clientId: parameters.get('client_id') ?? assertedClient(assertion) }
}

/**
 * Whether the assertion proves the client; the reason why not is for the log alone. Throws when nobody can tell now,
 * which is no failure of the client: StoreUnavailable, and OAuthError 503.
 */
export async function checkClientAssertion(
  deps: Pick<IdentityDependencies, 'counters' | 'issuerKeys' | 'monotonic' | 'now' | 'settings' | 'store'>,
  registration: Registration,
  assertion: string,
): Promise<{ credential: ClientCredential } | { reason: string }> {
  const trusted = registration.federated.length === 0 ? undefined : findTrusted(registration, assertion)
  if (trusted !== undefined) return checkFederated(deps, { trust: trusted, tenantId: registration.tenantId }, assertion)
  const { applicationId, publicKey, jwks, document } = registration
  if (registration.authMethod !== 'private_key_jwt' || jwks === undefined) return { reason: 'assertion_not_registered' }
  const nowMs = deps.now()
  const verified = await verifyClientAssertion(assertion, {
    jwks,
    identifiers: document === undefined ? [applicationId, publicKey] : [document.url],
    isAudience: (audience) => isAudience(audience, deps.settings.server.baseUrl),
    nowMs,
  })
  if ('reason' in verified) return verified
  const { jti, kid, usableUntilMs } = verified
  // A client that nobody registered is another application in each tenant, and its assertion is for all of them one.
  const subject = document?.url ?? applicationId
  const use = { purpose: 'client-assertion', subject, id: jti, expiresAt: usableUntilMs } as const
  if (!(await useOnce(deps, use))) return { reason: 'assertion_replayed' }
  return { credential: { id: clientKeyCredential(applicationId, kid), endsAt: unending } }
}

/**
 * The credential whose issuer, subject and audience the assertion claims; only then is a key of that issuer looked for.
 */
function findTrusted({ federated }: Registration, assertion: string): FederatedCredential | undefined {
  const claimed = assertedTrust(assertion)
  if (claimed === undefined) return undefined
  const { issuer, subject, audience } = claimed
  return federated.find((one) => one.issuer === issuer && one.subject === subject && one.audience === audience)
}

/**
 * A token of a platform proves the client once, as its own assertions do: a finder of one in a log or a crash report
 * has one that is used up. Of issuers whose tokens are files that a workload reads again, the operator says so.
 */
async function checkFederated(
  deps: Pick<IdentityDependencies, 'counters' | 'issuerKeys' | 'monotonic' | 'now' | 'settings' | 'store'>,
  { trust, tenantId }: { trust: FederatedCredential; tenantId: string },
  assertion: string,
): Promise<{ credential: ClientCredential } | { reason: string }> {
  const { issuerKeys, now, settings } = deps
  const verified = await verifyFederatedAssertion(assertion, {
    trust,
    jwks: trust.jwks,
    nowMs: now(),
    findKey: (kid) => issuerKeys.find(trust.issuer, kid, tenantId),
  })
  if ('reason' in verified) {
    if (verified.reason !== 'federated_issuer_away') return verified
    throw unavailable('The issuer of the assertion cannot be reached now.', verified.reason)
  }
  if (!settings.federation.reuse.includes(trust.issuer)) {
    const { id, usableUntilMs: expiresAt } = verified
    const use = { purpose: 'federated-assertion', subject: trust.id, id, expiresAt } as const
    if (!(await useOnce(deps, use))) return { reason: 'federated_replayed' }
  }
  return { credential: { id: trust.id, endsAt: unending } }
}

/** The issuer, or the token endpoint in either spelling; the second one in any letter case (contract §1). */
function isAudience(audience: string, baseUrl: string): boolean {
  if (audience === baseUrl) return true
  const [canonical, alias] = tokenPaths
  if (audience === baseUrl + canonical) return true
  return audience.startsWith(`${baseUrl}/`) && audience.slice(baseUrl.length).toLowerCase() === alias
}
