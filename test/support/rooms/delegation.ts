// Delegation without pages: a person, what they allowed an application, a code as the authorization endpoint would have
// made it, and its redemption. For everybody who needs a user's tokens and not a browser.

import { createHash, randomBytes } from 'node:crypto'
import type { Role } from '../../../src/config/settings/settings.js'
import type { RegistrationInput } from '../../../src/directory/applications/registration.js'
import type { PermissionRef, Registration } from '../../../src/directory/records.js'
import { write } from '../../../src/directory/writes.js'
import type { IdentityDependencies } from '../../../src/identity/dependencies.js'
import { createCode, createGrant, type NewAuthorizationCode } from '../../../src/identity/token/grants/new-grant.js'
import { insertUserConsents } from '../../../src/storage/sql/consents/user-consents.js'
import { addUser } from '../../../src/users/accounts/new-user.js'
import type { User } from '../../../src/users/records.js'
import { ownResource } from './directory.js'
import { type IdentityApp, tokenPath } from './identity.js'

export const redirectUri = 'https://app.test/callback'
export const allOpenidScopes = ['openid', 'profile', 'email', 'offline_access']

type Deps = Pick<IdentityDependencies, 'store' | 'settings' | 'now'>

/** A member (or `role`) of the tenant, without a password. */
export function makePerson(
  deps: Pick<IdentityDependencies, 'users'>,
  tenantId: string,
  more: { role?: Role; name?: string; email?: string } = {},
): Promise<User> {
  const { role = 'member', name = 'Ada Lovelace', email = `ada.${randomBytes(4).toString('hex')}@contoso.test` } = more
  const membership = { tenantId, role }
  return write(deps.users, (writing) => addUser(deps.users, writing, { name, email, emailVerified: true, membership }))
}

/** Remembers that a person allowed delegated permissions and words of OpenID Connect. */
export async function consentTo(
  deps: Deps,
  consent: {
    userId: string
    applicationId: string
    tenantId: string
    permissions: readonly string[]
    resource?: string
  },
): Promise<void> {
  const { userId, applicationId, tenantId, permissions, resource = ownResource } = consent
  const rows = permissions.map((id) => ({
    ...{ user_id: userId, application_id: applicationId, tenant_id: tenantId },
    resource: allOpenidScopes.includes(id) ? 'openid' : resource,
    permission_id: id,
    granted_at: deps.now(),
  }))
  await deps.store.transaction((tx) => insertUserConsents(tx, rows))
}

/** A PKCE pair (RFC 7636 §4). */
export function pkcePair(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export interface MadeCode {
  code: string
  verifier: string
  redirectUri: string
}

/** A code for what was consented, with a challenge unless `codeChallenge` says otherwise. */
export async function makeCode(
  deps: Deps,
  grant: Pick<NewAuthorizationCode, 'userId' | 'applicationId' | 'tenantId'> & Partial<NewAuthorizationCode>,
): Promise<MadeCode> {
  const { verifier, challenge } = pkcePair()
  const input: NewAuthorizationCode = {
    origin: 'code',
    resource: ownResource,
    permissions: ['User.Read'],
    openidScopes: allOpenidScopes,
    redirectUri,
    codeChallenge: challenge,
    nonce: undefined,
    session: { authTime: Math.floor(deps.now() / 1000) - 10, acr: '1', amr: ['pwd'] },
    claims: undefined,
    ...grant,
  }
  const code = await deps.store.transaction(async (tx) =>
    createCode(deps, tx, await createGrant(deps, tx, input), input),
  )
  return { code, verifier, redirectUri: input.redirectUri }
}

/** The form that redeems a code. */
export function redemption(made: MadeCode, client: Record<string, string>): Record<string, string> {
  const { code, verifier, redirectUri } = made
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri, ...client }
}

/** The answer of a token endpoint, as far as tests read it. */
export interface Tokens {
  access_token: string
  token_type: string
  expires_in: number
  scope: string
  refresh_token: string
  id_token: string
}

export interface Delegation {
  registration: Registration
  tenantId: string
  user: User
  /** Client authentication for a form. */
  client: Record<string, string>
  secret: string
  keyId: string
  /** A new code for the same person and application. */
  code(more?: Partial<NewAuthorizationCode>): Promise<MadeCode>
  /** A new code, redeemed. Throws when that is refused. */
  tokens(more?: Partial<NewAuthorizationCode>): Promise<Tokens>
  /** Sends a refresh token; the whole answer. */
  refresh(
    token: string,
    more?: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown> & Tokens }>
}

const delegated = (id: string): PermissionRef => ({ kind: 'delegated', resource: ownResource, id })

/**
 * A person, an application in their tenant with delegated permissions (User.Read and assets_read), and their consent to
 * it.
 */
export async function delegate(
  testApp: IdentityApp,
  options: { registration?: Partial<RegistrationInput>; role?: Role; permissions?: readonly string[] } = {},
): Promise<Delegation> {
  const { deps } = testApp
  const { permissions = ['User.Read', 'assets_read'] } = options
  const made = await testApp.registerDemo({
    permissions: permissions.map(delegated),
    redirectUris: [redirectUri],
    ...options.registration,
  })
  const { registration, tenantId, secret, keyId } = made
  const { applicationId } = registration
  const user = await makePerson(deps, tenantId, options.role === undefined ? {} : { role: options.role })
  const whose = { userId: user.userId, applicationId, tenantId }
  await consentTo(deps, { ...whose, permissions: [...permissions, ...allOpenidScopes] })
  const client: Record<string, string> = { client_id: applicationId }
  if (secret !== '') client['client_secret'] = secret
  const code: Delegation['code'] = (more) => makeCode(deps, { ...whose, permissions, ...more })
  return {
    ...{ registration, tenantId, user, client, secret, keyId, code },
    async tokens(more) {
      const answer = await testApp.post(tokenPath, redemption(await code(more), client))
      if (answer.statusCode !== 200) throw new Error(answer.body)
      return answer.json()
    },
    async refresh(token, more = {}) {
      const form = { grant_type: 'refresh_token', refresh_token: token, ...client, ...more }
      const answer = await testApp.post(tokenPath, form)
      return { status: answer.statusCode, body: answer.json() }
    },
  }
}
