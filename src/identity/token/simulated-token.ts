// What a token would contain if this application requested one now: the same decisions as at the token endpoint, in the
// same order, on the same records, and nothing is signed, counted or written.

import { randomUUID } from 'node:crypto'
import type { TokenPrincipal } from '../../access/principal.js'
import type { SimulatedCaller, SimulatedToken } from '../../access/simulated-caller.js'
import type { Registration } from '../../directory/records.js'
import { secondFactorClass } from '../../oauth/authentication-class.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { readScopeList } from '../../oauth/requests/scope.js'
import { readScopeRequest } from '../../oauth/requests/scope-request.js'
import { hasTimeLeft } from '../client/client-authentication.js'
import type { IdentityDependencies, IssuingDependencies } from '../dependencies.js'
import { reasonOfRefusal } from '../errors.js'
import { checkMayIssue } from '../view-freshness.js'
import { noOwnIdentity } from './grants/client-credentials.js'
import { eligibilityOf, words } from './grants/grant-eligibility.js'
import { applicationTokenContent } from './issue-token.js'
import { narrowedScope } from './narrowed-scope.js'
import { resourceOfPermissions } from './resource.js'

type Deps = Pick<IssuingDependencies, 'settings' | 'directory' | 'view' | 'health' | 'now'> &
  Pick<IdentityDependencies, 'store'>

interface Content {
  tenantId: string
  resource: string
  permissions: readonly string[]
}

/** The caller that its token would show, or why there would be none. Throws StoreUnavailable. */
export async function simulateToken(deps: Deps, caller: SimulatedCaller): Promise<SimulatedToken> {
  try {
    checkMayIssue(deps)
    const { seq } = deps.view
    const credential = liveCredential(caller.registration, deps.now())
    const { userId } = caller
    const content = userId === undefined ? await ofApplication(deps, caller) : await ofPerson(deps, caller, userId)
    return { kind: 'granted', principal: principalOf(deps, { caller, content, credential, seq }) }
  } catch (error) {
    if (error instanceof OAuthError) return { kind: 'refused', error, reason: reasonOfRefusal(error) }
    throw error
  }
}

async function ofApplication(
  deps: Deps,
  { registration, tenantId, scope, resource }: SimulatedCaller,
): Promise<Content> {
  if (registration.type !== 'web') throw noOwnIdentity()
  return applicationTokenContent(deps, {
    registration,
    scope: scope === undefined ? ['default'] : readScopeList(scope, undefined),
    resources: scope === undefined ? [resource] : [],
    requestedTenant: tenantId,
  })
}

/** As if the person had just signed in and allowed nothing more than what is allowed already. */
async function ofPerson(deps: Deps, caller: SimulatedCaller, userId: string): Promise<Content> {
  const { registration, scope } = caller
  const tenantId = caller.tenantId ?? registration.tenantId
  const resource = resourceOf(deps, caller)
  const configured = registration.configured.filter((one) => one.kind === 'delegated' && one.resource === resource)
  const grant = {
    state: 'active',
    user_id: userId,
    tenant_id: tenantId,
    application_id: registration.applicationId,
    resource,
    permissions: configured.map(({ id }) => id).join(' '),
    openid_scopes: '',
    acr: secondFactorClass,
  }
  const eligibility = await eligibilityOf(deps, registration, grant)
  const parameters = { get: (name: string) => (name === 'scope' ? scope : undefined), resources: [] }
  const narrowed = narrowedScope(deps, { resource, granted: words(grant.permissions), eligibility }, parameters)
  return { tenantId, resource, permissions: narrowed.permissions }
}

/** Of the scope list where it says so, else the one in question. */
function resourceOf({ settings: { catalogue } }: Deps, { scope, resource }: SimulatedCaller): string {
  if (scope === undefined) return resource
  const scopeRequest = readScopeRequest(readScopeList(scope, undefined), (id) => catalogue.resourcesOf(id).length > 0)
  if (scopeRequest.kind === 'default') return scopeRequest.resource ?? resource
  return scopeRequest.kind === 'nothing'
    ? resource
    : resourceOfPermissions(catalogue, scopeRequest.permissions, [], 'delegated')
}

/** What it could prove itself with now. Throws the `invalid_client` of the token endpoint where there is nothing. */
function liveCredential(registration: Registration, nowMs: number): { id: string; endsAt: number } {
  const { type, authMethod, secrets } = registration
  if (registration.state !== 'enabled') throw notAuthenticated('application_disabled')
  const unlimited = { id: 'none', endsAt: Number.MAX_SAFE_INTEGER }
  if (type === 'native' || authMethod !== 'secret') return unlimited
  const [newest] = secrets.filter((secret) => hasTimeLeft(secret, nowMs)).sort((a, b) => b.endsAt - a.endsAt)
  if (newest === undefined) throw notAuthenticated(secrets.length === 0 ? 'secret_missing' : 'secret_expired')
  return { id: newest.keyId, endsAt: newest.endsAt }
}

function notAuthenticated(reason: string): OAuthError {
  const description = 'The client could not be authenticated.'
  return new OAuthError('invalid_client', description, { number: errorNumber.invalidClient, cause: reason })
}

function principalOf(
  { now, settings: { tokens } }: Deps,
  made: { caller: SimulatedCaller; content: Content; credential: { id: string; endsAt: number }; seq: number },
): TokenPrincipal {
  const { caller, content, credential, seq } = made
  const issuedAt = Math.floor(now() / 1000)
  const common = {
    applicationId: caller.registration.applicationId,
    tenantId: content.tenantId,
    resource: content.resource,
    permissions: new Set(content.permissions),
    issuedAt,
    expiresAt: Math.min(issuedAt + tokens.lifetimeSeconds, Math.floor(credential.endsAt / 1000)),
    // Of nobody, so that no revocation names it.
    jti: randomUUID(),
    credentialId: credential.id,
    keyId: '',
    seq,
  }
  const { userId } = caller
  if (userId === undefined) return { kind: 'application', ...common }
  return { kind: 'delegated', ...common, userId, grantId: randomUUID() }
}
