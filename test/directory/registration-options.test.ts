// What a registration says about itself: its keys, its method of proof, PKCE, ID tokens, publisher; and the URI that
// was probably meant when one is refused.

import type { KeyObject } from 'node:crypto'
import t from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import { registerApplication } from '../../src/directory/applications/registration.js'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { createRevocationView } from '../../src/revocation/revocation-view.js'
import { listApplications } from '../../src/storage/sql/registrations/applications.js'
import { openDirectory } from '../support/rooms/directory.js'
import { newKeyPair } from '../support/tokens/key-pair.js'

const p256 = await newKeyPair('ec', { namedCurve: 'prime256v1' })
const strong = await newKeyPair('rsa', { modulusLength: 2048 })
const ed = await newKeyPair('ed25519')
const jwk = (key: KeyObject, kid: string, more: object = {}) => ({ ...key.export({ format: 'jwk' }), kid, ...more })
const ecKey = jwk(p256.publicKey, 'a')

t.test(
  'K4 a web application that proves itself by keys has no secret, and its keys are kept as they are',
  async (t) => {
    const { register, directory } = await open(t)
    const set = {
      keys: [ecKey, jwk(strong.publicKey, 'b', { alg: 'RS256', use: 'sig', x5t: 'no' }), jwk(ed.publicKey, 'c')],
    }
    const { registration, secret } = await register({ authMethod: 'private_key_jwt', jwks: set })
    t.equal(secret, undefined)
    t.same(registration.secrets, [])
    t.equal(registration.authMethod, 'private_key_jwt')
    t.same(
      registration.jwks?.keys.map(({ kid, alg, use }) => `${kid} ${alg} ${use}`),
      ['a ES256 sig', 'b RS256 sig', 'c EdDSA sig'],
    )
    t.same(
      Object.keys(registration.jwks?.keys[1] ?? {}).sort(),
      ['alg', 'e', 'kid', 'kty', 'n', 'use'],
      'nothing else is kept',
    )
    t.same(await directory.findRegistration(registration.publicKey), registration)
    await t.rejects(register({ authMethod: 'private_key_jwt', jwks: set, secret: {} }), { code: 'KeysInstead' })
  },
)

t.test('K5 a key set that is not one of public, strong, distinct keys is refused, saying which and why', async (t) => {
  const { register, store } = await open(t)
  const weak = (await newKeyPair('rsa', { modulusLength: 1024 })).publicKey
  const p384 = (await newKeyPair('ec', { namedCurve: 'secp384r1' })).publicKey
  const x = jwk(ed.publicKey, 'c')
  const cases: [unknown, RegExp][] = [
    ['{}', /JSON Web Key Set/],
    [[ecKey], /JSON Web Key Set/],
    [{}, /JSON Web Key Set/],
    [{ keys: {} }, /JSON Web Key Set/],
    [{ keys: [] }, /1 to 10/],
    [{ keys: Array.from({ length: 11 }, (_, i) => ({ ...ecKey, kid: `k${i}` })) }, /1 to 10/],
    [{ keys: [ecKey, 'x'] }, /keys\[1\] is not/],
    [{ keys: [ecKey, null] }, /keys\[1\] is not/],
    [{ keys: [ecKey, { ...jwk(ed.publicKey, 'a') }] }, /same kid/],
    [{ keys: [jwk(p256.privateKey, 'a')] }, /private member d/],
    [{ keys: [jwk(strong.privateKey, 'a')] }, /private member d/],
    [{ keys: [{ ...ecKey, d: undefined }] }, /private member d/],
    [{ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'a' }] }, /private member k/],
    [{ keys: [{ kty: 'oct', kid: 'a' }] }, /kty/],
    [{ keys: [{ ...ecKey, kty: undefined }] }, /kty/],
    [
      {
        keys: [
          { ...ecKey, kid: undefined },
          { ...ecKey, kid: undefined, use: 'sig' },
        ],
      },
      /same kid/,
    ],
    [{ keys: [{ ...ecKey, kid: '' }] }, /has a kid/],
    [{ keys: [{ ...ecKey, kid: null }] }, /has a kid/],
    [{ keys: [{ ...ecKey, kid: 'x'.repeat(129) }] }, /has a kid/],
    [{ keys: [{ ...ecKey, kid: 'a\u001b[31m' }] }, /has a kid/],
    [{ keys: [{ ...ecKey, alg: 'ES384' }] }, /alg/],
    [{ keys: [{ ...ecKey, alg: 'none' }] }, /alg/],
    [{ keys: [{ ...jwk(strong.publicKey, 'a'), alg: 'HS256' }] }, /alg/],
    [{ keys: [{ ...ecKey, use: 'enc' }] }, /use/],
    [{ keys: [{ ...ecKey, y: undefined }] }, /base64url/],
    [{ keys: [{ ...ecKey, x: '+/==' }] }, /base64url/],
    [{ keys: [{ ...ecKey, x: ecKey.y }] }, /P-256/],
    [{ keys: [jwk(p384, 'a')] }, /P-256/],
    [{ keys: [jwk(weak, 'a')] }, /2048/],
    [{ keys: [{ ...x, x: Buffer.alloc(32).toString('base64url') }] }, /Ed25519/],
  ]
  for (const [jwks, message] of cases) {
    await t.rejects(register({ authMethod: 'private_key_jwt', jwks }), { code: 'InvalidKeys', target: 'jwks', message })
  }
  await t.rejects(register({ authMethod: 'private_key_jwt' }), { code: 'InvalidKeys' }, 'a method without keys')
  t.same(await listApplications(store.reader, { after: undefined, limit: 9 }), [])
})

