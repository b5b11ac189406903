// Tokens of issuers outside: taken on the routes that name their issuer, as callers whose names are nobody else's, with
// the permissions that the configuration says; everything else about them is refused as it is about ours.

import { type KeyObject, sign } from 'node:crypto'
import t, { type Test } from 'tap'
import { createExternalTokens, type ExternalTokenRequest, KeysUnavailable } from '../../src/access/external-tokens.js'
import type { TokenPrincipal } from '../../src/access/principal.js'
import type { IssuerSettings } from '../../src/config/settings/issuer-settings.js'
import { createForgedTokens } from '../../src/limits/forged-tokens.js'
import type { RevocationReason } from '../../src/revocation/view.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'
import { sumRouteUsage } from '../../src/storage/sql/usage/usage-reads.js'
import { baseUrl, ownResource } from '../support/rooms/directory.js'
import { openGate, recordingUpstream, viaProxy } from '../support/rooms/http-gate.js'
import { newKeyPair } from '../support/tokens/key-pair.js'
import { forge, forgeWithHmac, nowSeconds, segment, type TestKey, testKey } from '../support/tokens/tokens-forge.js'
import { rawRequest } from '../support/traffic/http-raw.js'

const entra = 'https://login.example/tenant/v2.0'
const keycloak = 'https://keycloak.example/realms/work'
const audience = 'api://gate'
const tenantId = '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02'
const otherTenant = '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b03'

const rsa = await testKey('entra-key', 'RS256')
const ec = await testKey('keycloak-key', 'ES256')
const ours = await testKey('own-key', 'ES256')

const jwkOf = (key: Pick<TestKey, 'kid' | 'publicKey'>, more: object = {}) => ({
  ...{ ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, use: 'sig' },
  ...more,
})

function issuerSettings(name: string, changes: Partial<IssuerSettings> = {}): IssuerSettings {
  return {
    name,
    issuer: entra,
    audiences: [audience],
    keys: { url: undefined },
    algorithms: ['RS256', 'PS256'],
    typ: undefined,
    leewaySeconds: 60,
    applicationClaim: 'azp',
    userClaim: 'sub',
    acts: { claim: 'idtyp', equals: 'app' },
    tenant: tenantId,
    permissions: new Map([
      ['scp', new Map([['read', ['User.Read.All']]])],
      ['roles', new Map([['Reader', ['User.Read.All', 'Subscription.Read.All']]])],
    ]),
    resource: ownResource,
    position: { file: 'test', line: 1, column: 1 },
    ...changes,
  }
}

const keycloakSettings = issuerSettings('keycloak', {
  ...{ issuer: keycloak, algorithms: ['ES256'], acts: 'user' as const, keys: { url: 'https://keycloak.example/keys' } },
  permissions: new Map([['realm_access.roles', new Map([['reader', ['User.Read.All']]])]]),
  tenant: { claim: 'org', values: new Map([['blue', otherTenant]]) },
})

/** A person's token as Entra makes it; a claim that is undefined is absent. */
const claims = (changes: Record<string, unknown> = {}) => ({
  ...{ iss: entra, aud: audience, sub: 'person-1', azp: 'client-1', scp: 'read openid', jti: 'j1', tid: 'theirs' },
  ...{ iat: nowSeconds, nbf: nowSeconds, exp: nowSeconds + 3600 },
  ...changes,
})
const ofKeycloak = (changes: Record<string, unknown> = {}) =>
  claims({
    iss: keycloak,
    scp: undefined,
    nbf: undefined,
    org: 'blue',
    realm_access: { roles: ['reader'] },
    ...changes,
  })

const byName = (settings: readonly IssuerSettings[]) => new Map(settings.map((one) => [one.name, one]))

