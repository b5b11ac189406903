// Workload federation (decision 0061): a client proves who it is with a token of an issuer outside that it trusts, and
// the way on which that issuer's keys are found.

import { type KeyObject, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import {
  addFederatedCredential,
  type FederatedCredentialInput,
  removeFederatedCredential,
} from '../../../src/directory/credentials/federated-credentials.js'
import { isPublicAddress, publicLookup } from '../../../src/egress/public-address.js'
import { readFederatedCredentials } from '../../../src/storage/sql/registrations/federated-credentials.js'
import { issuerEgress } from '../../../src/tokens/external/issuer-egress.js'
import { createIssuerKeys } from '../../../src/tokens/external/issuer-keys.js'
import { startFakeProvider } from '../../support/providers/fake-provider.js'
import { baseUrl } from '../../support/rooms/directory.js'
import { type IdentityApp, introspectPath, openIdentity, readToken, tokenPath } from '../../support/rooms/identity.js'
import { newKeyPair } from '../../support/tokens/key-pair.js'
import { otherSpellings } from '../../support/tokens/spellings.js'

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const issuer = 'https://issuer.example/cluster'
const subject = 'system:serviceaccount:shop:orders'
const rsa = await newKeyPair('rsa', { modulusLength: 2048 })
const ec = await newKeyPair('ec', { namedCurve: 'P-256' })
const strange = await newKeyPair('ec', { namedCurve: 'P-256' })
const publicJwk = (key: KeyObject, kid: string) => ({ ...key.export({ format: 'jwk' }), kid })
const jwks = { keys: [publicJwk(rsa.publicKey, 'r'), publicJwk(ec.publicKey, 'e')] }
const trust = { name: 'orders in the cluster', issuer, subject, jwks }

async function open(
  t: Parameters<typeof openIdentity>[0],
  input: Partial<FederatedCredentialInput> = {},
  reuse: string[] = [],
) {
  const testApp = await openIdentity(t, {
    replace: ({ settings }) => ({ settings: { ...settings, federation: { ...settings.federation, reuse } } }),
  })
  const { registration, secret } = await testApp.registerDemo()
  const { applicationId } = registration
  const credential = await addFederatedCredential(testApp.writes, applicationId, { ...trust, ...input })
  return { testApp, applicationId, secret, credential }
}

interface Making {
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  key?: KeyObject | Uint8Array
}

/** A token of the issuer as it should be; `undefined` among the claims takes one out. */
function outsideToken(testApp: IdentityApp, { claims, header, key = ec.privateKey }: Making = {}): Promise<string> {
  const now = Math.floor(testApp.now() / 1000)
  const all = { iss: issuer, sub: subject, aud: baseUrl, iat: now, exp: now + 3600, jti: randomUUID(), ...claims }
  return new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid: 'e', ...header }).sign(key)
}

async function ask(
  testApp: IdentityApp,
  client_assertion: string,
  more: Record<string, string> = {},
  path = tokenPath,
) {
  const form = { grant_type: 'client_credentials', scope: 'default', client_assertion_type: assertionType }
  const answer = await testApp.post(path, { ...form, client_assertion, ...more })
  return { status: answer.statusCode, body: answer.json() }
}

t.test(
  'identity L10: a token of the trusted issuer proves the client once, and no token that is older than an hour',
  async (t) => {
    const { testApp, applicationId, credential } = await open(t)
    const client = { client_id: applicationId }
    const token = await outsideToken(testApp, { claims: { jti: undefined } })
    const first = await ask(testApp, token, client)
    t.equal(first.status, 200)
    t.equal(readToken(first.body.access_token).claims['cid'], credential.id, 'cid names the credential')
    t.equal((await ask(testApp, token, client)).status, 401, 'the same token once more')
    t.match(testApp.logged.join(''), 'federated_replayed')
    const named = { claims: { jti: 'one' } }
    t.equal((await ask(testApp, await outsideToken(testApp, named), client)).status, 200)
    t.equal(
      (await ask(testApp, await outsideToken(testApp, named), client)).status,
      401,
      'another signature, the same jti',
    )
    const { registration } = await testApp.registerDemo()
    const right: [string, Making][] = [
      ['RS256', { header: { alg: 'RS256', kid: 'r' }, key: rsa.privateKey }],
      ['typ JWT', { header: { typ: 'JWT' } }],
      ['a list of one audience', { claims: { aud: [baseUrl] } }],
      ['a token that lives for a week', { claims: { exp: Math.floor(testApp.now() / 1000) + 7 * 86_400 } }],
      ['a token of an hour ago', { claims: { iat: Math.floor(testApp.now() / 1000) - 3600 } }],
    ]
    for (const [title, making] of right)
      t.equal((await ask(testApp, await outsideToken(testApp, making), client)).status, 200, title)
    t.equal(
      (await ask(testApp, token, { client_id: registration.publicKey })).status,
      401,
      'another client does not trust it',
    )
    await testApp.directory.flush()
    const [kept] = await readFederatedCredentials(testApp.store.reader, applicationId)
    t.match(kept, { id: credential.id, last_used_at: testApp.now() }, 'when it was last used is known')
  },
)

