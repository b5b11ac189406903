// Client identifiers, client secrets and how HTTP Basic carries them.

import { createHash, randomBytes } from 'node:crypto'
import t from 'tap'
import { readBasic } from '../../src/oauth/requests/basic.js'
import { createPublicKey, parseClientIdentifier } from '../../src/oauth/secrets/client-identifier.js'
import {
  createClientSecret,
  hashClientSecret,
  parseClientSecret,
  pepperId,
} from '../../src/oauth/secrets/client-secret.js'
import { deriveKey } from '../../src/oauth/secrets/derived-key.js'
import { parseGuid } from '../../src/oauth/secrets/guid.js'
import { matchesStoredSecret, namedKeyId } from '../../src/oauth/secrets/secret-comparison.js'

const pepper = randomBytes(32)
const otherPepper = randomBytes(32)

t.test('K1 a client secret has 256 random bits, a key id, a hint and a checksum', async (t) => {
  const sizes: number[] = []
  const { keyId, secret, hint } = createClientSecret((size) => {
    sizes.push(size)
    return randomBytes(size)
  })
  t.same(sizes, [9, 32], 'the random part is 32 bytes')
  t.match(secret, /^pcl_sk_[0-9A-Za-z]{13}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
  t.same(parseClientSecret(secret), { keyId })
  t.equal(namedKeyId(secret), keyId)
  t.equal(secret.split('_')[3]?.slice(0, 3), hint)
  t.match(createClientSecret((size) => new Uint8Array(size).fill(255)).secret, /^pcl_sk_/, 'the largest number fits')
  const many = new Set(Array.from({ length: 200 }, () => createClientSecret().secret))
  t.equal(many.size, 200, 'none comes twice')
})

t.test('K1 what is not a whole secret has no key id', async (t) => {
  const { secret } = createClientSecret()
  const last = secret.endsWith('0') ? '1' : '0'
  const cases = ['', 'pcl_sk_', `${secret} `, `${secret}0`, secret.slice(0, -1), secret.slice(0, -1) + last]
  cases.push(secret.replace('pcl_sk_', 'pcl_pk_'), secret.toUpperCase(), `\n${secret}`)
  for (const text of cases) t.equal(parseClientSecret(text), undefined, JSON.stringify(text.slice(-12)))
  for (const text of ['', `${secret}0`, secret.slice(1), secret.replace('_sk_', '_pk_')]) {
    t.equal(namedKeyId(text), undefined, 'nor the name of one')
  }
})

t.test('K1 only a keyed hash is stored, and peppers have names that tell nothing', async (t) => {
  const { secret } = createClientSecret()
  const hash = hashClientSecret(secret, pepper)
  t.match(hash, /^[0-9a-f]{64}$/)
  t.not(hash, createHash('sha256').update(secret).digest('hex'), 'it is keyed')
  t.not(hash, hashClientSecret(secret, otherPepper))
  t.equal(pepperId(pepper), pepperId(Uint8Array.from(pepper)))
  t.not(pepperId(pepper), pepperId(otherPepper))
  t.notOk(pepper.toString('hex').includes(pepperId(pepper)))
})

t.test('K2 a secret is compared by its hash, and nothing to compare with is never a match', async (t) => {
  const { secret } = createClientSecret()
  const stored = { hash: hashClientSecret(secret, pepper), pepperId: pepperId(pepper) }
  t.equal(matchesStoredSecret(secret, stored, [pepper]), true)
  t.equal(matchesStoredSecret(secret, stored, [otherPepper, pepper]), true, 'an older pepper still works')
  t.equal(matchesStoredSecret(`${secret}x`, stored, [pepper]), false)
  t.equal(matchesStoredSecret('', stored, [pepper]), false)
  t.equal(matchesStoredSecret(secret, undefined, [pepper]), false, 'unknown client')
  t.equal(matchesStoredSecret(secret, stored, [otherPepper]), false, 'the pepper is gone')
  t.equal(matchesStoredSecret(secret, { ...stored, hash: '' }, [pepper]), false, 'a broken record')
  t.equal(matchesStoredSecret(secret, { ...stored, pepperId: 'other' }, [pepper]), false, "another pepper's record")
  t.throws(() => matchesStoredSecret(secret, stored, []), /no pepper/)
})

t.test('K6 client identifiers are made here, in two forms that nothing else has', async (t) => {
  const publicKey = createPublicKey()
  t.match(publicKey, /^pcl_pk_[0-9A-Za-z]{22}$/)
  t.not(publicKey, createPublicKey())
  t.equal(parseClientIdentifier(publicKey), publicKey)
  t.equal(
    parseClientIdentifier('9B2C3D4E-0000-4000-8000-00000000ABCD'),
    '9b2c3d4e-0000-4000-8000-00000000abcd',
    'a GUID in any letter case',
  )
  const refused = [
    '',
    'demo',
    `${publicKey}x`,
    publicKey.toUpperCase(),
    `${publicKey}\0`,
    '{9b2c3d4e-0000-4000-8000-00000000abcd}',
  ]
  for (const text of [...refused, undefined]) t.equal(parseClientIdentifier(text), undefined, JSON.stringify(text))
  t.equal(parseGuid('9b2c3d4e00004000800000000000abcd'), undefined, 'dashes are part of it')
})

t.test('a derived key depends on the master key and on its label alone', async (t) => {
  const master = randomBytes(32)
  t.equal(deriveKey(master, 'a').byteLength, 32)
  t.same(deriveKey(master, 'a'), deriveKey(Uint8Array.from(master), 'a'))
  t.notSame(deriveKey(master, 'a'), deriveKey(master, 'b'))
  t.notSame(deriveKey(master, 'a'), deriveKey(randomBytes(32), 'a'))
  t.throws(() => deriveKey(randomBytes(31), 'a'), RangeError)
})

const basic = (text: string) => ['Authorization', `Basic ${Buffer.from(text).toString('base64')}`]

t.test('T7 both parts of HTTP Basic are form-decoded (RFC 6749 §2.3.1)', async (t) => {
  const read = (id: string, secret: string) => ({ kind: 'credentials', clientId: id, clientSecret: secret })
  t.same(readBasic(basic('id:secret')), read('id', 'secret'))
  t.same(readBasic(basic('pcl%5Fpk%5Fx:a%2Db')), read('pcl_pk_x', 'a-b'), 'a client that encodes _ and -')
  t.same(readBasic(basic('id:a%3Ab%2Bc%25d+e%C3%A9')), read('id', 'a:b+c%d eé'), 'a secret with : + % space and UTF-8')
  t.same(readBasic(basic('id:a:b')), read('id', 'a:b'), 'only the first colon separates')
  t.same(readBasic(basic('id:')), read('id', ''))
  t.same(
    readBasic(['authorization', `bAsIc   ${Buffer.from('a:b').toString('base64')}`]),
    read('a', 'b'),
    'scheme in any case',
  )
  t.same(readBasic(['Accept', '*/*']), { kind: 'absent' })
})

t.test('T7 what is not HTTP Basic is malformed, and two headers are never one', async (t) => {
  const malformed = [
    ['Authorization', 'Bearer abc'],
    ['Authorization', 'Basic'],
    ['Authorization', ''],
    ['Authorization', 'Basic *'],
    ['Authorization', 'Basic YTpi, Basic YTpi'],
    basic('no colon'),
    basic('id:%zz'),
    basic('id:%ff'),
    basic('%00:x'),
  ]
  for (const headers of malformed) t.same(readBasic(headers), { kind: 'malformed' }, String(headers[1]))
  t.same(readBasic([...basic('a:b'), ...basic('a:b')]), { kind: 'repeated' })
  t.same(readBasic([...basic('a:b'), 'authorization', '']), { kind: 'repeated' })
})
