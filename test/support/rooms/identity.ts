// The identity service on real lower rooms: a Store in a temporary folder, keys, view, limits, and the public server in
// front, called by inject as a trusted proxy would.

import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createAuthenticator } from '../../../src/access/authenticate.js'
import { createRevalidation } from '../../../src/access/revalidation.js'
import { createUsage, type Usage } from '../../../src/access/usage.js'
import { createClientDocuments } from '../../../src/client-documents/client-documents.js'
import { documentFetch } from '../../../src/client-documents/fetch-document.js'
import { createOpenClients, withOpenClients } from '../../../src/client-documents/open-clients.js'
import type { LimitPolicy } from '../../../src/config/settings/limit-settings.js'
import type { Settings } from '../../../src/config/settings/settings.js'
import { createHistory, type History } from '../../../src/history/history.js'
import type { IdentityDependencies } from '../../../src/identity/dependencies.js'
import { identityRoutes } from '../../../src/identity/index.js'
import { createActivity } from '../../../src/ledger/activity.js'
import { createDecisions } from '../../../src/ledger/decisions.js'
import { registerAddressGuard } from '../../../src/limits/address-guard.js'
import { createFailedAuthentications } from '../../../src/limits/failed-authentications.js'
import { createLimiter } from '../../../src/limits/limiter.js'
import { deriveKey } from '../../../src/oauth/secrets/derived-key.js'
import { createMetrics, type Metrics } from '../../../src/observability/metrics.js'
import { createRevocationView, type RevocationFollower } from '../../../src/revocation/revocation-view.js'
import { createInProcessCounters } from '../../../src/storage/counters/in-process.js'
import {
  insertSigningKey,
  listSigningKeys,
  type SigningKeyRow,
} from '../../../src/storage/sql/revocation/signing-keys.js'
import type { Store } from '../../../src/storage/sql/store.js'
import { createKeyEncryption } from '../../../src/tokens/keys/key-encryption.js'
import { ensureKeys, type KeyLifecycle } from '../../../src/tokens/keys/key-lifecycle.js'
import { type KeySlot, neededSlots } from '../../../src/tokens/keys/key-slots.js'
import { createKeyring, type KeyringFollower } from '../../../src/tokens/keys/keyring.js'
import { createUserWrites } from '../../../src/users/writes.js'
import { serverBrand } from '../brands/server-brand.js'
import { baseUrl, type DirectoryApp, openDirectory } from './directory.js'
import { testLimits, testServer } from './http-server.js'

export const tokenPath = '/api/v2/oauth2/v2.0/token'
export const revokePath = '/api/v2/oauth2/v2.0/revoke'
export const introspectPath = '/api/v2/oauth2/v2.0/introspect'

type Fields = Record<string, string>

export interface IdentityApp extends DirectoryApp {
  app: FastifyInstance
  deps: IdentityDependencies
  keyring: KeyringFollower
  lifecycle: KeyLifecycle
  view: RevocationFollower
  metrics: Metrics
  /** Of the usage that rooms count in. */
  history: History
  /** What the server logged, one JSON line each. */
  logged: string[]
  /** Any request, over TLS as far as the server can tell. */
  ask(request: InjectOptions): Promise<LightMyRequestResponse>
  /** A form-encoded POST. */
  post(path: string, form: Fields | string, headers?: Fields): Promise<LightMyRequestResponse>
}

export interface IdentityOptions {
  limits?: Record<string, LimitPolicy>
  addressGuard?: { limit: number; periodMs: number }
  failedAuthentications?: { limit: number; periodMs: number }
  tokens?: Partial<Settings['tokens']>
  signIn?: Partial<Settings['signIn']>
  /** Clients that nobody registered. */
  documents?: Partial<Settings['registration']['documents']>
  /** Those of them that register themselves. */
  open?: Partial<Settings['registration']['open']>
  /** Opens the Store, instead of one in a temporary folder. */
  openStore?: () => Promise<Store>
  /** Of the server. */
  brand?: Partial<Settings['brand']>
  /** How long a body may take. */
  bodyIdleMs?: number
  /** The clock of what is counted, for a test that must not depend on how long its requests take. */
  monotonic?: () => number
  /** Replaces collaborators, such as a Feed that fails. */
  replace?: (deps: IdentityDependencies) => Partial<IdentityDependencies>
}

interface Test {
  testdir(): string
  teardown(work: () => unknown): void
}

const hourMs = 3_600_000

