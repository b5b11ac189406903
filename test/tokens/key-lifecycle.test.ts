// The life of signing keys, on a real Store and Feed: what is published, what signs, what is believed, what is on disk.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { calculateJwkThumbprint, createLocalJWKSet, type JWK, jwtVerify } from 'jose'
import t from 'tap'
import { BearerError } from '../../src/oauth/errors/errors.js'
import { createEmbeddedFeed } from '../../src/storage/changes/embedded-feed.js'
import { listSigningKeys } from '../../src/storage/sql/revocation/signing-keys.js'
import { type Store, StoreUnavailable } from '../../src/storage/sql/store.js'
import { issueAccessToken } from '../../src/tokens/issue.js'
import { createKeyEncryption } from '../../src/tokens/keys/key-encryption.js'
import { generateKeyPair, type KeyPair, sealedKey } from '../../src/tokens/keys/key-generation.js'
import { advanceKeys, ensureKeys, removeKey, rotateKeys } from '../../src/tokens/keys/key-lifecycle.js'
import type { KeySettings } from '../../src/tokens/keys/key-slots.js'
import { createKeyring } from '../../src/tokens/keys/keyring.js'
import type { SigningAlgorithm } from '../../src/tokens/keys/keys.js'
import { verifyAccessToken } from '../../src/tokens/verify.js'
import { openTemporaryStore, type TestScope } from '../support/storage/temporary-store.js'
import { appClaims, issuer, nowSeconds } from '../support/tokens/tokens-forge.js'

const hourMs = 3_600_000
const masterKey = Buffer.alloc(32, 1)
const otherMasterKey = Buffer.alloc(32, 2)

const settings: KeySettings = {
  algorithm: 'ES256',
  lifetimeSeconds: 3600,
  publishBeforeMs: 24 * hourMs,
  rotateEveryMs: 90 * 24 * hourMs,
}

const rsaPairs: Promise<KeyPair>[] = []
const rsaUsed = new WeakMap<TestScope, number>()

/** RSA pairs take long to make: every test gets the same ones, in turn, and none of them twice. */
async function pairFor(t: TestScope, alg: SigningAlgorithm): Promise<KeyPair> {
  if (alg !== 'RS256') return generateKeyPair(alg)
  const used = rsaUsed.get(t) ?? 0
  rsaUsed.set(t, used + 1)
  rsaPairs[used] ??= generateKeyPair(alg)
  return rsaPairs[used]
}

interface Clock {
  ms: number
}

/** One instance on the Store: a feed and a keyring, as a process has them. */
async function startInstance(
  t: TestScope,
  store: Store,
  options: { clock?: Clock; masterKeys?: Uint8Array[]; settings?: Partial<KeySettings> } = {},
) {
  const clock = options.clock ?? { ms: nowSeconds * 1000 }
  const feed = createEmbeddedFeed({ store, pollMs: 20, now: () => clock.ms, monotonic: () => performance.now() })
  const encryption = createKeyEncryption(options.masterKeys ?? [masterKey])
  const own = { ...settings, ...options.settings }
  const generate = (alg: SigningAlgorithm) => pairFor(t, alg)
  const deps = { store, feed, encryption, settings: own, now: () => clock.ms, generate }
  const keyring = createKeyring({ store, encryption, settings: own })
  feed.follow(keyring)
  await ensureKeys(deps)
  await feed.start()
  t.teardown(() => feed.stop())
  const verify = (token: string) => verifyAccessToken(token, { keyring, issuer, leewaySeconds: 60, nowMs: clock.ms })
  const issue = () => {
    const iat = Math.floor(clock.ms / 1000)
    return issueAccessToken(keyring, appClaims({ iat, nbf: iat, exp: iat + 3600 }))
  }
  const inState = (state: string, purpose = 'token', alg = 'ES256') =>
    keyring.describe().filter((key) => key.state === state && key.purpose === purpose && key.alg === alg)
  return { clock, feed, deps, keyring, verify, issue, inState }
}

/** Why a token is refused. */
function reasonOf(verify: () => unknown): string {
  try {
    verify()
    return 'accepted'
  } catch (error) {
    return error instanceof BearerError ? error.reason : String(error)
  }
}

/** Everything that SQLite wrote, the log and the shared memory file included. */
function bytesOnDisk(file: string): string {
  const folder = dirname(file)
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name)).toString('latin1'))
    .join('\n')
}