t.test('identity L10: of twenty at once with one token one is taken', async (t) => {
  const { testApp, applicationId } = await open(t)
  const token = await outsideToken(testApp)
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(testApp, token, { client_id: applicationId })))
  t.same(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(401)])
})

t.test('a token that is a file may come again for an hour, where the operator names its issuer', async (t) => {
  const { testApp, applicationId } = await open(t, {}, [issuer])
  const client = { client_id: applicationId }
  const token = await outsideToken(testApp, { claims: { exp: Math.floor(testApp.now() / 1000) + 86_400 } })
  for (let n = 0; n < 3; n += 1) t.equal((await ask(testApp, token, client)).status, 200)
  testApp.clock.nowMs += 3_631_000
  t.equal((await ask(testApp, token, client)).status, 401)
})

t.test('J10 a federated token has one spelling', async (t) => {
  const { testApp, applicationId } = await open(t)
  const token = await outsideToken(testApp)
  for (const [title, spelling] of otherSpellings(token)) {
    t.equal((await ask(testApp, spelling, { client_id: applicationId })).status, 401, title)
  }
  t.equal((await ask(testApp, token, { client_id: applicationId })).status, 200)
  t.match(testApp.logged.join(''), 'federated_malformed')
})

t.test('K5 whatever is not exactly that is the one 401 invalid_client, and only the log knows why', async (t) => {
  const { testApp, applicationId } = await open(t)
  const now = Math.floor(testApp.now() / 1000)
  const claims = (changed: Record<string, unknown>): Making => ({ claims: changed })
  const cases: [string, Making, Record<string, string>?][] = [
    ['another issuer', claims({ iss: 'https://issuer.example' })],
    ['an issuer with a slash more', claims({ iss: `${issuer}/` })],
    ['another subject', claims({ sub: 'system:serviceaccount:shop:orders2' })],
    ['a subject in another case', claims({ sub: subject.toUpperCase() })],
    ['another audience', claims({ aud: 'https://other.test' })],
    ['two audiences', claims({ aud: [baseUrl, 'https://other.test'] })],
    ['no audience', claims({ aud: undefined })],
    ['no subject', claims({ sub: undefined })],
    ['expired', claims({ exp: now - 31 })],
    ['no exp', claims({ exp: undefined })],
    ['no iat', claims({ iat: undefined })],
    ['from the future', claims({ iat: now + 31 })],
    ['not yet valid', claims({ nbf: now + 31 })],
    ['older than an hour', claims({ iat: now - 3_631, exp: now + 3600 })],
    ['an access token of that issuer', { header: { typ: 'at+jwt' } }],
    ['a logout token of that issuer', { header: { typ: 'logout+jwt' } }],
    ['another key under its id', { key: strange.privateKey }],
    ['an unknown key', { header: { kid: 'x' } }],
    ['the id of a key for another algorithm', { header: { kid: 'r' } }],
    ['PS256', { header: { alg: 'PS256', kid: 'r' }, key: rsa.privateKey }],
    ['a public key as HMAC secret', { header: { alg: 'HS256' }, key: Buffer.from(JSON.stringify(jwks.keys[1])) }],
    ['an unknown client', {}, { client_id: randomUUID() }],
    ['no client_id', {}, {}],
    ['a client_id that is a URL', {}, { client_id: 'https://client.example/metadata.json' }],
  ]
  const answers: unknown[] = []
  for (const [title, making, client = { client_id: applicationId }] of cases) {
    const { status, body } = await ask(testApp, await outsideToken(testApp, making), client)
    t.equal(status, 401, title)
    answers.push([body.error, body.error_codes, body.error_description])
  }
  t.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1, 'T6 nobody learns which')
  for (const text of ['x', 'a.b.c', `${await outsideToken(testApp)}x`, 'eyJhbGciOiJub25lIn0.e30.']) {
    t.equal((await ask(testApp, text, { client_id: applicationId })).status, 401)
  }
  t.notMatch(testApp.logged.join(''), /eyJ/, 'K8 no token is logged')
  for (const reason of ['federated_age', 'federated_type', 'federated_key', 'federated_expired']) {
    t.match(testApp.logged.join(''), reason)
  }
})

