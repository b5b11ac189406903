// Token exchange without a gate: a help desk behind it that calls billing, which calls the books, each served by an
// application of its own; an agent that calls the help desk for a person; and the assertions that the gate would give.

import { tokenPrincipal } from '../../../src/access/token-principal.js'
import { catalogueOf } from '../../../src/config/routes/catalogue.js'
import type { ExchangeSettings } from '../../../src/config/settings/exchange-settings.js'
import type { RouteSettings } from '../../../src/config/settings/route-settings.js'
import type { Catalogue, PermissionDefinition, Resource, Settings } from '../../../src/config/settings/settings.js'
import type { RegistrationInput } from '../../../src/directory/applications/registration.js'
import type { PermissionRef, Registration } from '../../../src/directory/records.js'
import { createAssertions } from '../../../src/gateway/forward/assertions.js'
import type { AccessTokenClaims } from '../../../src/tokens/claims.js'
import type { User } from '../../../src/users/records.js'
import { createSession } from '../../../src/users/sessions/sessions.js'
import { createScriptedBrowser, type ScriptedBrowser } from '../browser/scripted-browser.js'
import { send } from './authorize.js'
import { consentTo, makeCode, makePerson, redemption } from './delegation.js'
import { baseUrl, testCatalogue } from './directory.js'
import { type IdentityApp, type IdentityOptions, openIdentity, readToken, tokenPath } from './identity.js'

export const deskResource = 'https://desk.test'
export const billingResource = 'https://billing.test'
export const booksResource = 'https://books.test'
export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
export const assertionType = 'urn:ietf:params:oauth:token-type:jwt'

export interface Party {
  registration: Registration
  applicationId: string
  secret: string
  keyId: string
  /** Client authentication for a form. */
  client: Record<string, string>
}

export interface ExchangeApp extends IdentityApp {
  tenantId: string
  user: User
  agent: Party
  /** Serves the help desk, billing, the books. */
  desk: Party
  billing: Party
  books: Party
  /** An application with these delegated permissions, and the person's consent to `consented` of them. */
  party(
    permissions: Permissions,
    more?: { consented?: Permissions; registration?: Partial<RegistrationInput> },
  ): Promise<Party>
  /** What the person lets the agent do at the help desk. */
  agentToken(permissions?: readonly string[], more?: { party?: Party; resource?: string; user?: User }): Promise<string>
  /** The assertion that the gate would give to the service. */
  assertion(
    token: string,
    more?: { upstream?: string; permissions?: readonly string[]; exchangeable?: boolean },
  ): Promise<string>
  exchange(
    by: Party,
    subjectToken: string,
    more?: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown>; claims: AccessTokenClaims }>
  /** The person allows it. */
  consents(party: Party, permissions: Permissions): Promise<void>
  /** A browser in which the person is signed in. */
  signedIn(): Promise<ScriptedBrowser>
  /** Which applications serve a resource. */
  serves(resource: string, exchange: ExchangeSettings | undefined): void
}

/** Ids by resource. */
export type Permissions = Readonly<Record<string, readonly string[]>>

const refsOf = (permissions: Permissions): PermissionRef[] =>
  Object.entries(permissions).flatMap(([resource, ids]) =>
    ids.map((id): PermissionRef => ({ kind: 'delegated', resource, id })),
  )