/** Two issuers whose keys are answered by functions, on clocks that a test sets. */
function testApp(options: { settings?: IssuerSettings[]; cacheEntries?: number } = {}) {
  const documents = new Map<string, () => unknown>([
    [`${entra}/.well-known/openid-configuration`, () => ({ issuer: entra, jwks_uri: 'https://login.example/keys' })],
    // Without `alg`, as Entra publishes them.
    ['https://login.example/keys', () => ({ keys: [jwkOf(rsa)] })],
    ['https://keycloak.example/keys', () => ({ keys: [jwkOf(ec, { alg: 'ES256' })] })],
  ])
  const state = {
    documents,
    fetched: [] as string[],
    nowMs: nowSeconds * 1000,
    monotonicMs: 0,
    refusal: undefined as RevocationReason | undefined,
    checkedTokens: [] as object[],
  }
  const authenticator = createExternalTokens({
    issuers: byName(options.settings ?? [issuerSettings('entra'), keycloakSettings]),
    ownIssuer: baseUrl,
    view: {
      refusal(token) {
        state.checkedTokens.push(token)
        return state.refusal
      },
    },
    async fetch(url) {
      state.fetched.push(url)
      const document = documents.get(url)?.()
      if (document === undefined) throw new Error(`nobody answers at ${url}`)
      return JSON.stringify(document)
    },
    cacheEntries: options.cacheEntries ?? 100,
    forgedTokens: createForgedTokens({ counters: createInProcessCounters(), monotonic: () => state.monotonicMs }),
    now: () => state.nowMs,
    monotonic: () => state.monotonicMs,
  })
  const ask = (token: string, changes: Partial<ExternalTokenRequest> = {}) =>
    authenticator.authenticate({
      rawHeaders: ['authorization', `Bearer ${token}`],
      query: undefined,
      issuers: ['own', 'entra', 'keycloak'],
      resource: ownResource,
      connection: {},
      ...changes,
    })
  const refusal = async (token: string, changes: Partial<ExternalTokenRequest> = {}) => {
    try {
      const found = await ask(token, changes)
      return found === 'own' ? 'own' : 'taken'
    } catch (error) {
      return (error as { reason?: string }).reason ?? (error as Error).constructor.name
    }
  }
  return { authenticator, state, ask, refusal }
}

t.test('J6 a token of a named issuer is a caller under its name, with what its claims stand for', async (t) => {
  const { ask } = testApp()
  t.match(await ask(forge(rsa, claims(), { typ: 'JWT' })), {
    ...{ kind: 'delegated', applicationId: 'entra:client-1', userId: 'entra:person-1', tenantId, issuer: 'entra' },
    ...{ resource: ownResource, permissions: new Set(['User.Read.All']), jti: 'entra:j1' },
  })
  const app = claims({ idtyp: 'app', scp: undefined, roles: ['Reader', 'Unknown'], sub: 'client-1' })
  const own = (await ask(forge(rsa, app, { typ: undefined }))) as TokenPrincipal
  t.match(own, { kind: 'application', permissions: new Set(['User.Read.All', 'Subscription.Read.All']) })
  t.notOk('userId' in own)
  const nested = forge(ec, ofKeycloak({ aud: ['account', audience], jti: undefined }))
  t.match(await ask(nested), { applicationId: 'keycloak:client-1', tenantId: otherTenant, jti: /^keycloak:.{43}$/ })
  t.match(await ask(forge(rsa, claims({ scp: 'write', permissions: ['User.Read.All'] }))), { permissions: new Set() })
  const named = { 'https://claims.example/roles': ['Reader'] }
  const settings = issuerSettings('entra', {
    permissions: new Map([['https://claims.example/roles', new Map([['Reader', ['User.Read.All']]])]]),
  })
  t.match(await testApp({ settings: [settings] }).ask(forge(rsa, claims(named))), {
    permissions: new Set(['User.Read.All']),
  })
})

