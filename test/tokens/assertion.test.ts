// Assertions to upstreams, and how a service elsewhere gets the keys that verify them.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK } from 'jose'
import t from 'tap'
import { BearerError } from '../../src/oauth/errors/errors.js'
import { assertionType, signAssertion } from '../../src/tokens/assertion.js'
import type { AssertionClaims } from '../../src/tokens/claims.js'
import { fetchDocument } from '../../src/tokens/external/fetch-document.js'
import { createRemoteKeys } from '../../src/tokens/external/remote-keys.js'
import { createVerificationKey } from '../../src/tokens/keys/verification-key.js'
import { assertionKeyId, verifyAssertion } from '../../src/tokens/verify-assertion.js'
import {
  appClaims,
  applicationId,
  forge,
  issuer,
  nowSeconds,
  type TestKey,
  tenantId,
  testKey,
} from '../support/tokens/tokens-forge.js'

const key = await testKey('assertion-1', 'ES256')
const jwk = { ...(await exportJWK(key.publicKey)), kid: key.kid, alg: key.alg, use: 'sig' }

const claims: AssertionClaims = {
  iss: issuer,
  aud: 'backend',
  sub: applicationId,
  client_id: applicationId,
  iat: nowSeconds,
  exp: nowSeconds + 60,
  jti: '1f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a09',
  tid: tenantId,
  idtyp: 'app',
  scope: 'User.Read.All',
}

function verify(token: string, nowMs = nowSeconds * 1000): AssertionClaims {
  const findKey = (kid: string) => (kid === key.kid ? createVerificationKey(kid, 'ES256', jwk) : undefined)
  return verifyAssertion(token, { findKey, audience: 'backend', issuer, leewaySeconds: 5, nowMs })
}

function reasonOf(token: string, nowMs?: number): string {
  try {
    verify(token, nowMs)
    return 'accepted'
  } catch (error) {
    return error instanceof BearerError ? error.reason : String(error)
  }
}

const forged = (changes: object, by: TestKey = key) => forge(by, { ...claims, ...changes }, { typ: assertionType })

t.test('a service believes the assertion that was signed for it', async (t) => {
  const token = await signAssertion({ signingKey: () => key }, claims)
  t.same(verify(token), claims)
  t.equal(assertionKeyId(token), key.kid)
})

t.test(
  'J5 an access token is no assertion, and an assertion for another, by another or too old is refused',
  async (t) => {
    t.equal(reasonOf(forge(key, appClaims({ aud: 'backend' }))), 'token_type')
    t.equal(reasonOf(forge(key, claims, { typ: 'JWT' })), 'token_type')
    t.equal(reasonOf(forged({ aud: 'other' })), 'wrong_audience')
    t.equal(reasonOf(forged({ aud: ['backend'] })), 'wrong_audience')
    t.equal(reasonOf(forged({ iss: 'https://elsewhere' })), 'wrong_issuer')
    t.equal(reasonOf(forged({}, await testKey('assertion-1', 'ES256'))), 'bad_signature')
    t.equal(reasonOf(forged({}, await testKey('assertion-2', 'ES256'))), 'unknown_key')
    t.equal(reasonOf(forge(key, claims, { typ: assertionType, alg: 'none' })), 'algorithm_mismatch')
    t.equal(reasonOf(forged({}), (nowSeconds + 64) * 1000), 'accepted')
    t.equal(reasonOf(forged({}), (nowSeconds + 65) * 1000), 'expired')
    t.equal(reasonOf(forged({}), (nowSeconds - 6) * 1000), 'not_yet_valid')
    t.equal(reasonOf(forged({ exp: nowSeconds + 601 })), 'lifetime')
    for (const name of ['sub', 'client_id', 'jti', 'tid', 'idtyp', 'scope', 'iat', 'exp']) {
      t.equal(reasonOf(forged({ [name]: undefined })), 'claims', name)
      t.equal(reasonOf(forged({ [name]: ['x'] })), 'claims', name)
    }
  },
)

/** Whether a condition comes true within fifteen seconds. */
async function becomes(condition: () => boolean): Promise<boolean> {
  const started = performance.now()
  while (!condition() && performance.now() - started < 15_000) await new Promise((resolve) => setImmediate(resolve))
  return condition()
}

/** Remote keys over a document that can change, on a clock that can be moved. */
function remote(initial: unknown) {
  const state = { document: initial, fetches: 0, ms: 1_000_000, fails: false }
  const keys = createRemoteKeys({
    url: 'https://gate.example/keys',
    monotonic: () => state.ms,
    fetch: async () => {
      state.fetches += 1
      await new Promise((resolve) => setImmediate(resolve))
      if (state.fails) throw new Error('unreachable')
      return typeof state.document === 'string' ? state.document : JSON.stringify(state.document)
    },
  })
  return { state, keys }
}

t.test('J2 a flood of unknown key ids costs one request per interval, and they share it (F24)', async (t) => {
  const { state, keys } = remote({ keys: [jwk] })
  t.equal(keys.findKey(key.kid), undefined, 'nothing before the first request')
  await Promise.all(Array.from({ length: 500 }, (_, at) => keys.prepare(`invented-${at}`)))
  t.equal(state.fetches, 1)
  t.equal(keys.findKey(key.kid)?.alg, 'ES256')
  t.equal(keys.findKey('invented-1'), undefined)
  for (let at = 0; at < 500; at += 1) await keys.prepare(`more-${at}`)
  t.equal(state.fetches, 1)
  state.ms += 5_000
  await Promise.all(Array.from({ length: 500 }, (_, at) => keys.prepare(`again-${at}`)))
  t.equal(state.fetches, 2)
})