t.test(
  'the first start makes an ES256 and an RS256 token key and an assertion key, each signing at once',
  async (t) => {
    const { store } = await openTemporaryStore(t)
    const { keyring, verify, issue } = await startInstance(t, store)
    const made = keyring.describe().map(({ purpose, alg, state }) => `${purpose} ${alg} ${state}`)
    t.same(made.sort(), ['assertion ES256 active', 'token ES256 active', 'token RS256 active'])
    t.equal(verify(await issue()).iss, issuer)
    t.equal(keyring.signingKey('token').alg, 'ES256')
    t.equal(keyring.signingKey('token', 'RS256').alg, 'RS256')
    t.equal(keyring.signingKey('assertion').alg, 'ES256')
    t.throws(() => keyring.signingKey('token', 'EdDSA'), /no EdDSA key/)
    t.throws(() => keyring.signingKey('assertion', 'RS256'), /no RS256 key/)
  },
)

t.test('each configured algorithm signs, and ES256 and RS256 stay in the set', async (t) => {
  for (const algorithm of ['EdDSA', 'RS256'] as const) {
    await t.test(algorithm, async (t) => {
      const { store } = await openTemporaryStore(t)
      const { keyring, verify, issue } = await startInstance(t, store, { settings: { algorithm } })
      t.equal(keyring.signingKey('token').alg, algorithm)
      t.equal(verify(await issue()).iss, issuer)
      const published = new Set(keyring.publicKeys('token').keys.map((key) => key.alg))
      t.same([...published].sort(), [...new Set(['ES256', 'RS256', algorithm])].sort())
    })
  }
})

t.test('an algorithm that is configured no longer goes on for ID tokens that use it, and gets new keys', async (t) => {
  const { store } = await openTemporaryStore(t)
  const clock = { ms: nowSeconds * 1000 }
  const { keyring: first } = await startInstance(t, store, { clock, settings: { algorithm: 'EdDSA' } })
  const before = first.signingKey('token').kid
  const { keyring, deps, inState } = await startInstance(t, store, { clock })
  t.equal(keyring.signingKey('token').alg, 'ES256')
  t.equal(keyring.signingKey('token', 'EdDSA').kid, before)
  clock.ms += settings.rotateEveryMs
  await advanceKeys(deps)
  t.equal(inState('pending', 'token', 'EdDSA').length, 1, 'by the clock')
  await rotateKeys(deps, { purpose: 'token', immediately: true })
  t.not(keyring.signingKey('token', 'EdDSA').kid, before, 'and by hand')
  t.same(inState('active', 'assertion', 'EdDSA'), [])
})

t.test('a key of one purpose never verifies for the other (RFC 8725 §3.12)', async (t) => {
  const { store } = await openTemporaryStore(t)
  const { keyring, clock } = await startInstance(t, store)
  const assertionKey = keyring.signingKey('assertion')
  t.equal(keyring.verificationKey('token', assertionKey.kid), undefined)
  t.equal(keyring.verificationKey('assertion', keyring.signingKey('token').kid), undefined)
  const token = await issueAccessToken({ signingKey: () => assertionKey }, appClaims())
  const verify = () => verifyAccessToken(token, { keyring, issuer, leewaySeconds: 60, nowMs: clock.ms })
  t.equal(reasonOf(verify), 'unknown_key')
})

t.test(
  'M3 the published set has public members only, unique thumbprints as names, and verifies with another library',
  async (t) => {
    const { store } = await openTemporaryStore(t)
    const { keyring, deps, issue } = await startInstance(t, store, { settings: { algorithm: 'EdDSA' } })
    await rotateKeys(deps)
    const members = new Set(['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use'])
    const keys = [...keyring.publicKeys('token').keys, ...keyring.publicKeys('assertion').keys]
    for (const key of keys) {
      t.same(
        Object.keys(key).filter((name) => !members.has(name)),
        [],
        'no private member',
      )
      t.equal(key.use, 'sig')
      t.equal(await calculateJwkThumbprint(key), key.kid, 'RFC 7638')
    }
    t.equal(new Set(keys.map((key) => key.kid)).size, keys.length)
    t.equal(keys.length, 8)
    const { protectedHeader } = await jwtVerify(await issue(), createLocalJWKSet(keyring.publicKeys('token')), {
      issuer,
      typ: 'at+jwt',
      currentDate: new Date(nowSeconds * 1000),
    })
    t.equal(protectedHeader.alg, 'EdDSA')
  },
)