t.test(
  'K4 federated credentials stand beside the one method; each method refuses the proofs of the others',
  async (t) => {
    const { testApp, applicationId, secret } = await open(t)
    const { writes } = testApp
    const outside = async () => (await ask(testApp, await outsideToken(testApp), { client_id: applicationId })).status
    const bySecret = async () =>
      (
        await testApp.post(tokenPath, {
          ...{ grant_type: 'client_credentials', scope: 'default', client_id: applicationId, client_secret: secret },
        })
      ).statusCode
    const own = await newKeyPair('ec', { namedCurve: 'P-256' })
    const ownKeys = { keys: [publicJwk(own.publicKey, 'own')] }
    const byOwnKey = async (kid = 'own', key = own.privateKey) => {
      const claims = {
        iss: applicationId,
        sub: applicationId,
        exp: Math.floor(testApp.now() / 1000) + 60,
        jti: randomUUID(),
      }
      return (await ask(testApp, await outsideToken(testApp, { claims, header: { kid }, key }))).status
    }
    t.same([await outside(), await bySecret(), await byOwnKey()], [200, 200, 401], 'secret')
    await changeApplication(writes, applicationId, { authMethod: 'private_key_jwt', jwks: ownKeys })
    t.same([await outside(), await bySecret(), await byOwnKey()], [200, 401, 200], 'private_key_jwt')
    t.equal(await byOwnKey('e', ec.privateKey), 401, 'a key of the issuer is none of the client')
    const claims = { iss: issuer, sub: subject }
    const signedByClient = await outsideToken(testApp, { claims, header: { kid: 'own' }, key: own.privateKey })
    t.equal((await ask(testApp, signedByClient, { client_id: applicationId })).status, 401, 'nor the other way round')
    await changeApplication(writes, applicationId, { authMethod: 'federated' })
    t.same([await outside(), await bySecret(), await byOwnKey()], [200, 401, 401], 'federated')
    const changed = await testApp.directory.findRegistration(applicationId)
    t.match([changed?.authMethod, changed?.jwks], ['federated', undefined])
    await t.rejects(changeApplication(writes, applicationId, { jwks: ownKeys }), { code: 'InvalidKeys' })
    const both = await ask(testApp, await outsideToken(testApp), { client_id: applicationId, client_secret: secret })
    t.equal(both.status, 400, 'two proofs in one request')
    await changeApplication(writes, applicationId, { state: 'disabled' })
    t.equal(await outside(), 401, 'a disabled application')
    const native = await testApp.registerDemo({ type: 'native' })
    const id = native.registration.applicationId
    await t.rejects(addFederatedCredential(writes, id, trust), { code: 'NativeApplication' })
    t.equal((await ask(testApp, await outsideToken(testApp), { client_id: id })).status, 401)
    await t.rejects(testApp.registerDemo({ authMethod: 'federated', secret: {} }), { code: 'KeysInstead' })
    const made = await testApp.registerDemo({ authMethod: 'federated' })
    t.same([made.secret, made.registration.secrets, made.registration.authMethod], ['', [], 'federated'])
  },
)