t.test('J1 to J13 whatever is wrong with a token, it is refused', async (t) => {
  const { refusal, state } = testApp()
  const pss = (kid: string, privateKey: KeyObject) => {
    const input = `${segment({ alg: 'PS256', typ: 'JWT', kid })}.${segment(claims())}`
    const padded = { key: privateKey, padding: 6, saltLength: 32 }
    return `${input}.${sign('sha256', Buffer.from(input), padded).toString('base64url')}`
  }
  const unsigned = `${segment({ alg: 'none', typ: 'JWT', kid: rsa.kid })}.${segment(claims())}`
  const pem = String(rsa.publicKey.export({ format: 'pem', type: 'spki' }))
  const twice = `{"iss":"${entra}",${JSON.stringify(claims()).slice(1)}`
  const brackets = Buffer.from(`{"x":${'['.repeat(3_000)}${']'.repeat(3_000)}}`).toString('base64url')
  const cases: [string, string, string | Promise<string>][] = [
    ['J1 without a signature', `${unsigned}.`, 'token_encoding'],
    ['J1 alg none', `${unsigned}.AA`, 'algorithm_mismatch'],
    [
      'J1 HS256 with the public key',
      forgeWithHmac(pem, { alg: 'HS256', typ: 'JWT', kid: rsa.kid }, claims()),
      'algorithm_mismatch',
    ],
    ['J1 PS256 under a key for RS256', pss(rsa.kid, rsa.privateKey), 'algorithm_mismatch'],
    ['J1 an algorithm of another issuer', forge(ec, claims(), { kid: rsa.kid }), 'algorithm_mismatch'],
    ['J2 the key of another issuer', forge(await testKey('keycloak-key', 'RS256'), claims()), 'unknown_key'],
    ['J2 another key under a known id', forge(await testKey('entra-key', 'RS256'), claims()), 'bad_signature'],
    ['J2 no key id', forge(rsa, claims(), { kid: undefined }), 'token_key'],
    ['J2 a list as key id', forge(rsa, claims(), { kid: [rsa.kid] }), 'token_key'],
    [
      'J3 a key in the header',
      forge(await testKey('mine', 'RS256'), claims(), { jwk: jwkOf(rsa), jku: 'https://evil.example' }),
      'unknown_key',
    ],
    ['J4 an extension', forge(rsa, claims(), { crit: ['x'], x: 1 }), 'token_extension'],
    ['J5 a logout token', forge(rsa, claims(), { typ: 'logout+jwt' }), 'token_type'],
    ['J5 a proof', forge(rsa, claims(), { typ: 'dpop+jwt' }), 'token_type'],
    ['J6 the name of the issuer with a slash', forge(rsa, claims({ iss: `${entra}/` })), 'wrong_issuer'],
    ['J6 signed by one issuer in the name of another', forge(ec, ofKeycloak({ iss: entra })), 'algorithm_mismatch'],
    ['J6 of one issuer with the key id of another', forge(rsa, ofKeycloak(), { alg: 'ES256' }), 'unknown_key'],
    ['J6 for somebody else', forge(rsa, claims({ aud: 'client-1' })), 'wrong_audience'],
    ['J6 for a part of our name', forge(rsa, claims({ aud: `${audience}/x` })), 'wrong_audience'],
    ['J6 for nobody', forge(rsa, claims({ aud: undefined })), 'claims'],
    ['J6 expired', forge(rsa, claims({ exp: nowSeconds - 61, iat: nowSeconds - 90 })), 'expired'],
    ['J6 from the future', forge(rsa, claims({ iat: nowSeconds + 61, nbf: undefined })), 'not_yet_valid'],
    ['J6 not valid yet', forge(rsa, claims({ nbf: nowSeconds + 61 })), 'not_yet_valid'],
    ['J6 for ever', forge(rsa, claims({ exp: nowSeconds + 90_000 })), 'lifetime'],
    ['J7 an end in text', forge(rsa, claims({ exp: String(nowSeconds + 60) })), 'claims'],
    ['J7 an audience that is none', forge(rsa, claims({ aud: { x: audience } })), 'claims'],
    ['J7 a list with a number', forge(rsa, claims({ aud: [audience, 1] })), 'claims'],
    ['J7 a member twice', forge(rsa, twice), 'own'],
    ['J8 five parts', 'a.b.c.d.e', 'own'],
    ['J8 brackets within brackets', `${brackets}.${segment({ iss: entra })}.AA`, 'token_json'],
    ['J9 a flood of dots', '.'.repeat(9_000), 'token_too_long'],
    ['J10 padding', `${forge(rsa, claims())}=`, 'token_encoding'],
    ['without a client', forge(rsa, claims({ azp: undefined })), 'claims'],
    ['a client with a line feed', forge(rsa, claims({ azp: 'a\nb' })), 'claims'],
    ['without a person', forge(rsa, claims({ sub: undefined })), 'claims'],
    ['of an unknown tenant', forge(ec, ofKeycloak({ org: 'red' })), 'claims'],
    ['bound to a key', forge(rsa, claims({ cnf: { jkt: 'x' } })), 'bound_token'],
  ]
  for (const [title, token, reason] of cases) t.equal(await refusal(token), await reason, title)
  t.notMatch(state.fetched.join(), 'evil.example')
})

t.test('J1 keys without alg are for the first algorithm of their type; PS256 where the issuer names it', async (t) => {
  const key = await newKeyPair('rsa', { modulusLength: 2048 })
  const input = `${segment({ alg: 'PS256', typ: 'JWT', kid: 'p' })}.${segment(claims())}`
  const signature = (saltLength: number) =>
    sign('sha256', Buffer.from(input), { key: key.privateKey, padding: 6, saltLength }).toString('base64url')
  const { refusal, state } = testApp({ settings: [issuerSettings('entra', { algorithms: ['PS256'] })] })
  state.documents.set('https://login.example/keys', () => ({ keys: [jwkOf({ kid: 'p', publicKey: key.publicKey })] }))
  t.equal(await refusal(`${input}.${signature(32)}`), 'taken')
  t.equal(await refusal(`${input}.${signature(20)}`), 'bad_signature')
  t.equal(await refusal(forge({ kid: 'p', alg: 'RS256', ...key }, claims())), 'algorithm_mismatch')
})

