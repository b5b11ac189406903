// The backend as a test needs it: on either source, with assertions signed by a key of the test's own.

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { type BackendOptions, createBackend } from '../../../src/backend/index.js'
import type { Profile, ProfileOwner, ResourceSource, SubscriptionPair } from '../../../src/backend/source.js'
import { createSqlSource } from '../../../src/backend/sql-source.js'
import { createAssertionVerifier } from '../../../src/backend/verifier.js'
import { insertProfile } from '../../../src/storage/sql/resources/profiles.js'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import type { Store } from '../../../src/storage/sql/store.js'
import { signAssertion } from '../../../src/tokens/assertion.js'
import type { AssertionClaims } from '../../../src/tokens/claims.js'
import { quickFolder } from '../storage/quick-folder.js'
import { newKeyPair } from '../tokens/key-pair.js'
import { createMemorySource } from './memory-source.js'

/** Epoch milliseconds at which every test of the backend takes place. */
export const now = Date.UTC(2026, 10, 21, 10)
export const baseUrl = 'https://api.example.com'
export const tenantA = '0a7f1a52-7a39-4c6a-9d0e-3f2b8a6f5c01'
export const tenantB = '0b7f1a52-7a39-4c6a-9d0e-3f2b8a6f5c02'
export const everything =
  'User.Read.All User.ReadWrite.All Subscription.Read.All Subscription.ReadWrite.All Subscription.Manage.All ResourceGroup.Read.All'

const pair = await newKeyPair('ec', { namedCurve: 'P-256' })
const signer = { signingKey: () => ({ kid: 'test-key', alg: 'ES256' as const, privateKey: pair.privateKey }) }

/** The public half, as the verifier looks it up. */
export function findKey(kid: string) {
  return kid === 'test-key' ? { kid, alg: 'ES256' as const, publicKey: pair.publicKey } : undefined
}

/** A signed assertion for an application in tenant A that may do everything, unless `claims` says otherwise. */
export async function assertion(claims: Partial<AssertionClaims> = {}): Promise<string> {
  const iat = Math.floor(now / 1000)
  return signAssertion(signer, {
    iss: baseUrl,
    aud: 'backend',
    sub: '7c1d3f60-94f4-4a5e-8d5a-0c61d9a7e201',
    client_id: '7c1d3f60-94f4-4a5e-8d5a-0c61d9a7e201',
    iat,
    exp: iat + 60,
    jti: randomUUID(),
    tid: tenantA,
    idtyp: 'app',
    scope: everything,
    ...claims,
  })
}

/** A source that can be given profiles, which the API cannot. */
export type TestSource = ResourceSource & { addProfile(owner: ProfileOwner, profile: Profile): void | Promise<void> }

export async function openStore(t: Test): Promise<Store> {
  const store = await openSqliteStore({ file: join(quickFolder(t), 'backend.db'), busyTimeoutMs: 2_000 })
  t.teardown(() => store.close())
  return store
}

export async function openSqlSource(t: Test): Promise<TestSource> {
  return withProfiles(await openStore(t))
}

export function withProfiles(store: Store): TestSource {
  const addProfile = (owner: ProfileOwner, p: Profile) =>
    store.transaction((tx) =>
      insertProfile(tx, {
        id: p.id,
        tenant_id: owner.tenantId,
        user_id: owner.userId,
        public_name: p.publicName,
        id_provider: p.idProvider,
        email: p.email,
        cover_url: p.coverURL,
        avatar_url: p.avatarURL,
        follows_count: p.followsCount,
        followers_count: p.followersCount,
        enrollments_count: p.enrollmentsCount,
        social_profile_id: p.socialProfileID,
        cart_id: p.cartID,
        wallet_id: p.walletID,
        currency_id: p.currencyID,
        currency_exchange: p.currencyExchange,
        updated_at: now,
      }),
    )
  return { ...createSqlSource(store), addProfile }
}

/** The sources that every test of behaviour runs over. */
export const sources: readonly { name: string; open: (t: Test) => TestSource | Promise<TestSource> }[] = [
  { name: 'SQL', open: openSqlSource },
  { name: 'memory', open: () => createMemorySource() },
]