t.test('K4 removing the credential refuses its tokens at once, and nobody else’s', async (t) => {
  const { testApp, applicationId, credential, secret } = await open(t)
  const client = { client_id: applicationId }
  const federated = await ask(testApp, await outsideToken(testApp), client)
  const other = await testApp.post(tokenPath, {
    ...{ grant_type: 'client_credentials', scope: 'default', ...client, client_secret: secret },
  })
  const active = async (token: string) =>
    (await testApp.post(introspectPath, { token, ...client, client_secret: secret })).json().active
  t.same([await active(federated.body.access_token), await active(other.json().access_token)], [true, true])
  await t.rejects(removeFederatedCredential(testApp.writes, { applicationId, id: 'fed_none' }), {
    code: 'FederatedCredentialNotFound',
  })
  const untrusted = await testApp.registerDemo()
  const untrustedCredential = { applicationId: untrusted.registration.applicationId, id: credential.id }
  await t.rejects(removeFederatedCredential(testApp.writes, untrustedCredential), {
    code: 'FederatedCredentialNotFound',
  })
  await removeFederatedCredential(testApp.writes, { applicationId, id: credential.id })
  t.same([await active(federated.body.access_token), await active(other.json().access_token)], [false, true])
  t.equal((await ask(testApp, await outsideToken(testApp), client)).status, 401)
})

t.test('K7 and X6 failures are counted and noted as wrong secrets are', async (t) => {
  const noted: unknown[] = []
  const activity = { note: (event: unknown) => void noted.push(event), flush: async () => {} }
  const testApp = await openIdentity(t, {
    failedAuthentications: { limit: 2, periodMs: 60_000 },
    replace: () => ({ activity }) as never,
  })
  const { applicationId } = (await testApp.registerDemo()).registration
  await addFederatedCredential(testApp.writes, applicationId, trust)
  const statuses: number[] = []
  for (let i = 0; i < 3; i += 1) {
    const token = await outsideToken(testApp, { key: strange.privateKey })
    statuses.push((await ask(testApp, token, { client_id: applicationId })).status)
  }
  t.same(statuses, [401, 401, 429])
  t.match(noted[0], { event: 'client.authentication-failed', applicationId, details: { reason: 'federated_invalid' } })
})

t.test('what may be trusted: an https issuer that is not this server, exact texts, twenty at the most', async (t) => {
  const { testApp, applicationId } = await open(t)
  const add = (input: Partial<FederatedCredentialInput>) =>
    addFederatedCredential(testApp.writes, applicationId, { ...trust, ...input })
  const cases: [Partial<FederatedCredentialInput>, string, RegExp][] = [
    [{ issuer: 'http://issuer.example' }, 'InvalidFederation', /https/],
    [{ issuer: 'https://issuer.example?x=1' }, 'InvalidFederation', /https/],
    [{ issuer: 'https://issuer.example#x' }, 'InvalidFederation', /https/],
    [{ issuer: 'https://user@issuer.example' }, 'InvalidFederation', /https/],
    [{ issuer: 'https://Issuer.example' }, 'InvalidFederation', /lower case/],
    [{ issuer: 'https://issuer.example/../x' }, 'InvalidFederation', /https/],
    [{ issuer: `https://issuer.example/${'x'.repeat(512)}` }, 'InvalidFederation', /512/],
    [{ issuer: baseUrl }, 'InvalidFederation', /vouch/],
    [{ issuer: `${baseUrl}/` }, 'InvalidFederation', /vouch/],
    [{ subject: '' }, 'InvalidFederation', /subject/],
    [{ subject: 'repo:shop/*' }, 'InvalidFederation', /wildcard/],
    [{ subject: 'a\u0000b' }, 'InvalidFederation', /control/],
    [{ subject: ' a' }, 'InvalidFederation', /spaces/],
    [{ subject: 'x'.repeat(1025) }, 'InvalidFederation', /1024/],
    [{ audience: '' }, 'InvalidFederation', /audience/],
    [{ audience: '*' }, 'InvalidFederation', /wildcard/],
    [{ name: '' }, 'InvalidName', /name/],
    [{ jwks: { keys: [] } }, 'InvalidKeys', /1 to 10/],
    [{ jwks: { keys: [publicJwk(ec.privateKey, 'e')] } }, 'InvalidKeys', /private/],
    [{}, 'FederatedCredentialExists', /already/],
  ]
  for (const [input, code, message] of cases) await t.rejects(add(input), { code, message })
  for (let n = 1; n < 20; n += 1) await add({ subject: `repo:shop/site:environment:stage ${n}` })
  await t.rejects(add({ subject: 'one more' }), { code: 'TooManyFederatedCredentials' })
  await t.rejects(addFederatedCredential(testApp.writes, randomUUID(), trust), { code: 'ApplicationNotFound' })
  const audience = 'api://of-its-own'
  const { registration } = await testApp.registerDemo()
  await addFederatedCredential(testApp.writes, registration.applicationId, { ...trust, audience })
  const client = { client_id: registration.applicationId }
  t.equal((await ask(testApp, await outsideToken(testApp, { claims: { aud: audience } }), client)).status, 200)
  t.equal((await ask(testApp, await outsideToken(testApp), client)).status, 401, 'then ours is not enough')
})