t.test(
  'J12 a remembered token is decided at once, and checked for route, time, revocation and keys all the same',
  async (t) => {
    const { ask, refusal, state, authenticator } = testApp()
    const token = forge(rsa, claims())
    const connection = {}
    const principal = (await ask(token, { connection })) as TokenPrincipal
    t.notOk(ask(token) instanceof Promise, 'on another connection')
    t.equal(ask(token, { connection }), principal, 'and on the same')
    for (const changes of [{ connection }, {}]) {
      t.equal(await refusal(token, { ...changes, issuers: ['keycloak', 'own'] }), 'wrong_issuer', 'not on this route')
      t.equal(await refusal(token, { ...changes, resource: 'https://other.example' }), 'wrong_audience')
      state.refusal = 'tenant_disabled'
      t.equal(await refusal(token, changes), 'tenant_disabled')
      state.refusal = undefined
    }
    t.match(state.checkedTokens.at(-1), {
      jti: 'entra:j1',
      tenantId,
      applicationId: 'entra:client-1',
      userId: 'entra:person-1',
    })
    state.nowMs += 3_661_000
    t.equal(await refusal(token, { connection }), 'expired')
    state.nowMs -= 3_661_000
    const fetched = state.fetched.length
    authenticator.replace(byName([issuerSettings('entra'), keycloakSettings]))
    t.equal(ask(token), principal, 'the same configuration keeps what is known')
    authenticator.replace(byName([issuerSettings('entra', { audiences: ['api://new'] })]))
    t.equal(await refusal(token, { connection }), 'wrong_audience', 'another configuration: verified anew')
    t.equal(state.fetched.length, fetched, 'with the same keys')
    authenticator.replace(byName([]))
    t.equal(await refusal(token, { connection }), 'wrong_issuer', 'no such issuer any more')
    t.ok(authenticator.isKeyGone(principal))
    authenticator.replace(byName([issuerSettings('entra')]))
    t.equal(await refusal(token), 'taken')
    t.notOk(authenticator.isKeyGone(principal))
    const next = await testKey('next', 'RS256')
    state.documents.set('https://login.example/keys', () => ({ keys: [jwkOf(next)] }))
    state.monotonicMs += 600_001
    t.equal(await refusal(token), 'taken', 'the set is fetched in the background')
    await new Promise(setImmediate)
    t.equal(await refusal(token, { connection }), 'unknown_key', 'J16 a key that is gone takes its tokens with it')
    t.ok(authenticator.isKeyGone(principal), 'and their streams')
  },
)

t.test('F24 a thousand tokens with unknown keys cost one request, and no keys at all are 503', async (t) => {
  const { ask, refusal, state } = testApp()
  await ask(forge(rsa, claims()))
  const before = state.fetched.length
  const invented = Array.from({ length: 1_000 }, (_, at) => forge(ec, ofKeycloak(), { kid: `k${at}` }))
  t.same(new Set(await Promise.all(invented.map((token) => refusal(token)))), new Set(['unknown_key']))
  t.equal(state.fetched.length - before, 1)
  const away = testApp()
  away.state.documents.clear()
  const tokens = Array.from({ length: 100 }, (_, at) => forge(rsa, claims({ jti: `j${at}` })))
  const refused = await Promise.all(tokens.map((token) => away.refusal(token)))
  t.same(new Set(refused), new Set([KeysUnavailable.name]))
  t.equal(away.state.fetched.length, 1)
  state.documents.clear()
  state.monotonicMs += 600_001
  t.equal(await refusal(forge(rsa, claims({ jti: 'new' }))), 'taken', 'known keys hold while nobody answers')
  await new Promise(setImmediate)
  t.equal(await refusal(forge(rsa, claims(), { kid: 'new' })), KeysUnavailable.name, 'it may be there by now')
  state.monotonicMs += 3_600_000
  t.equal(await refusal(forge(rsa, claims())), KeysUnavailable.name, 'but not for ever')
})

t.test('a pinned key asks nobody', async (t) => {
  const { refusal, state } = testApp({
    settings: [issuerSettings('entra', { keys: { jwks: { keys: [jwkOf(rsa)] } } })],
  })
  t.equal(await refusal(forge(rsa, claims())), 'taken')
  t.equal(await refusal(forge(await testKey('x', 'RS256'), claims())), 'unknown_key')
  t.same(state.fetched, [])
})