/** Everybody may do everything for the person, unless `agent` or `desk` says otherwise. */
export async function openExchange(
  t: { testdir(): string; teardown(work: () => unknown): void },
  options: Pick<IdentityOptions, 'limits'> & {
    agent?: Permissions
    desk?: Permissions
    ceiling?: ExchangeSettings['ceiling']
  } = {},
): Promise<ExchangeApp> {
  const { limits = {} } = options
  const testApp = await openIdentity(t, { limits })
  const { deps, registerDemo, post, keyring, now } = testApp
  const served = new Map<string, ExchangeSettings>()
  const configure = () =>
    (testApp.catalogue as unknown as { configure(next: Catalogue): void }).configure(catalogue(served))
  configure()
  const settings = deps.settings as { -readonly [K in keyof Settings]: Settings[K] }
  settings.routes = [
    { resource: deskResource, upstream: 'desk', methods: new Map() },
    { resource: billingResource, upstream: 'billing', methods: new Map() },
    { resource: booksResource, upstream: 'books', methods: new Map() },
  ] as unknown as RouteSettings[]
  const { tenantId } = await registerDemo()
  const user = await makePerson(deps, tenantId)
  const consents = async ({ applicationId }: Pick<Party, 'applicationId'>, permissions: Permissions) => {
    for (const [resource, ids] of Object.entries(permissions))
      await consentTo(deps, { userId: user.userId, applicationId, tenantId, permissions: ids, resource })
  }
  const party: ExchangeApp['party'] = async (permissions, more = {}) => {
    const { consented = permissions } = more
    const made = await registerDemo({
      tenantId,
      permissions: refsOf(permissions),
      consentBy: undefined,
      redirectUris: ['https://app.test/callback'],
      ...more.registration,
    })
    const { applicationId } = made.registration
    await consents({ applicationId }, consented)
    const client = { client_id: applicationId, ...(made.secret === '' ? {} : { client_secret: made.secret }) }
    return { registration: made.registration, applicationId, secret: made.secret, keyId: made.keyId, client }
  }
  const all: Permissions = {
    [deskResource]: ['desk.read', 'desk.write'],
    [billingResource]: ['billing.read', 'billing.write'],
    [booksResource]: ['books.read'],
  }
  const agent = await party({ ...all, ...options.agent })
  const desk = await party({ ...all, ...options.desk })
  const [billing, books] = [await party(all), await party(all)]
  const { ceiling = 'caller' } = options
  served.set(deskResource, { applications: [desk.applicationId], ceiling })
  served.set(billingResource, { applications: [billing.applicationId], ceiling })
  served.set(booksResource, { applications: [books.applicationId], ceiling })
  configure()
  const gate = createAssertions({ keyring, issuer: baseUrl, now })
  return {
    ...testApp,
    ...{ tenantId, user, agent, desk, billing, books, party, consents },
    async agentToken(
      permissions = ['desk.read'],
      { party: by = agent, resource = deskResource, user: whose = user } = {},
    ) {
      const about = { userId: whose.userId, applicationId: by.applicationId, tenantId, permissions, resource }
      const made = await makeCode(deps, { ...about, openidScopes: [] })
      const answer = await post(tokenPath, redemption(made, by.client))
      if (answer.statusCode !== 200) throw new Error(answer.body)
      return answer.json().access_token
    },
    async assertion(token, { upstream = 'desk', permissions = ['desk.read'], exchangeable = true } = {}) {
      const { claims, header } = readToken(token)
      const principal = tokenPrincipal(claims as unknown as AccessTokenClaims, String(header['kid']))
      const about = { principal, audience: upstream, permissions, slot: {}, exchangeable }
      return (await gate.authorization(about)).replace('Bearer ', '')
    },
    async exchange(by, subjectToken, more = {}) {
      const form = {
        grant_type: exchangeGrant,
        subject_token: subjectToken,
        subject_token_type: assertionType,
        ...by.client,
      }
      const answer = await post(tokenPath, { ...form, ...more })
      const body = answer.json()
      const claims = answer.statusCode === 200 ? readToken(body.access_token).claims : {}
      return { status: answer.statusCode, body, claims: claims as unknown as AccessTokenClaims }
    },
    async signedIn() {
      const browser = createScriptedBrowser(baseUrl, (request) => send(testApp, request))
      const { cookie } = await createSession(deps.users, {
        ...{ userId: user.userId, acr: '1', amr: ['pwd'], userAgent: 'test', address: '127.0.0.1' },
      })
      browser.cookies.set('__Host-portcullis-session', cookie)
      return browser
    },
    serves(resource, exchange) {
      if (exchange === undefined) served.delete(resource)
      else served.set(resource, exchange)
      configure()
    },
  }
}

function catalogue(served: ReadonlyMap<string, ExchangeSettings>): Catalogue {
  const known = testCatalogue()
  const define = (resource: string, id: string, more: Partial<PermissionDefinition> = {}): PermissionDefinition => ({
    ...{ id, resource, kinds: ['application', 'delegated'], describe: `Allows ${id}.`, adminConsent: false },
    ...{ role: 'member', covers: [] },
    ...more,
  })
  const resources: Resource[] = [deskResource, billingResource, booksResource].map((id) => {
    const exchange = served.get(id)
    return { id, name: id, own: false, ...(exchange === undefined ? {} : { exchange }) }
  })
  const permissions = [
    ...known.permissions,
    define(deskResource, 'desk.read'),
    define(deskResource, 'desk.write'),
    define(billingResource, 'billing.read'),
    define(billingResource, 'billing.write', { covers: ['billing.read'] }),
    define(billingResource, 'billing.close', { role: 'owner' }),
    define(billingResource, 'billing.machine', { kinds: ['application'] }),
    define(booksResource, 'books.read'),
  ]
  const all = new Map([...known.resources, ...resources.map((one): [string, Resource] => [one.id, one])])
  return catalogueOf(known.own, all, permissions, 'en')
}