/** Opens everything; it is torn down with the test. */
export async function openIdentity(t: Test, options: IdentityOptions = {}): Promise<IdentityApp> {
  const settings = testSettings(options)
  const made: { keyring?: KeyringFollower; view?: RevocationFollower } = {}
  let clock = { nowMs: 0 }
  const testApp = await openDirectory(t, {
    openStore: options.openStore,
    followers: ({ store, feed }) => {
      made.keyring = createKeyring({ store, encryption, settings: settings.tokens })
      made.view = createRevocationView({ feed, staleAfterMs: 60_000, horizonMs: hourMs, now: () => clock.nowMs })
      return [made.view, made.keyring]
    },
  })
  clock = testApp.clock
  testApp.writes.serverName = () => settings.brand.name
  const { keyring, view } = made as Required<typeof made>
  const { store, feed, now } = testApp
  const lifecycle: KeyLifecycle = { store, feed, encryption, settings: settings.tokens, now }
  await provideKeys(lifecycle)
  const metrics = createMetrics()
  const { monotonic = () => performance.now() } = options
  const history: History = createHistory({ store, instanceId: 'house', metrics, now, gather: () => usage.gather() })
  const usage: Usage = createUsage({
    ...{ store, instanceId: 'house', now },
    onDropped: () => undefined,
    onGathered: history.add,
  })
  const parts = { ...testApp, keyring, view, metrics, monotonic, usage }
  const deps = dependencies({ ...settings, catalogue: testApp.catalogue }, parts)
  const logged: string[] = []
  const logger = { level: 'info', stream: { write: (line: string) => void logged.push(line) } }
  const serverLimits = { ...testLimits, bodyIdleMs: options.bodyIdleMs ?? testLimits.bodyIdleMs }
  const app = testServer({ baseUrl, logger, accessLog: true, metrics, limits: serverLimits })
  app.decorate('serverBrand', () => deps.settings.brand)
  app.register(identityRoutes(replaced(deps, options.replace?.(deps) ?? {})))
  await app.ready()
  t.teardown(() => app.close())
  const ask: IdentityApp['ask'] = (request) =>
    app.inject({ ...request, headers: { host: 'portcullis.test', 'x-forwarded-proto': 'https', ...request.headers } })
  const post: IdentityApp['post'] = (path, form, headers = {}) =>
    ask({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    })
  return { ...testApp, app, deps, keyring, lifecycle, view, metrics, history, logged, ask, post }
}

/** A Feed that is replaced is what all writes go to. */
function replaced(deps: IdentityDependencies, by: Partial<IdentityDependencies>): IdentityDependencies {
  const all = { ...deps, ...by }
  const { feed } = by
  return feed === undefined ? all : { ...all, writes: { ...all.writes, feed }, users: { ...all.users, feed } }
}

const masterKey = randomBytes(32)
const encryption = createKeyEncryption([masterKey])
/**
 * An RSA key takes a second to make, so the first test app of a process makes the keys for all, one for each purpose
 * and algorithm. A test app gets those that it needs: what a test before it was configured for is none of its business.
 */
const madeKeys = new Map<string, SigningKeyRow>()
const slotOf = ({ purpose, alg }: KeySlot): string => `${purpose} ${alg}`

async function provideKeys(lifecycle: KeyLifecycle): Promise<void> {
  const { feed, store, settings } = lifecycle
  const needed = neededSlots(settings).map(slotOf)
  await feed.commit(async (tx, record) => {
    for (const [slot, row] of madeKeys) if (needed.includes(slot)) await insertSigningKey(tx, row)
    record({ kind: 'keys' })
  })
  await ensureKeys(lifecycle)
  for (const row of await listSigningKeys(store.reader)) madeKeys.set(slotOf(row), row)
}

