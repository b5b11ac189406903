// What this server signs, read by another library; and where it is signed.

import { jwtVerify } from 'jose'
import t from 'tap'
import { signJws, signWrittenJws, writeClaims } from '../../src/tokens/sign-jws.js'
import { testKey } from '../support/tokens/tokens-forge.js'

const claims = { iss: 'https://portcullis.test', sub: 'Größe "1"', roles: ['a'], nonce: undefined, exp: 4_000_000_000 }

t.test('another library verifies each algorithm, and reads the claims that are there', async (t) => {
  for (const alg of ['ES256', 'RS256', 'EdDSA'] as const) {
    const key = await testKey(`key-${alg}`, alg)
    const token = await signJws(key, 'at+jwt', claims)
    const { payload, protectedHeader } = await jwtVerify(token, key.publicKey, { algorithms: [alg] })
    t.same(protectedHeader, { alg, typ: 'at+jwt', kid: key.kid }, alg)
    const { nonce: _absent, ...there } = claims
    t.same(payload, there, alg)
    t.notMatch(token, /=/, 'one spelling, without padding')
  }
})

t.test('what is signed at once, and what in the thread pool because it takes long', async (t) => {
  t.type(signJws(await testKey('a', 'ES256'), 'at+jwt', claims), 'string')
  t.type(signJws(await testKey('b', 'EdDSA'), 'at+jwt', claims), 'string')
  const rsa = await testKey('c', 'RS256')
  const later = signJws(rsa, 'at+jwt', claims)
  t.ok(later instanceof Promise)
  await later
})

t.test('a header belongs to one key and one type, also when two keys share a name', async (t) => {
  const [one, other] = [await testKey('same', 'ES256'), await testKey('same', 'EdDSA')]
  const header = async (token: string | Promise<string>) =>
    JSON.parse(Buffer.from((await token).split('.', 1)[0] as string, 'base64url').toString())
  for (let again = 0; again < 2; again += 1) {
    t.same(await header(signJws(one, 'at+jwt', claims)), { alg: 'ES256', typ: 'at+jwt', kid: 'same' })
    t.same(await header(signJws(one, 'JWT', claims)), { alg: 'ES256', typ: 'JWT', kid: 'same' })
    t.same(await header(signJws(other, 'JWT', claims)), { alg: 'EdDSA', typ: 'JWT', kid: 'same' })
  }
})

t.test('a key that cannot sign is said so', async (t) => {
  const { publicKey } = await testKey('rsa', 'RS256')
  await t.rejects(async () => signJws({ kid: 'x', alg: 'RS256', privateKey: publicKey }, 'at+jwt', claims))
  t.throws(() => signJws({ kid: 'x', alg: 'ES256', privateKey: publicKey }, 'at+jwt', claims))
})

t.test('claims that were written before are read with those behind them, whatever their length', async (t) => {
  const key = await testKey('key', 'ES256')
  for (const sub of ['', 'a', 'ab', 'abc', 'Größe', 'a"b\\c', '\u2028😀']) {
    const written = writeClaims({ iss: 'https://portcullis.test', sub })
    for (const exp of [4_000_000_000, 4_100_000_000]) {
      const token = await signWrittenJws(key, 'at+jwt', written, { exp, jti: 'é' })
      const { payload } = await jwtVerify(token, key.publicKey, { algorithms: ['ES256'] })
      t.same(payload, { iss: 'https://portcullis.test', sub, exp, jti: 'é' })
      const text = Buffer.from(token.split('.')[1] as string, 'base64url').toString()
      t.equal(JSON.stringify(JSON.parse(text)), text, 'in the one form')
      t.notMatch(token, /=/)
    }
  }
})