t.test('J16 a new key is published before it signs, the old one verifies until its last token is over', async (t) => {
  const { store } = await openTemporaryStore(t)
  const { keyring, deps, clock, verify, issue, inState } = await startInstance(t, store)
  const first = keyring.signingKey('token').kid
  const kids = await rotateKeys(deps, { purpose: 'token' })
  t.equal(kids.length, 2, 'ES256 and RS256')
  t.same(await rotateKeys(deps, { purpose: 'token' }), [], 'one successor is enough')
  t.equal(inState('pending', 'assertion').length, 0, 'the other purpose was not meant')
  const [successor] = inState('pending')
  t.ok(keyring.verificationKey('token', successor?.kid ?? ''), 'published at once')
  t.ok(keyring.publicKeys('token').keys.some((key) => key.kid === successor?.kid))
  t.equal(keyring.signingKey('token').kid, first, 'but it does not sign')

  clock.ms += 24 * hourMs - 1
  await advanceKeys(deps)
  t.equal(keyring.signingKey('token').kid, first, 'not a millisecond early')
  const lastOfFirst = await issue()
  clock.ms += 1
  await advanceKeys(deps)
  t.equal(keyring.signingKey('token').kid, successor?.kid, 'now it signs')
  t.equal(verify(lastOfFirst).iss, issuer, 'and what the former one signed is still believed')
  t.equal(inState('retiring')[0]?.kid, first)

  clock.ms += hourMs - 1000
  await advanceKeys(deps)
  t.equal(verify(lastOfFirst).iss, issuer, 'to the end of the token')
  clock.ms += hourMs + 999
  await advanceKeys(deps)
  t.ok(keyring.verificationKey('token', first), 'and an hour longer')
  clock.ms += 1
  await advanceKeys(deps)
  t.equal(keyring.verificationKey('token', first), undefined)
  t.ok(!keyring.publicKeys('token').keys.some((key) => key.kid === first))
})

t.test('J16 at every moment of a rotation whatever is issued is believed, in every instance', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const clock = { ms: nowSeconds * 1000 }
  const short = { publishBeforeMs: 2 * hourMs, rotateEveryMs: 6 * hourMs }
  const one = await startInstance(t, store, { clock, settings: short })
  const two = await startInstance(t, await another(), { clock, settings: short })
  const kids = new Set<string>()
  for (let hour = 0; hour < 24; hour += 1) {
    const before = await one.issue()
    await advanceKeys((hour % 2 === 0 ? one : two).deps)
    await Promise.all([one.feed.catchUp(), two.feed.catchUp()])
    const after = await two.issue()
    for (const token of [before, after]) for (const instance of [one, two]) instance.verify(token)
    kids.add(one.keyring.signingKey('token').kid)
    t.equal(one.inState('active').length, 1)
    t.equal(one.keyring.signingKey('token').kid, two.keyring.signingKey('token').kid)
    clock.ms += hourMs
  }
  t.equal(kids.size, 4, 'a new one every six hours')
})

t.test(
  'J16 an immediate rotation signs at once, with the successor that is already published if there is one',
  async (t) => {
    const { store } = await openTemporaryStore(t)
    const { keyring, deps, verify, issue, inState } = await startInstance(t, store)
    const token = await issue()
    const first = keyring.signingKey('token').kid
    await rotateKeys(deps, { purpose: 'token', immediately: true })
    const second = keyring.signingKey('token').kid
    t.not(second, first)
    t.equal(verify(token).iss, issuer, 'the former key is retiring, not gone')
    await rotateKeys(deps, { purpose: 'token' })
    const pending = inState('pending')[0]?.kid
    await rotateKeys(deps, { purpose: 'token', immediately: true })
    t.equal(keyring.signingKey('token').kid, pending)
    t.equal(inState('active').length, 1)
    t.equal(inState('retiring').length, 2)
  },
)

t.test('J16 a removed key is not believed from the moment of the answer, and another one signs', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const one = await startInstance(t, store)
  const two = await startInstance(t, await another())
  const leaked = one.keyring.signingKey('token').kid
  const token = await one.issue()
  t.equal(two.verify(token).iss, issuer)
  const { generation } = one.keyring
  t.equal(await removeKey(one.deps, leaked), true)
  t.equal(
    reasonOf(() => one.verify(token)),
    'unknown_key',
    'at once where it was done',
  )
  t.ok(one.keyring.generation > generation, 'so that nothing remembered is used')
  t.not(one.keyring.signingKey('token').kid, leaked)
  t.equal(one.verify(await one.issue()).iss, issuer)
  await two.feed.catchUp()
  t.equal(
    reasonOf(() => two.verify(token)),
    'unknown_key',
    'elsewhere with the next poll',
  )
  t.equal(two.verify(await one.issue()).iss, issuer)
  t.equal(await removeKey(one.deps, leaked), false, 'it is gone already')
  t.equal(await removeKey(one.deps, 'unknown'), false)
})