function dependencies(
  settings: Settings,
  parts: DirectoryApp &
    Pick<IdentityDependencies, 'view' | 'metrics' | 'monotonic' | 'usage'> & { keyring: KeyringFollower },
): IdentityDependencies {
  const { directory, feed, store, writes, keyring, view, metrics, monotonic, usage, peppers, now } = parts
  const counters = createInProcessCounters()
  const derive = (purpose: string) => [deriveKey(masterKey, purpose)]
  const { ledger } = writes
  const revalidation = createRevalidation({ keyring, feed, monotonic })
  const { leewaySeconds, cacheEntries } = settings.tokens
  const { documents, open } = settings.registration
  const openClients = createOpenClients({ settings: open, keys: derive('open-client-id'), counters, monotonic })
  const byDocument = createClientDocuments({
    ...{ trust: documents.trust, fetch: documentFetch(documents), counters, monotonic, now },
    onFetched: (outcome) => metrics.documentFetches.inc({ outcome }),
  })
  const activity = createActivity({ store, entries: 1_000, now })
  const decisions = createDecisions({ store, now, onDropped: () => {} })
  return {
    ...{ settings, directory, feed, store, writes, keyring, view, metrics, peppers, now },
    ...{ ledger, activity, decisions, usage, derive, counters, monotonic },
    users: createUserWrites(writes, { store, derive, settings, activity, counters, monotonic }),
    health: { storeUp: true },
    issuerKeys: { find: async () => undefined },
    documents: withOpenClients(byDocument, openClients),
    openClients,
    revalidation,
    authenticator: createAuthenticator({
      ...{ keyring, view, revalidation, issuer: baseUrl, leewaySeconds, cacheEntries, now },
    }),
    limiter: createLimiter({ counters, policies: settings.limits, metrics, monotonic }),
    failedAuthentications: createFailedAuthentications({ counters, monotonic, ...settings.failedAuthentications }),
    guardAddresses: (scope, refuse) =>
      registerAddressGuard(scope, { counters, guard: settings.addressGuard, monotonic, refuse }),
  }
}

/** Only what the room reads; the rest of the configuration is absent on purpose. */
function testSettings(options: IdentityOptions): Settings {
  const limits = new Map(Object.entries(options.limits ?? {}))
  return {
    server: { baseUrl, tokenBodyBytes: 16_384 },
    brand: { ...serverBrand, ...options.brand },
    registration: {
      standard: true,
      open: {
        ...{ enabled: false, hosts: [], perAddress: { limit: 20, periodMs: 60_000 } },
        overall: { limit: 600, periodMs: 60_000 },
        ...options.open,
      },
      documents: { trust: 'off', allow: ['localhost'], ca: undefined, ...options.documents },
    },
    applications: { restorableMs: 30 * 24 * hourMs },
    federation: { fetch: true, allow: [], reuse: [], ca: undefined },
    events: { allow: [], ca: undefined },
    tokens: {
      lifetimeSeconds: 3600,
      leewaySeconds: 60,
      algorithm: 'ES256',
      publishBeforeMs: 24 * hourMs,
      rotateEveryMs: 90 * 24 * hourMs,
      cacheEntries: 100,
      codeLifetimeMs: 60_000,
      refreshIdleMs: 14 * 24 * hourMs,
      refreshMs: 90 * 24 * hourMs,
      refreshGraceMs: 30_000,
      ...options.tokens,
    },
    signIn: {
      sessionIdleMs: 12 * hourMs,
      sessionMs: 7 * 24 * hourMs,
      passwordLength: 12,
      breachedPasswords: '',
      perAccount: { limit: 1000, periodMs: 60_000 },
      perAddress: { limit: 1000, periodMs: 60_000 },
      overall: { limit: 1000, periodMs: 60_000 },
      deviceCodes: 'applications',
      language: 'en',
      recentMs: 600_000,
      administrators: 'any',
      secondFactor: { required: new Set(), graceMs: 0 },
      providers: new Map(),
      ...options.signIn,
    },
    limits,
    usage: { flushEveryMs: 60_000, keepMs: 365 * 24 * hourMs, unusedAfterMs: 30 * 24 * hourMs },
    routes: [],
    plans: new Map(),
    tokenLimits: [...limits.keys()],
    addressGuard: options.addressGuard ?? { limit: 100_000, periodMs: 60_000 },
    failedAuthentications: options.failedAuthentications ?? { limit: 1000, periodMs: 60_000 },
  } as unknown as Settings
}

/** The header and the claims of a token, unverified. */
export function readToken(token: unknown): { header: Record<string, unknown>; claims: Record<string, unknown> } {
  return { header: { ...decodeProtectedHeader(String(token)) }, claims: { ...decodeJwt(String(token)) } }
}

/** The token with another signature: its first letter is another one, of which every bit counts. */
export function withAnotherSignature(token: string): string {
  const at = token.lastIndexOf('.') + 1
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
}

/** A body without what differs from one answer to the next. */
export function withoutIds(body: Record<string, unknown>): Record<string, unknown> {
  return { ...body, timestamp: 'time', trace_id: 'id', correlation_id: 'id' }
}

/** A GUID that names nothing. */
export function unknownGuid(): string {
  return randomUUID()
}
