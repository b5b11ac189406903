// private_key_jwt (RFC 7523 §3, OpenID Connect Core §9): a client proves who it is with a key that only it has.

import { type KeyObject, randomUUID } from 'node:crypto'
import { CompactSign, SignJWT } from 'jose'
import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { StoreUnavailable } from '../../../src/storage/sql/store.js'
import { baseUrl } from '../../support/rooms/directory.js'
import {
  type IdentityApp,
  introspectPath,
  openIdentity,
  readToken,
  revokePath,
  tokenPath,
} from '../../support/rooms/identity.js'
import { newKeyPair } from '../../support/tokens/key-pair.js'
import { otherSpellings } from '../../support/tokens/spellings.js'

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const pairs = {
  ES256: await newKeyPair('ec', { namedCurve: 'P-256' }),
  RS256: await newKeyPair('rsa', { modulusLength: 2048 }),
  EdDSA: await newKeyPair('ed25519'),
}
const strange = await newKeyPair('ec', { namedCurve: 'P-256' })
const jwks = {
  keys: Object.entries(pairs).map(([alg, { publicKey }]) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid: `key-${alg}`,
    alg,
  })),
}

async function keyed(testApp: IdentityApp) {
  const { registration, secret } = await testApp.registerDemo()
  await changeApplication(testApp.writes, registration.applicationId, { authMethod: 'private_key_jwt', jwks })
  return { registration, secret }
}

interface AssertionOptions {
  claims?: Record<string, unknown>
  alg?: string
  kid?: string | undefined
  key?: KeyObject | Uint8Array
}

/** An assertion of the client as it should be; `undefined` among the claims takes one out. */
async function assertion(testApp: IdentityApp, clientId: string, options: AssertionOptions = {}): Promise<string> {
  const { alg = 'ES256', kid = `key-${alg}`, key = pairs[alg as keyof typeof pairs]?.privateKey } = options
  const now = Math.floor(testApp.now() / 1000)
  const claims = { iss: clientId, sub: clientId, aud: baseUrl, exp: now + 60, jti: randomUUID(), ...options.claims }
  const header = kid === '' ? { alg } : { alg, kid }
  return new SignJWT(claims).setProtectedHeader(header).sign(key)
}

async function ask(
  testApp: IdentityApp,
  client_assertion: string,
  more: Record<string, string> = {},
  path = tokenPath,
) {
  const form = {
    grant_type: 'client_credentials',
    scope: 'default',
    client_assertion,
    client_assertion_type: assertionType,
  }
  const answer = await testApp.post(path, { ...form, ...more })
  return { status: answer.statusCode, body: answer.json() }
}

t.test(
  'K5 each algorithm, either identifier, with and without client_id, for the issuer or the token endpoint',
  async (t) => {
    const testApp = await openIdentity(t)
    const { registration } = await keyed(testApp)
    const { applicationId, publicKey } = registration
    for (const alg of Object.keys(pairs)) {
      const answer = await ask(testApp, await assertion(testApp, applicationId, { alg }))
      t.equal(answer.status, 200, alg)
      t.equal(readToken(answer.body.access_token).claims['cid'], `jwk:${applicationId}:key-${alg}`)
    }
    const cases: [string, AssertionOptions, Record<string, string>, string][] = [
      ['the public key', {}, {}, publicKey],
      ['client_id beside it', {}, { client_id: applicationId }, applicationId],
      ['the other identifier beside it', {}, { client_id: publicKey }, applicationId],
      ['without a kid, the only key of its algorithm', { kid: '' }, {}, applicationId],
      ['the token endpoint', { claims: { aud: `${baseUrl}${tokenPath}` } }, {}, applicationId],
      ['its other spelling', { claims: { aud: [`${baseUrl}/API/v2/OAuth/token`] } }, {}, applicationId],
      ['five minutes', { claims: { exp: Math.floor(testApp.now() / 1000) + 300 } }, {}, applicationId],
    ]
    for (const [title, options, more, clientId] of cases) {
      t.equal((await ask(testApp, await assertion(testApp, clientId, options), more)).status, 200, title)
    }
  },
)