t.test(
  'J16 a removed signing key is followed by its published successor; pending and retiring keys can go too',
  async (t) => {
    const { store } = await openTemporaryStore(t)
    const { keyring, deps, inState } = await startInstance(t, store)
    await rotateKeys(deps)
    const successor = inState('pending')[0]?.kid ?? ''
    await removeKey(deps, keyring.signingKey('token').kid)
    t.equal(keyring.signingKey('token').kid, successor)
    await rotateKeys(deps, { immediately: true })
    t.equal(await removeKey(deps, successor), true, 'retiring')
    t.equal(keyring.verificationKey('token', successor), undefined)
    await rotateKeys(deps)
    const pending = inState('pending')[0]?.kid ?? ''
    t.equal(await removeKey(deps, pending), true, 'pending')
    t.equal(keyring.verificationKey('token', pending), undefined)
    t.equal(inState('active').length, 1)
  },
)

t.test('J16 a removed key stays removed in a new process', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const one = await startInstance(t, store)
  const token = await one.issue()
  await removeKey(one.deps, one.keyring.signingKey('token').kid)
  const next = await startInstance(t, await another())
  t.equal(
    reasonOf(() => next.verify(token)),
    'unknown_key',
  )
  t.equal(next.inState('active').length, 1)
})

t.test('the name of a key begins with no hyphen, which a command line would take for an option', async (t) => {
  const encryption = createKeyEncryption([masterKey])
  const pairs = await Promise.all(Array.from({ length: 700 }, () => generateKeyPair('EdDSA')))
  const keys = await Promise.all(pairs.map((pair) => sealedKey('EdDSA', pair, encryption)))
  t.same(
    keys.map(({ kid }) => kid).filter((kid) => kid.startsWith('-')),
    [],
  )
})

t.test('processes that start at once make one set of keys', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const stores = [store, await another(), await another()]
  const instances = await Promise.all(stores.map((one) => startInstance(t, one)))
  const rows = await listSigningKeys(store.reader)
  t.equal(rows.filter((row) => row.state === 'active').length, 3)
  t.equal(rows.length, 3)
  const kids = instances.map(({ keyring }) => keyring.signingKey('token').kid)
  t.equal(new Set(kids).size, 1)
  const token = await instances[0]?.issue()
  for (const instance of instances) t.equal(instance.verify(token ?? '').iss, issuer)
})

t.test('processes that rotate or advance at once agree on one successor', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const clock = { ms: nowSeconds * 1000 }
  const one = await startInstance(t, store, { clock })
  const two = await startInstance(t, await another(), { clock })
  await Promise.all([rotateKeys(one.deps), rotateKeys(two.deps)])
  await one.feed.catchUp()
  t.equal(one.inState('pending').length, 1)
  clock.ms += 24 * hourMs
  await Promise.all([advanceKeys(one.deps), advanceKeys(two.deps)])
  await Promise.all([one.feed.catchUp(), two.feed.catchUp()])
  t.equal(one.inState('active').length, 1)
  t.equal(one.inState('retiring').length, 1)
  t.equal(one.keyring.signingKey('token').kid, two.keyring.signingKey('token').kid)
})

t.test('processes that remove the signing key and its successor at once leave another one that signs', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const one = await startInstance(t, store)
  const two = await startInstance(t, await another())
  await rotateKeys(one.deps, { purpose: 'assertion' })
  const [active] = one.inState('active', 'assertion')
  const [pending] = one.inState('pending', 'assertion')
  const removals = [removeKey(one.deps, active?.kid ?? ''), removeKey(two.deps, pending?.kid ?? '')]
  t.same(await Promise.all(removals), [true, true])
  await one.feed.catchUp()
  const kid = one.keyring.signingKey('assertion').kid
  t.ok(kid !== active?.kid && kid !== pending?.kid)
})

t.test('a second start changes nothing', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  await startInstance(t, store)
  const before = await listSigningKeys(store.reader)
  const { feed } = await startInstance(t, await another())
  t.same(await listSigningKeys(store.reader), before)
  t.equal(feed.seq, 1)
})