t.test(
  'the issuer’s keys are found by its discovery document, shared, remembered, and fetched at its pace',
  async (t) => {
    const documents: Record<string, unknown> = {
      [`${issuer}/.well-known/openid-configuration`]: { issuer, jwks_uri: 'https://keys.example/jwks' },
      'https://keys.example/jwks': jwks,
    }
    const state = { requests: [] as string[], ms: 0, errors: 0 }
    const keys = createIssuerKeys({
      monotonic: () => state.ms,
      async fetch(url) {
        state.requests.push(url)
        if (documents[url] === undefined) throw new Error('nobody answers')
        return JSON.stringify(documents[url])
      },
      onError: () => {
        state.errors += 1
      },
    })
    const testApp = await openIdentity(t, { replace: () => ({ issuerKeys: keys }) })
    const { applicationId, tenantId } = (await testApp.registerDemo()).registration
    const client = { client_id: applicationId }
    await addFederatedCredential(testApp.writes, applicationId, { name: 'queried', issuer, subject })
    const unknown = await outsideToken(testApp, { claims: { iss: 'https://elsewhere.example' } })
    t.equal((await ask(testApp, unknown, client)).status, 401)
    t.equal((await ask(testApp, await outsideToken(testApp, { claims: { sub: 'x' } }), client)).status, 401)
    t.same(state.requests, [], 'nothing that nobody trusts is fetched')
    const many = await Promise.all(
      Array.from({ length: 20 }, async () => ask(testApp, await outsideToken(testApp), client)),
    )
    t.ok(many.every(({ status }) => status === 200))
    t.same(state.requests, Object.keys(documents), 'once for all')
    const noKid = { header: { kid: undefined as never } }
    t.equal((await ask(testApp, await outsideToken(testApp, noKid), client)).status, 401, 'a key has to be named')
    for (let n = 0; n < 20; n += 1) {
      const spray = await outsideToken(testApp, { header: { kid: `invented-${n}` } })
      t.equal((await ask(testApp, spray, client)).status, 401)
    }
    t.equal(state.requests.length, 2, 'a sprayer makes this server ask nobody')
    state.ms += 5_000
    await Promise.all(
      [1, 2, 3].map(async (n) => ask(testApp, await outsideToken(testApp, { header: { kid: `later-${n}` } }), client)),
    )
    t.equal(state.requests.length, 4, 'but once in an interval')
    delete documents['https://keys.example/jwks']
    const failedAt: number[] = []
    for (let at = 0; at < 2_000; at += 5) {
      state.ms += 5_000
      const before = state.requests.length
      t.equal(await keys.find(issuer, 'nobody', tenantId), 'away')
      if (state.requests.length > before) failedAt.push(state.ms)
    }
    const waits = failedAt.slice(1).map((at, index) => (at - (failedAt[index] ?? 0)) / 1000)
    t.same(waits.slice(0, 7), [10, 20, 40, 80, 160, 300, 300], 'each failure doubles the pause')
    t.equal(state.errors, failedAt.length)
    t.match(await keys.find(issuer, 'e', tenantId), { alg: 'ES256' }, 'what was known is believed meanwhile')
    state.ms += 3_600_000
    t.equal(await keys.find(issuer, 'e', tenantId), 'away', 'for an hour')
    const late = await outsideToken(testApp)
    t.equal((await ask(testApp, late, client)).status, 503, 'gateway H4: nobody is refused because the issuer is away')
  },
)