const openWithExternalIssuer = async (t: Test) => {
  const { authenticator, state } = testApp()
  const upstream = await recordingUpstream(t)
  const methods = { GET: ['User.Read.All'] }
  const gate = await openGate(t, {
    upstreams: { api: { target: upstream.target } },
    routes: [
      { path: '/own', methods },
      { path: '/both', methods, issuers: ['own', 'entra'] },
      { path: '/entra', methods, issuers: ['entra'] },
      { path: '/more', methods: { GET: ['Subscription.Read.All'] }, issuers: ['entra'] },
    ],
    limits: {
      app: { name: 'app', by: ['application'], algorithm: { kind: 'quota', limit: 6, periodMs: 60_000 } },
    },
    replace: () => ({ externalTokens: authenticator }),
  })
  const call = async (path: string, token: string) => {
    const bearer = token === '' ? '' : `Authorization: Bearer ${token}\r\n`
    const answer = await rawRequest(
      { port: gate.port },
      `GET ${path} HTTP/1.1\r\n${viaProxy}${bearer}Connection: close\r\n\r\n`,
    )
    return { ...answer, sent: upstream.requests.at(-1) }
  }
  state.nowMs = gate.clock.nowMs
  return { gate, state, upstream, call, at: Math.floor(gate.clock.nowMs / 1000) }
}

t.test('J13 J14 at the gate: each route takes the tokens of the issuers that it names and no others', async (t) => {
  const { gate, state, upstream, call, at } = await openWithExternalIssuer(t)
  const times = { iat: at, nbf: at, exp: at + 3600 }
  const theirs = forge(rsa, claims(times))
  const own = await gate.token(['User.Read.All'])
  const statuses = async (token: string) => {
    const statusList: number[] = []
    for (const path of ['/own', '/both', '/entra']) statusList.push((await call(path, token)).status)
    return statusList
  }
  t.same(await statuses(theirs), [401, 200, 200])
  t.same(await statuses(own), [200, 200, 401])
  t.same(await statuses(forge(rsa, claims({ ...times, iss: baseUrl, aud: ownResource }))), [401, 401, 401])
  t.same(await statuses(forge(ours, claims(times))), [401, 401, 401])
  t.equal(upstream.requests.length, 4)
  const { sent } = await call('/entra', theirs)
  t.notMatch(String(sent?.headers.authorization), theirs)
  const [, body = ''] = String(sent?.headers.authorization).split('.')
  t.match(JSON.parse(Buffer.from(body, 'base64url').toString()), {
    ...{ iss: baseUrl, sub: 'entra:person-1', client_id: 'entra:client-1', tid: tenantId, scope: 'User.Read.All' },
  })
  const missing = await call('/more', theirs)
  t.equal(missing.status, 403)
  t.match(missing.body, /Subscription\.Read\.All/)
  t.notMatch(missing.body, /consent_uri/, 'what another issuer gives is not consented to here')
  t.equal((await call('/both', '')).status, 401)
  await gate.usage.flush()
  const day = Math.floor(state.nowMs / 86_400_000)
  const about = { applicationId: 'entra:client-1', tenantId, from: day, to: day }
  t.match(await sumRouteUsage(gate.store.reader, about, 'application_id', 10), [
    { key: 'entra:client-1', allowed: 3, not_permitted: 1 },
  ])
  for (let i = 0; i < 3; i += 1) t.equal((await call('/entra', theirs)).status, 200)
  t.equal((await call('/entra', theirs)).status, 429, 'limits count them by that name')
  state.documents.clear()
  state.monotonicMs += 4_300_000
  const unknown = await call('/both', forge(rsa, claims(times)))
  t.equal(unknown.status, 503)
  t.ok(unknown.headers.get('retry-after'))
})

t.test(
  'J2 forged tokens of an issuer outside: after a thousand from one address no signature is looked at',
  async (t) => {
    const { refusal, state } = testApp()
    const address = '192.0.2.1'
    const known = forge(rsa, claims({ jti: 'known' }))
    t.equal(await refusal(known, { address }), 'taken')
    const forged = forge(await testKey('entra-key', 'RS256'), claims())
    for (let i = 0; i < 1_000; i += 1) if ((await refusal(forged, { address })) !== 'bad_signature') t.fail(`${i}`)
    t.equal(await refusal(forged, { address }), 'forged_too_often')
    t.equal(await refusal(forge(rsa, claims({ jti: 'new' })), { address }), 'forged_too_often')
    t.equal(await refusal(known, { address }), 'taken', 'a token that was verified before needs no signature')
    t.equal(await refusal(forge(rsa, claims({ jti: 'new' })), { address: '192.0.2.2' }), 'taken', 'other addresses')
    state.monotonicMs += 63_000
    t.equal(await refusal(forge(rsa, claims({ jti: 'newer' })), { address }), 'taken', 'the wait ends')
  },
)