export function profile(change: Partial<Profile> = {}): Profile {
  return {
    id: randomUUID(),
    publicName: 'Ada',
    idProvider: 'portcullis',
    email: 'ada@example.com',
    coverURL: 'data:image/jpeg;base64,/9j/',
    avatarURL: 'data:image/jpeg;base64,/9j/',
    followsCount: 1,
    followersCount: 2,
    enrollmentsCount: 3,
    socialProfileID: randomUUID(),
    cartID: randomUUID(),
    walletID: randomUUID(),
    currencyID: 'EUR.DE',
    currencyExchange: 1.25,
    ...change,
  }
}

export function subscriptionPair(change: {
  displayName?: string
  state?: SubscriptionPair['subscription']['state']
  provisioningState?: SubscriptionPair['group']['provisioningState']
  createdAt?: number
  id?: string
}): SubscriptionPair {
  const displayName = change.displayName ?? 'Production'
  return {
    subscription: {
      id: change.id ?? randomUUID(),
      subscriptionId: randomUUID(),
      displayName,
      state: change.state ?? 'Enabled',
      version: 1,
      createdAt: change.createdAt ?? now,
    },
    group: {
      id: randomUUID(),
      name: displayName,
      location: 'global',
      provisioningState: change.provisioningState ?? 'Succeeded',
    },
  }
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The body parsed; undefined when it is empty. */
  json: unknown
}

export interface Call {
  method?: string
  path: string
  headers?: Record<string, string | readonly string[]>
  /** An object is sent as JSON with its length; a text or bytes as they are; `chunked` without a length. */
  body?: unknown
  chunked?: boolean
}

export interface TestBackend {
  app: FastifyInstance
  socketPath: string
  /** Calls with an assertion that `claims` change; null sends none. */
  call(call: Call, claims?: Partial<AssertionClaims> | null): Promise<Answer>
}

/** The backend over a source, listening on a Unix socket as it does inside `serve`. */
export async function testBackend(
  t: Test,
  source: ResourceSource,
  options: Partial<BackendOptions> = {},
): Promise<TestBackend> {
  const app = createBackend({
    source,
    verify: createAssertionVerifier({ findKey, audiences: () => ['backend'], issuer: baseUrl, leewaySeconds: 0 }),
    baseUrl,
    skipTokenKey: new Uint8Array(32).fill(7),
    logger: false,
    now: () => now,
    ...options,
  })
  const agent = new Agent({ keepAlive: true })
  const folder = await mkdtemp(join(tmpdir(), 'backend-'))
  t.teardown(async () => {
    agent.destroy()
    await app.close()
    await rm(folder, { recursive: true, force: true })
  })
  const socketPath = join(folder, 'backend.sock')
  await app.listen({ path: socketPath })
  const call = async (wanted: Call, claims?: Partial<AssertionClaims> | null): Promise<Answer> => {
    const identity = claims === null ? {} : { authorization: `Bearer ${await assertion(claims)}` }
    return send(socketPath, agent, { ...wanted, headers: { ...identity, ...wanted.headers } })
  }
  return { app, socketPath, call }
}

function send(socketPath: string, agent: Agent, call: Call): Promise<Answer> {
  const { body, chunked } = call
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const bytes = raw ? body : JSON.stringify(body)
  const typed = bytes === undefined ? {} : { 'content-type': 'application/json' }
  const length =
    chunked === true ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(Buffer.byteLength(bytes ?? '')) }
  const sized = bytes === undefined ? {} : length
  const headers = { host: 'api.example.com', ...typed, ...sized, ...call.headers }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { socketPath, agent, path: call.path, method: call.method ?? 'GET', headers },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const json = text === '' ? undefined : (JSON.parse(text) as unknown)
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json })
        })
      },
    )
    outgoing.on('error', reject)
    if (chunked === true && bytes !== undefined) outgoing.write(bytes)
    outgoing.end(chunked === true ? undefined : bytes)
  })
}