t.test('private parts are sealed on disk, and gone when a key stops signing', async (t) => {
  const { store, file } = await openTemporaryStore(t)
  const { deps, keyring } = await startInstance(t, store, { settings: { algorithm: 'EdDSA' } })
  await rotateKeys(deps)
  const secrets: string[] = []
  for (const row of await listSigningKeys(store.reader)) {
    const jwk = JSON.parse(deps.encryption.open(row.sealedPrivateJwk, row.kid)) as JWK
    for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const) {
      const value = jwk[member]
      if (value !== undefined) secrets.push(value, Buffer.from(value, 'base64url').toString('latin1'))
    }
  }
  t.ok(secrets.length > 20)
  const written = bytesOnDisk(file)
  for (const kid of [keyring.signingKey('token').kid]) t.ok(written.includes(kid), 'the search finds what is there')
  for (const secret of secrets) t.ok(!written.includes(secret))
  t.notMatch(written, /"d":|PRIVATE KEY/)
  await rotateKeys(deps, { immediately: true })
  const rows = await listSigningKeys(store.reader)
  t.ok(rows.some((row) => row.state === 'retiring'))
  for (const row of rows) t.equal(row.sealedPrivateJwk === '', row.state === 'retiring' || row.state === 'removed')
})

t.test('a wrong master key is found at the start, and says what to do', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  await startInstance(t, store)
  const before = await listSigningKeys(store.reader)
  const attempt = startInstance(t, await another(), { masterKeys: [otherMasterKey] })
  await t.rejects(attempt, { code: 'master_key_mismatch', message: /secrets\.masterKeys/ })
  t.same(await listSigningKeys(store.reader), before, 'and nothing was written')
})

t.test(
  'a master key is replaced by putting the new one first: keys are sealed anew, then the old one can go',
  async (t) => {
    const { store, another } = await openTemporaryStore(t)
    const { keyring } = await startInstance(t, store)
    await startInstance(t, await another(), { masterKeys: [otherMasterKey, masterKey] })
    const next = await startInstance(t, await another(), { masterKeys: [otherMasterKey] })
    t.equal(next.keyring.signingKey('token').kid, keyring.signingKey('token').kid)
    t.equal(next.verify(await next.issue()).iss, issuer)
  },
)

t.test('a sealed key cannot be passed off as another one, changed, or sealed without a master key', async (t) => {
  const encryption = createKeyEncryption([masterKey])
  const sealed = encryption.seal('{"d":"secret"}', 'kid-1')
  t.equal(encryption.open(sealed, 'kid-1'), '{"d":"secret"}')
  t.not(encryption.seal('{"d":"secret"}', 'kid-1'), sealed, 'never the same nonce')
  const [version, id, nonce, text = ''] = sealed.split('.')
  const flipped = `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`
  const broken: [string, string][] = [
    [sealed, 'kid-2'],
    [[version, id, nonce, flipped].join('.'), 'kid-1'],
    [[version, id, nonce, text.slice(0, 8)].join('.'), 'kid-1'],
    [[version, id, nonce, ''].join('.'), 'kid-1'],
    [[version, 'other', nonce, text].join('.'), 'kid-1'],
    [['v2', id, nonce, text].join('.'), 'kid-1'],
    ['', 'kid-1'],
    ['{"d":"secret"}', 'kid-1'],
  ]
  for (const [text, kid] of broken) t.throws(() => encryption.open(text, kid), { code: 'master_key_mismatch' })
  t.throws(() => createKeyEncryption([otherMasterKey]).open(sealed, 'kid-1'), { message: /former master key/ })
  t.throws(() => createKeyEncryption([]), { name: 'RangeError' })
  t.throws(() => createKeyEncryption([Buffer.alloc(16)]), { name: 'RangeError' })
})

t.test('what the Store cannot write is not half done: nothing changes and the caller hears of it', async (t) => {
  const { store } = await openTemporaryStore(t)
  const { deps, keyring } = await startInstance(t, store)
  const before = await listSigningKeys(store.reader)
  const broken = { ...deps, feed: { ...deps.feed, commit: () => Promise.reject(new StoreUnavailable('no')) } }
  const kid = keyring.signingKey('token').kid
  await t.rejects(removeKey(broken, kid), { code: 'store_unavailable' })
  await t.rejects(rotateKeys(broken), { code: 'store_unavailable' })
  t.same(await listSigningKeys(store.reader), before)
  t.equal(keyring.signingKey('token').kid, kid)
})

t.test('a clock that is set forward and back neither activates a key early nor loses the set', async (t) => {
  const { store } = await openTemporaryStore(t)
  const { deps, clock, keyring, verify, issue } = await startInstance(t, store)
  clock.ms += 91 * 24 * hourMs
  await advanceKeys(deps)
  const token = await issue()
  t.equal(verify(token).iss, issuer)
  clock.ms -= 91 * 24 * hourMs
  await advanceKeys(deps)
  t.equal(keyring.describe().filter((key) => key.state === 'active').length, 3)
  t.equal(verify(await issue()).iss, issuer)
})