t.test('keys may stand beside any method, and one without a kid is named by its thumbprint (RFC 7638)', async (t) => {
  const { register } = await open(t)
  // RFC 7638 §3.1 and RFC 8037 appendix A.3.
  const n =
    '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs' +
    'tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw'
  const keys = [
    { kty: 'RSA', n, e: 'AQAB', alg: 'RS256', use: 'sig' },
    { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
  ]
  const kids = ['NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k']
  const bySecret = await register({ jwks: { keys } })
  t.same(
    bySecret.registration.jwks?.keys.map(({ kid }) => kid),
    kids,
  )
  t.equal(bySecret.registration.authMethod, 'secret')
  t.ok(bySecret.secret, 'it proves itself by its secret')
  const native = await register({ type: 'native', jwks: { keys } })
  t.match(native.registration, { type: 'native', authMethod: 'secret', jwks: { keys: [{ kid: kids[0] }, {}] } })
})

t.test('R11 a native application always uses PKCE, and proves itself by nothing', async (t) => {
  const { register, writes } = await open(t)
  const native = { type: 'native' as const }
  const { registration } = await register(native)
  t.equal(registration.requirePkce, true)
  const refused = { code: 'NativeApplication' }
  await t.rejects(register({ ...native, requirePkce: false }), refused)
  await t.rejects(register({ ...native, authMethod: 'private_key_jwt', jwks: { keys: [ecKey] } }), refused)
  await t.rejects(changeApplication(writes, registration.applicationId, { authMethod: 'private_key_jwt' }), refused)
  await t.rejects(changeApplication(writes, registration.applicationId, { requirePkce: false }), refused)
})

t.test('R11 a web application is switched to require PKCE, and back', async (t) => {
  const { register, writes } = await open(t)
  const { registration } = await register({})
  t.equal(registration.requirePkce, false)
  t.equal((await changeApplication(writes, registration.applicationId, { requirePkce: true })).requirePkce, true)
  t.equal((await changeApplication(writes, registration.applicationId, { name: 'x' })).requirePkce, true)
  t.equal((await changeApplication(writes, registration.applicationId, { requirePkce: false })).requirePkce, false)
})

t.test('ID tokens are RS256 unless the registration says otherwise', async (t) => {
  const { register, writes } = await open(t)
  const { registration } = await register({})
  t.equal(registration.idTokenAlg, 'RS256')
  t.equal((await changeApplication(writes, registration.applicationId, { idTokenAlg: 'ES256' })).idTokenAlg, 'ES256')
})

t.test('C1 a publisher is verified by name: another name is not verified', async (t) => {
  const { register, writes } = await open(t)
  const { registration } = await register({ publisher: ' Contoso AG ' })
  t.match(registration, { publisher: 'Contoso AG', verified: false })
  const change = (changes: object) => changeApplication(writes, registration.applicationId, changes)
  t.match(await change({ verified: true }), { publisher: 'Contoso AG', verified: true })
  t.match(await change({ name: 'other' }), { verified: true })
  t.match(await change({ publisher: 'Fabrikam' }), { publisher: 'Fabrikam', verified: false })
  t.match(await change({ publisher: '' }), { publisher: '', verified: false })
  await t.rejects(change({ verified: true }), { code: 'InvalidName', target: 'publisher' }, 'nobody to verify')
  await t.rejects(change({ publisher: 'a\u202eb' }), { code: 'InvalidName', target: 'publisher' })
})

t.test('another method of proof, or a key that is gone, refuses the tokens that are out', async (t) => {
  const { register, writes, view, feed } = await open(t)
  const { registration } = await register({ authMethod: 'private_key_jwt', jwks: { keys: [ecKey] } })
  const { applicationId, tenantId } = registration
  const isRefused = (seq: number, kid = 'a') => {
    const token = { jti: 'j', credentialId: `jwk:${applicationId}:${kid}`, applicationId, tenantId, seq }
    return view.refusal(token, Date.now())
  }
  // Whether the tokens got with the key a are refused, and those with b.
  const steps: [object, boolean, boolean][] = [
    [{ jwks: { keys: [ecKey, jwk(ed.publicKey, 'b')] } }, false, false],
    [{ requirePkce: true, idTokenAlg: 'ES256', publisher: 'x' }, false, false],
    [{ jwks: { keys: [jwk(ed.publicKey, 'b')] } }, true, false],
    [{ jwks: { keys: [jwk(strong.publicKey, 'b')] } }, false, true],
    [{ authMethod: 'secret' }, true, true],
    [{ jwks: null }, false, true],
  ]
  for (const [changes, endsA, endsB] of steps) {
    const before = feed.seq
    await changeApplication(writes, applicationId, changes)
    const refused = [isRefused(before, 'a') !== undefined, isRefused(before, 'b') !== undefined]
    t.same(refused, [endsA, endsB], JSON.stringify(changes).slice(0, 40))
    t.equal(isRefused(feed.seq), undefined, 'what is issued after it is good')
  }
})

t.test('R3 R4 a refused redirect URI comes with the one that was probably meant', async (t) => {
  const { register } = await open(t)
  const cases: ['web' | 'native', string, string | undefined][] = [
    ['web', 'http://app.test/cb', 'https://app.test/cb'],
    ['web', 'https://app.test/cb#top', 'https://app.test/cb'],
    ['web', ' https://app.test/cb\n', 'https://app.test/cb'],
    ['web', 'HTTPS://app.test/cb', 'https://app.test/cb'],
    ['web', 'https:/app.test/cb', 'https://app.test/cb'],
    ['web', 'app.test/cb', 'https://app.test/cb'],
    ['native', 'com.example.app:cb', 'com.example.app:/cb'],
    ['native', 'Com.Example.App:cb', 'com.example.app:/cb'],
    ['web', 'https://u:p@app.test/', undefined],
    ['web', 'javascript:alert(1)', undefined],
    ['native', 'myapp:/cb', undefined],
    ['web', 'https://*.app.test/', undefined],
    ['web', `https://app.test/${'a'.repeat(3000)}`, undefined],
  ]
  for (const [type, uri, meant] of cases) {
    const refused = await register({ type, redirectUris: [uri] }).then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    )
    t.match(refused, /^(A|Write|The) /)
    t.equal(/Did you mean (.*)\?$/.exec(refused)?.[1], meant, `${uri.slice(0, 40)}: ${refused}`)
    if (meant !== undefined) await register({ type, redirectUris: [meant] })
  }
})

t.test('who may consent in a tenant is changed without touching its state', async (t) => {
  const { writes, directory, tenantId } = await open(t)
  t.match(await changeTenant(writes, tenantId, { userConsent: 'administrators' }), { userConsent: 'administrators' })
  t.match(await directory.findTenant(tenantId), { userConsent: 'administrators', state: 'enabled' })
  await changeTenant(writes, tenantId, { state: 'disabled' })
  t.match(await directory.findTenant(tenantId), { userConsent: 'administrators', state: 'disabled' })
})

async function open(t: Parameters<typeof openDirectory>[0]) {
  const made: { view?: ReturnType<typeof createRevocationView> } = {}
  const testApp = await openDirectory(t, {
    followers: ({ feed }) => {
      made.view = createRevocationView({ feed, staleAfterMs: 60_000, horizonMs: 3_600_000, now: () => Date.now() })
      return [made.view]
    },
  })
  const { view } = made as Required<typeof made>
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  const register = (more: object) =>
    registerApplication(testApp.writes, { name: 'demo', type: 'web', tenantId, ...more } as never)
  return { ...testApp, view, tenantId, register }
}
