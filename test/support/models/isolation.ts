// Two tenants with everything that a management route can be about, for the matrix of who may do what to whose things.
// The table says for each route how to call it about things of tenant A; what it may answer follows from the route's
// own rule.

import { randomUUID } from 'node:crypto'
import type { Role } from '../../../src/config/settings/settings.js'
import { addOwner } from '../../../src/directory/applications/owners.js'
import { createRegistrationToken } from '../../../src/directory/applications/registration-tokens.js'
import { fileConsentRequest } from '../../../src/directory/consents/consent-requests.js'
import { addFederatedCredential } from '../../../src/directory/credentials/federated-credentials.js'
import { grantConsent } from '../../../src/directory/permissions/permissions.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import type { Presented } from '../../../src/management/dependencies.js'
import { createLink } from '../../../src/users/accounts/one-time-links.js'
import { createUser } from '../../../src/users/accounts/users.js'
import { createSession } from '../../../src/users/sessions/sessions.js'
import { portalSession } from '../people/portal-session.js'
import type { ManagementApp } from '../rooms/management.js'

export const roles: readonly Role[] = ['member', 'developer', 'administrator', 'owner']

export interface World {
  testApp: ManagementApp
  tenantA: string
  tenantB: string
  /** People of A, by role; no operators. */
  a: Readonly<Record<Role, string>>
  ownerOfB: string
  operatorOfB: string
  /** Fresh things of tenant A. */
  make: {
    application(): Promise<{ id: string; keyId: string; secret: string }>
    user(): Promise<string>
    invitation(): Promise<string>
    request(): Promise<string>
    session(): Promise<string>
    token(): Promise<string>
    registrationToken(): Promise<string>
    /** `<application>/federatedCredentials/<id>`. */
    federatedCredential(): Promise<string>
  }
  /** Ids and names that nobody outside A may ever see. */
  secretsOfA: string[]
}

export interface RouteCase {
  /** Below /api/v2, about things of tenant A. */
  path(world: World): Promise<string> | string
  body?(world: World): Promise<unknown> | unknown
  /**
   * What an owner of another tenant gets: `gone` is 404; `own` an answer about their own tenant only; `open` one that
   * is the same for everybody; a number a status with its reason in decision 0056.
   */
  otherTenant: 'gone' | 'own' | 'open' | 400 | 403
  /** Where the handler wants more than the permission's role. */
  least?: Role
  /** For people themselves, so for no application in their name. */
  ownHand?: true
  /** What anyone who may gets, where a fresh thing makes it another refusal than those of access. */
  done?: 404 | 409
}

/** By test app: an application of the operator's, through which people come. */
const clients = new WeakMap<ManagementApp, string>()
/** By test app: an application that has nothing of its own, and comes as itself. */
const asThemselves = new WeakMap<ManagementApp, string>()

/** The two tenants. */
export async function openWorld(testApp: ManagementApp): Promise<World> {
  const { writes, deps } = testApp
  const tenantA = (await createTenant(writes, { name: 'Tenant A of the matrix' })).tenantId
  const tenantB = (await createTenant(writes, { name: 'Tenant B of the matrix' })).tenantId
  const secretsOfA = [tenantA, 'Tenant A of the matrix']
  const person = async (tenantId: string, role: Role) => {
    const id = randomUUID()
    const { userId } = await createUser(deps.users, {
      email: `${role}-${id}@a.test`,
      name: `Person ${role} ${id}`,
      membership: { tenantId, role },
    })
    if (tenantId === tenantA) secretsOfA.push(userId, `${role}-${id}@a.test`)
    return userId
  }
  const a = {
    member: await person(tenantA, 'member'),
    developer: await person(tenantA, 'developer'),
    administrator: await person(tenantA, 'administrator'),
    owner: await person(tenantA, 'owner'),
  }
  const [ownerOfB, operatorOfB] = [await person(tenantB, 'owner'), await person(tenantB, 'owner')]
  await testApp.manage('PATCH', `/users/${operatorOfB}`, { operator: true })
  await openCallers(testApp, tenantA, tenantB)
  const things = makers(testApp, tenantA, { person, secretsOfA, member: a.member, developer: a.developer })
  return { testApp, tenantA, tenantB, a, ownerOfB, operatorOfB, make: things, secretsOfA }
}