t.test('K5 anything else is the one 401 invalid_client', async (t) => {
  const testApp = await openIdentity(t)
  const { registration } = await keyed(testApp)
  const other = await keyed(testApp)
  const { applicationId } = registration
  const now = Math.floor(testApp.now() / 1000)
  const claims = (changed: Record<string, unknown>): AssertionOptions => ({ claims: changed })
  const cases: [string, AssertionOptions, string?][] = [
    ['another key under a registered kid', { key: strange.privateKey }],
    ['an unknown kid', { kid: 'key-x' }],
    ['the kid of another algorithm', { kid: 'key-RS256' }],
    ['a public key as HMAC secret', { alg: 'HS256', kid: 'key-ES256', key: Buffer.from(JSON.stringify(jwks.keys[0])) }],
    ['PS256 with an RS256 key', { alg: 'PS256', kid: 'key-RS256', key: pairs.RS256.privateKey }],
    ['expired', claims({ exp: now - 31 })],
    ['six minutes', claims({ exp: now + 360 })],
    ['no exp', claims({ exp: undefined })],
    ['not yet valid', claims({ nbf: now + 120 })],
    ['no jti', claims({ jti: undefined })],
    ['an empty jti', claims({ jti: '' })],
    ['for somebody else', claims({ aud: 'https://other.test' })],
    ['for two', claims({ aud: [baseUrl, 'https://other.test'] })],
    ['for the revocation endpoint', claims({ aud: `${baseUrl}${revokePath}` })],
    ['an issuer that ends like ours', claims({ aud: `https://evil.test/${baseUrl}` })],
    ['sub of another', claims({ sub: other.registration.applicationId })],
    ['iss of another', claims({ iss: other.registration.applicationId })],
    ['of an unknown client', {}, randomUUID()],
  ]
  const answers: unknown[] = []
  for (const [title, options, clientId = applicationId] of cases) {
    const { status, body } = await ask(testApp, await assertion(testApp, clientId, options))
    t.equal(status, 401, title)
    answers.push([body.error, body.error_codes, body.error_description])
  }
  t.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1, 'T6 nobody learns which')
  const own = { ...strange.publicKey.export({ format: 'jwk' }), kid: 'key-ES256', alg: 'ES256' }
  for (const header of [{ jwk: own }, { jku: 'https://evil.test/jwks' }, { x5u: 'https://evil.test/pem' }]) {
    const right = { iss: applicationId, sub: applicationId, aud: baseUrl, exp: now + 60, jti: randomUUID() }
    const protectedHeader = { alg: 'ES256', kid: 'key-ES256', ...header }
    const brought = await new SignJWT(right).setProtectedHeader(protectedHeader).sign(strange.privateKey)
    t.equal((await ask(testApp, brought)).status, 401, `a key that it brings along: ${Object.keys(header)}`)
  }
  for (const text of ['x', 'a.b.c', `${await assertion(testApp, applicationId)}x`]) {
    t.equal((await ask(testApp, text)).status, 401)
  }
  t.notMatch(testApp.logged.join(''), /eyJ/, 'K8 no assertion is logged')
  t.match(testApp.logged.join(''), /assertion_lifetime/, 'the reason is')
})

t.test('J10 an assertion has one spelling, and its members one reading', async (t) => {
  const testApp = await openIdentity(t)
  const { registration } = await keyed(testApp)
  for (const alg of ['ES256', 'EdDSA']) {
    const right = await assertion(testApp, registration.applicationId, { alg })
    for (const [title, spelling] of otherSpellings(right)) {
      t.equal((await ask(testApp, spelling)).status, 401, `${alg}: ${title}`)
    }
    t.equal((await ask(testApp, right)).status, 200, 'the one spelling, which none of the others used up')
  }
  const claims = `{"jti":"twice-1","jti":"twice-2","iss":"${registration.applicationId}","sub":"${registration.applicationId}"`
  const twice = `${claims},"aud":"${baseUrl}","exp":${Math.floor(testApp.now() / 1000) + 60}}`
  const signed = new CompactSign(Buffer.from(twice)).setProtectedHeader({ alg: 'ES256', kid: 'key-ES256' })
  t.equal((await ask(testApp, await signed.sign(pairs.ES256.privateKey))).status, 401, 'a member given twice')
})

t.test('K5 jti once only, at every endpoint; a refused one may not be tried again with another audience', async (t) => {
  const testApp = await openIdentity(t)
  const { registration } = await keyed(testApp)
  const one = await assertion(testApp, registration.applicationId)
  t.equal((await ask(testApp, one)).status, 200)
  t.equal((await ask(testApp, one)).status, 401, 'a replay')
  t.equal((await ask(testApp, one, { token: 'x' }, introspectPath)).status, 401, 'elsewhere too')
  const jti = randomUUID()
  const parallel = await Promise.all(
    Array.from({ length: 10 }, async () =>
      ask(testApp, await assertion(testApp, registration.applicationId, { claims: { jti } })),
    ),
  )
  t.equal(parallel.filter(({ status }) => status === 200).length, 1, 'of ten at once one')
  const other = await keyed(testApp)
  const same = await assertion(testApp, other.registration.applicationId, { claims: { jti } })
  t.equal((await ask(testApp, same)).status, 200, 'each client has identifiers of its own')
})