t.test('a discovery document of somebody else, or keys that are not https, are not believed', async (t) => {
  for (const document of [
    { issuer: `${issuer}2`, jwks_uri: 'https://keys.example/jwks' },
    { issuer, jwks_uri: 'http://keys.example/jwks' },
    { issuer, jwks_uri: 'file:///etc/passwd' },
    { issuer, jwks_uri: ['https://keys.example/jwks'] },
    { issuer },
    {},
  ]) {
    const requests: string[] = []
    const keys = createIssuerKeys({
      monotonic: () => 0,
      async fetch(url) {
        requests.push(url)
        return JSON.stringify(requests.length === 1 ? document : jwks)
      },
    })
    t.equal(await keys.find(issuer, 'e', 'tenant'), 'away')
    t.equal(requests.length, 1)
  }
})

t.test(
  'the way out: https with its certificate verified, public or allowed, nothing followed, nothing large',
  async (t) => {
    const provider = await startFakeProvider(t)
    const { ca } = provider.settings
    const settings = { fetch: true, allow: ['localhost'], ca }
    const createKeys = (more: Partial<typeof settings>) =>
      createIssuerKeys({ fetch: issuerEgress({ ...settings, ...more }), monotonic: () => 0 })
    const found = (more: Partial<typeof settings> = {}) => createKeys(more).find(provider.issuer, 'k1', 'tenant')
    t.match(await found(), { alg: 'ES256' })
    const requestsBefore = provider.requests.length
    t.equal(await found({ allow: [] }), 'away', 'a name of a private address')
    t.equal(await found({ fetch: false }), 'away', 'switched off')
    t.equal(await found({ ca: undefined }), 'away', 'an authority that nobody trusts')
    t.equal(provider.requests.length, requestsBefore, 'none of them got through')
    for (const literal of ['https://127.0.0.1:1/', 'https://[::1]:1/', 'https://169.254.169.254/', 'https://0x7f.1/']) {
      await t.rejects(issuerEgress({ ...settings, allow: [] })(literal), { name: 'AddressNotPublic' })
    }
    await t.rejects(issuerEgress(settings)('http://localhost/'), /https only/)
    const elsewhere = { location: `${provider.issuer}/other` }
    provider.next.instead['/jwks'] = { status: 302, headers: elsewhere }
    t.equal(await found(), 'away', 'a redirect')
    t.notMatch(provider.requests, ['GET /other'])
    provider.next.instead['/jwks'] = { status: 200, body: JSON.stringify({ keys: [], filler: 'x'.repeat(70_000) }) }
    t.equal(await found(), 'away', 'too large')
  },
)

t.test('which addresses are public, and a name is judged by all that it resolves to', async (t) => {
  const not = ['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.0.1', '169.254.169.254', '172.16.0.1']
  not.push('172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.0.1', '198.18.0.1', '198.51.100.1', '203.0.113.1')
  not.push('224.0.0.1', '240.0.0.1', '255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', 'fc00::1')
  not.push('fd12::1', 'fe80::1', 'ff02::1', '64:ff9b::7f00:1', '2001::1', '2001:db8::1', '2002:7f00:1::', '100::1')
  not.push('', 'localhost', '8.8.8', '8.8.8.8.', '0x8.8.8.8')
  for (const address of not) t.equal(isPublicAddress(address), false, address)
  for (const address of ['8.8.8.8', '172.15.0.1', '172.32.0.1', '192.167.1.1', '2606:4700::1', '2a00:1450::1']) {
    t.equal(isPublicAddress(address), true, address)
  }
  const resolving = (addresses: string[]) =>
    ((_name: string, _options: unknown, done: (error: null, found: object[]) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as never
  const look = (addresses: string[], allowed: string[] = [], all = false) =>
    new Promise<unknown>((resolve) =>
      publicLookup('name.example', { allowed: new Set(allowed), tenant: 'one', resolve: resolving(addresses) })(
        'Name.example',
        { all },
        (error, found) => resolve(error?.name ?? found),
      ),
    )
  t.equal(await look(['8.8.8.8', '2606:4700::1']), '8.8.8.8')
  t.match(await look(['8.8.8.8'], [], true), [{ address: '8.8.8.8' }])
  t.equal(await look(['127.0.0.1']), 'AddressNotPublic')
  t.equal(await look(['8.8.8.8', '10.0.0.1']), 'AddressNotPublic', 'one private among public ones')
  t.equal(await look([]), 'AddressNotPublic')
  t.equal(await look(['127.0.0.1'], ['name.example']), '127.0.0.1', 'what the operator allows')
})