/** The applications that `withToken` comes with: of these tenants, one for people and one that comes as itself. */
export async function openCallers(testApp: ManagementApp, forPeople: string, asItself = forPeople): Promise<void> {
  const client = await testApp.registerDemo({ name: `client ${randomUUID()}`, tenantId: forPeople })
  clients.set(testApp, client.registration.applicationId)
  const bare = await testApp.registerDemo({ name: `as itself ${randomUUID()}`, tenantId: asItself })
  asThemselves.set(testApp, bare.registration.applicationId)
}

function makers(
  testApp: ManagementApp,
  tenantId: string,
  known: {
    person: (tenantId: string, role: Role) => Promise<string>
    secretsOfA: string[]
    member: string
    developer: string
  },
): World['make'] {
  const { writes, deps, catalogue } = testApp
  const application = async () => {
    const { registration, secret, keyId } = await testApp.registerDemo({ name: `app ${randomUUID()}`, tenantId })
    // So that the matrix asks for roles; whose an application is has tests of its own (owners.test.ts).
    await addOwner(writes, registration.applicationId, { kind: 'user', ownerId: known.developer })
    known.secretsOfA.push(registration.applicationId, registration.publicKey, registration.name, keyId)
    return { id: registration.applicationId, keyId, secret }
  }
  return {
    application,
    user: () => known.person(tenantId, 'member'),
    async invitation() {
      const email = `${randomUUID()}@invited.test`
      const { link } = await createLink(deps.users, { purpose: 'invitation', tenantId, email, role: 'member' })
      known.secretsOfA.push(link.hash, email)
      return link.hash
    },
    async request() {
      const { id } = await application()
      const permissions = [{ kind: 'application' as const, resource: catalogue.own.id, id: 'assets_read' }]
      await grantConsent(writes, id, { tenantId, permissions, by: 'test' })
      const consentRequest = { applicationId: id, tenantId, requestedBy: known.member, permissions, reason: 'please' }
      const { requestId } = await fileConsentRequest(writes, consentRequest)
      known.secretsOfA.push(requestId)
      return requestId
    },
    async session() {
      const userId = await known.person(tenantId, 'member')
      const browser = { userId, acr: '1', amr: ['pwd'], userAgent: 'test', address: '192.0.2.1' }
      const { session } = await createSession(deps.users, browser)
      known.secretsOfA.push(session.idHash)
      return session.idHash
    },
    async registrationToken() {
      const input = { tenantId, label: `label ${randomUUID()}`, lifetimeMs: 60_000, uses: 1, permissions: [] }
      const { token } = await createRegistrationToken(writes, input)
      known.secretsOfA.push(token.id, token.label)
      return token.id
    },
    async federatedCredential() {
      const trust = { name: `name ${randomUUID()}`, issuer: 'https://issuer.example', subject: randomUUID() }
      const { id } = await application()
      const added = await addFederatedCredential(writes, id, trust)
      known.secretsOfA.push(added.id, trust.name, trust.subject)
      return `${id}/federatedCredentials/${added.id}`
    },
    async token() {
      const { id, secret } = await application()
      const form = { client_id: id, client_secret: secret, grant_type: 'client_credentials', scope: 'default' }
      const answer = await testApp.post('/api/v2/oauth2/v2.0/token', form)
      return answer.json().access_token
    },
  }
}

/** A sign-in that is never too old. */
export const recentSignIn = { authTime: Number.MAX_SAFE_INTEGER, acr: '1' }

/** Somebody at the portal. */
export function atPortal(userId: string, tenantId: string, signIn = recentSignIn): Presented {
  return { kind: 'session', session: portalSession(userId), userId, tenantId, ...signIn }
}

/** An application with these permissions of the own API, or, with a user, a person through it. */
export function withToken(
  { testApp }: Pick<World, 'testApp'>,
  tenantId: string,
  permissions: readonly string[],
  userId?: string,
  signIn: { authTime?: number; acr?: string } = recentSignIn,
): Presented {
  const applicationId = (userId === undefined ? asThemselves : clients).get(testApp) ?? randomUUID()
  const token = {
    ...{ applicationId, tenantId, resource: testApp.catalogue.own.id, permissions: new Set(permissions) },
    ...{ issuedAt: 0, expiresAt: Number.MAX_SAFE_INTEGER, jti: randomUUID(), credentialId: 'x', seq: testApp.view.seq },
    keyId: testApp.keyring.signingKey('token').kid,
  }
  return userId === undefined
    ? { kind: 'application', ...token }
    : { kind: 'delegated', ...token, userId, grantId: randomUUID(), ...signIn }
}