t.test('K5 when nobody can remember the identifier, it is not taken', async (t) => {
  const state = { away: true }
  const testApp = await openIdentity(t, {
    failedAuthentications: { limit: 3, periodMs: 60_000 },
    replace: ({ store }) => ({
      store: {
        ...store,
        transaction: (work, separation) =>
          state.away ? Promise.reject(new StoreUnavailable('away')) : store.transaction(work, separation),
      },
    }),
  })
  const { registration } = await keyed(testApp)
  for (let n = 0; n < 5; n += 1) await ask(testApp, await assertion(testApp, registration.applicationId))
  t.match(await ask(testApp, await assertion(testApp, registration.applicationId)), {
    status: 503,
    body: { error: 'temporarily_unavailable' },
  })
  state.away = false
  t.equal(
    (await ask(testApp, await assertion(testApp, registration.applicationId))).status,
    200,
    'gateway H4: no failure',
  )
})

t.test(
  'K4 one method each: no secret for who registered keys, no assertion for who did not, nothing beside it',
  async (t) => {
    const testApp = await openIdentity(t)
    const { registration, secret } = await keyed(testApp)
    const { applicationId } = registration
    const form = { grant_type: 'client_credentials', scope: 'default' }
    const bySecret = await testApp.post(tokenPath, { ...form, client_id: applicationId, client_secret: secret })
    t.equal(bySecret.statusCode, 401, 'the secret from before works no more')
    const plain = await testApp.registerDemo()
    t.equal((await ask(testApp, await assertion(testApp, plain.registration.applicationId))).status, 401)
    const native = await testApp.registerDemo({ type: 'native' })
    t.equal((await ask(testApp, await assertion(testApp, native.registration.applicationId))).status, 401)
    const good = await assertion(testApp, applicationId)
    t.equal((await ask(testApp, good, { client_secret: secret })).status, 400, 'two proofs')
    t.equal((await ask(testApp, good, { client_assertion_type: 'x' })).status, 400)
    t.equal((await ask(testApp, '', {})).status, 400, 'a type without an assertion')
    const inUrl = await testApp.post(`${tokenPath}?client_assertion=${good}`, form)
    t.equal(inUrl.statusCode, 400, 'T3 in the URL')
    await changeApplication(testApp.writes, applicationId, { state: 'disabled' })
    t.equal((await ask(testApp, good)).status, 401, 'a disabled application')
  },
)

t.test('K4 a key that is taken out ends what was got with it', async (t) => {
  const testApp = await openIdentity(t)
  const { registration } = await keyed(testApp)
  const { applicationId } = registration
  const { body } = await ask(testApp, await assertion(testApp, applicationId))
  const active = async () =>
    (
      await ask(
        testApp,
        await assertion(testApp, applicationId, { alg: 'RS256' }),
        { token: body.access_token },
        introspectPath,
      )
    ).body
  t.match(await active(), { active: true })
  await changeApplication(testApp.writes, applicationId, {
    jwks: { keys: jwks.keys.filter(({ alg }) => alg !== 'ES256') },
  })
  t.equal((await ask(testApp, await assertion(testApp, applicationId))).status, 401)
  t.same(await active(), { active: false })
})

t.test('X6 failed proofs of a known application are in the activity log, with their reason', async (t) => {
  const noted: unknown[] = []
  const activity = { note: (event: unknown) => void noted.push(event), flush: async () => {} }
  const testApp = await openIdentity(t, { replace: () => ({ activity }) as never })
  const { registration, secret } = await keyed(testApp)
  const { applicationId } = registration
  await ask(testApp, await assertion(testApp, applicationId, { key: strange.privateKey }))
  await testApp.post(tokenPath, { client_id: applicationId, client_secret: secret, grant_type: 'x' })
  t.match(noted, [
    { event: 'client.authentication-failed', applicationId, details: { reason: 'assertion_invalid' } },
    { event: 'client.authentication-failed', applicationId, details: { reason: 'secret_not_registered' } },
  ])
})

t.test('K7 failed assertions are counted as wrong secrets are', async (t) => {
  const testApp = await openIdentity(t, { failedAuthentications: { limit: 3, periodMs: 60_000 } })
  const { registration } = await keyed(testApp)
  const wrong = () => assertion(testApp, registration.applicationId, { key: strange.privateKey })
  const statuses: number[] = []
  for (let i = 0; i < 4; i += 1) statuses.push((await ask(testApp, await wrong())).status)
  t.same(statuses, [401, 401, 401, 429])
})