t.test(
  'a known key needs no request; an old set is fetched anew behind the answer, so a removed key leaves',
  async (t) => {
    const { state, keys } = remote({ keys: [jwk] })
    await keys.prepare(key.kid)
    for (let at = 0; at < 10; at += 1) await keys.prepare(key.kid)
    t.equal(state.fetches, 1)
    state.document = { keys: [] }
    state.ms += 60_000
    await keys.prepare(key.kid)
    t.ok(await becomes(() => keys.findKey(key.kid) === undefined))
    t.equal(state.fetches, 2)
  },
)

t.test('when the gate is away its keys are believed for an hour, then nobody is', async (t) => {
  const { state, keys } = remote({ keys: [jwk] })
  await keys.prepare(key.kid)
  state.fails = true
  for (let minute = 0; minute < 59; minute += 1) {
    state.ms += 60_000
    await keys.prepare(key.kid)
    t.ok(keys.findKey(key.kid))
  }
  state.ms += 60_000
  await keys.prepare(key.kid)
  t.equal(keys.findKey(key.kid), undefined)
  state.fails = false
  state.ms += 5_000
  await keys.prepare(key.kid)
  t.ok(await becomes(() => keys.findKey(key.kid) !== undefined), 'and again when it is back')
})

t.test('J1 J11 of a fetched set only fitting, strong, asymmetric signing keys are used', async (t) => {
  const odd = [
    { ...jwk, kid: 'encryption', use: 'enc' },
    { ...jwk, kid: 'wrong-alg', alg: 'RS256' },
    { ...jwk, kid: 'no-alg', alg: undefined },
    { ...jwk, kid: 'hmac', alg: 'HS256' },
    { kty: 'oct', k: 'AAAA', kid: 'oct', alg: 'ES256' },
    { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), kid: 'small', alg: 'EdDSA' },
    { ...jwk, kid: 7 },
    null,
    'text',
  ]
  const { keys } = remote({
    keys: [...odd, jwk, { ...(await exportJWK((await testKey('x', 'ES256')).publicKey)), kid: key.kid, alg: 'ES256' }],
  })
  await keys.prepare(key.kid)
  for (const kid of ['encryption', 'wrong-alg', 'no-alg', 'hmac', 'oct', 'small'])
    t.equal(keys.findKey(kid), undefined, kid)
  t.equal(keys.findKey(key.kid)?.publicKey.equals(key.publicKey), true, 'the first of two with one name')
})

t.test('a document that is no key set changes nothing', async (t) => {
  for (const document of ['', 'not json', '[]', '{}', '{"keys":{}}', '{"keys":"abc"}', 'null']) {
    const { state, keys } = remote({ keys: [jwk] })
    await keys.prepare(key.kid)
    state.document = document
    state.ms += 60_000
    await keys.prepare('another')
    t.ok(keys.findKey(key.kid), JSON.stringify(document))
  }
})

t.test('J3 a document is fetched from https or loopback only, once, without following anything', async (t) => {
  for (const url of [
    'http://example.com/keys',
    'ftp://127.0.0.1/',
    'http://127.0.0.1.example.com/',
    'file:///etc/passwd',
  ]) {
    await t.rejects(fetchDocument(url), { message: /neither https nor loopback/ }, url)
  }
  const answers: Record<string, [number, string]> = {
    '/good': [200, '{"keys":[]}'],
    '/moved': [302, ''],
    '/error': [500, 'x'],
    '/large': [200, 'x'.repeat(70_000)],
  }
  const server = createServer((request, response) => {
    const [status, body] = answers[request.url ?? ''] ?? [404, '']
    response.writeHead(status, { location: '/good' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.equal(await fetchDocument(`${origin}/good`), '{"keys":[]}')
  for (const path of ['/moved', '/error', '/missing'])
    await t.rejects(fetchDocument(origin + path), { message: /answered/ })
  await t.rejects(fetchDocument(`${origin}/large`), { message: /larger/ })
})

t.test('what an assertion says of delegation has one form, or the assertion is refused', (t) => {
  const token = { aud: 'https://desk', jti: 'j', cid: 'c', gid: 'g', seq: 1, kid: 'k', exp: nowSeconds + 10 }
  const parent = { client_id: 'agent', jti: 'p', cid: 'c', seq: 1, kid: 'k' }
  const act = { sub: claims.client_id }
  t.same(verify(forged({ act })), { ...claims, act })
  t.same(verify(forged({ act, token })), { ...claims, act, token })
  const chain = { act: { ...act, act: { sub: 'agent' } }, token: { ...token, via: [parent] } }
  t.same(verify(forged(chain)), { ...claims, ...chain })
  const nested = (depth: number): object => (depth === 0 ? act : { ...act, act: nested(depth - 1) })
  const refused: object[] = [
    { act: 'agent' },
    { act: [] },
    { act: { sub: 'another' } },
    { act: { ...act, act: { sub: 7 } } },
    { act: nested(5) },
    { token },
    { act, token: { ...token, via: [parent] } },
    { act: chain.act, token },
    { act, token: null },
    { act: chain.act, token: { ...token, via: { 0: parent } } },
    { act: chain.act, token: { ...token, via: [{ ...parent, seq: '1' }] } },
    ...Object.keys(token).map((name) => ({ act, token: { ...token, [name]: undefined } })),
  ]
  for (const changes of refused) t.equal(reasonOf(forged(changes)), 'claims', JSON.stringify(changes))
  t.end()
})
