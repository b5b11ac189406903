// The check of an access token against everything that has ever been tried on one.

import { constants, createSign, sign } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { exportJWK, SignJWT } from 'jose'
import t from 'tap'
import { BearerError } from '../../src/oauth/errors/errors.js'
import type { AccessTokenClaims } from '../../src/tokens/claims.js'
import { issueAccessToken } from '../../src/tokens/issue.js'
import { createVerificationKey } from '../../src/tokens/keys/verification-key.js'
import { verifyAccessToken, verifyJws } from '../../src/tokens/verify.js'
import { newKeyPair } from '../support/tokens/key-pair.js'
import {
  appClaims,
  applicationId,
  forge,
  forgeWithHmac,
  issuer,
  nowSeconds,
  resource,
  segment,
  signatureOf,
  testKey,
  testKeyring,
  userClaims,
  userId,
} from '../support/tokens/tokens-forge.js'

const es = await testKey('es-key', 'ES256')
const rs = await testKey('rs-key', 'RS256')
const ed = await testKey('ed-key', 'EdDSA')
const keyring = testKeyring(es, rs, ed)
const all = [es, rs, ed]

function verify(token: string, nowMs = nowSeconds * 1000): AccessTokenClaims {
  return verifyAccessToken(token, { keyring, issuer, leewaySeconds: 60, nowMs })
}

/** The reason of the refusal; fails on acceptance and on any error that would become a 500. */
function reasonOf(token: string, nowMs = nowSeconds * 1000): string {
  try {
    verify(token, nowMs)
    return 'accepted'
  } catch (error) {
    return error instanceof BearerError && error.code === 'invalid_token' ? error.reason : `threw ${String(error)}`
  }
}

t.test('a token that was issued here is accepted, with each algorithm', async (t) => {
  for (const key of all) {
    const signing = { signingKey: () => key }
    t.same(verify(await issueAccessToken(signing, appClaims())), appClaims(), key.alg)
    const user = userClaims({ auth_time: nowSeconds, acr: '1', amr: ['pwd'] })
    t.same(verify(await issueAccessToken(signing, user)), JSON.parse(JSON.stringify(user)), `${key.alg}, of a user`)
  }
})

t.test('a token is not issued for longer than a revocation is remembered, nor for no time', async (t) => {
  for (const exp of [nowSeconds + 86_401, nowSeconds, nowSeconds - 1, Number.NaN]) {
    await t.rejects(issueAccessToken(keyring, appClaims({ exp })), { name: 'RangeError' })
  }
})

t.test('J1 J5 a header that is known says nothing of another token, nor of another type', async (t) => {
  const good = forge(es)
  t.equal(reasonOf(good), 'accepted')
  const [header = '', payload = '', signature = ''] = good.split('.')
  t.equal(reasonOf(good), 'accepted', 'again')
  t.equal(reasonOf(`${header}.${segment(appClaims({ sub: 'x' }))}.${signature}`), 'bad_signature')
  t.equal(reasonOf(`${header}=.${payload}.${signature}`), 'token_encoding')
  t.throws(
    () => verifyJws(good, 'pcl-assertion+jwt', (kid) => keyring.verificationKey('token', kid)),
    new BearerError('invalid_token', 'token_type', 'The token is not one that this service issues.'),
  )
  const gone = testKeyring(rs)
  const options = { keyring: gone, issuer, leewaySeconds: 60, nowMs: nowSeconds * 1000 }
  const unknown = new BearerError('invalid_token', 'unknown_key', 'The access token is not valid.')
  t.throws(() => verifyAccessToken(good, options), unknown)
  for (let i = 0; i < 40; i += 1) t.equal(reasonOf(forge(es, appClaims(), { x: i })), 'accepted', 'any number of them')
})

t.test('J1 the algorithm is the key’s, whatever the header says (RFC 8725 §3.1)', async (t) => {
  for (const alg of ['none', 'NONE', 'nOnE', 'None', '', null, 7, ['ES256'], { ES256: 1 }]) {
    for (const kid of [es.kid, rs.kid]) {
      const input = `${segment({ alg, typ: 'at+jwt', kid })}.${segment(appClaims())}`
      t.not(reasonOf(`${input}.`), 'accepted', `${JSON.stringify(alg)} without signature`)
      t.not(
        reasonOf(`${input}.${signatureOf(es, input).toString('base64url')}`),
        'accepted',
        `${JSON.stringify(alg)} signed`,
      )
    }
  }
  for (const key of all) {
    for (const alg of [
      'HS256',
      'HS384',
      'ES256',
      'ES256K',
      'ES384',
      'RS256',
      'RS512',
      'PS256',
      'EdDSA',
      'Ed25519',
      'es256',
    ]) {
      if (alg === key.alg) continue
      t.equal(reasonOf(forge(key, appClaims(), { alg })), 'algorithm_mismatch', `${alg} for a key of ${key.alg}`)
      for (const other of all) {
        if (other !== key) t.not(reasonOf(forge({ ...other, kid: key.kid }, appClaims(), { alg })), 'accepted')
      }
    }
    for (const other of all) {
      if (other === key) continue
      t.equal(reasonOf(forge(other, appClaims(), { kid: key.kid })), 'algorithm_mismatch')
      t.equal(reasonOf(forge(other, appClaims(), { kid: key.kid, alg: key.alg })), 'bad_signature')
    }
  }
})

t.test('J1 RSASSA-PSS under an RS256 key, and PKCS#1 with another hash, are refused', async (t) => {
  const input = `${segment({ alg: 'RS256', typ: 'at+jwt', kid: rs.kid })}.${segment(appClaims())}`
  const pss = sign('sha256', Buffer.from(input), {
    key: rs.privateKey,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: 32,
  })
  const sha512 = createSign('sha512').update(input).sign(rs.privateKey)
  t.equal(reasonOf(`${input}.${pss.toString('base64url')}`), 'bad_signature')
  t.equal(reasonOf(`${input}.${sha512.toString('base64url')}`), 'bad_signature')
})

t.test('J1 an HMAC under the public key, in any of its forms, is refused (CVE-2023-48223 and its kin)', async (t) => {
  for (const key of all) {
    const jwk = await exportJWK(key.publicKey)
    const spki = key.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const texts = [
      spki,
      spki.trim(),
      `\n${spki}`,
      ` ${spki}\r\n`,
      spki.replaceAll('\n', '\r\n'),
      spki.replaceAll('-', ''),
      JSON.stringify(jwk),
      JSON.stringify({ ...jwk, kid: key.kid, alg: key.alg, use: 'sig' }),
      JSON.stringify({ keys: [jwk] }),
      '',
    ]
    if (key.alg === 'RS256') texts.push(key.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString())
    const secrets = [...texts, key.publicKey.export({ type: 'spki', format: 'der' })]
    for (const secret of secrets) {
      for (const alg of ['HS256', 'hs256', 'HS256 ', key.alg]) {
        const header = { alg, typ: 'at+jwt', kid: key.kid }
        const wanted = alg === key.alg ? 'bad_signature' : 'algorithm_mismatch'
        t.equal(reasonOf(forgeWithHmac(secret, header)), wanted, `${alg} for ${key.alg}`)
      }
    }
  }
})

t.test('J2 a key id that is unknown, or no key id, is refused (RFC 8725 §3.10)', async (t) => {
  const named = [
    'unknown',
    '../../dev/null',
    "' or 1=1 --",
    '__proto__',
    'constructor',
    'es-key ',
    'ES-KEY',
    'es-key\u0000',
  ]
  for (const kid of named) t.equal(reasonOf(forge(es, appClaims(), { kid })), 'unknown_key', JSON.stringify(kid))
  for (const kid of [undefined, null, '', 7, true, ['es-key'], { 'es-key': 1 }, 'k'.repeat(129)]) {
    t.equal(reasonOf(forge(es, appClaims(), { kid })), 'token_key', `${JSON.stringify(kid)}`.slice(0, 40))
  }
  t.equal(reasonOf(forge(es, appClaims(), { kid: 'k'.repeat(10_240) })), 'token_too_large')
})

t.test('J2 J3 no token makes the verifier call anybody: jku, x5u, jwk and x5c are not looked at', async (t) => {
  const attacker = await testKey('es-key', 'ES256')
  const jwk = { ...(await exportJWK(attacker.publicKey)), kid: 'es-key', alg: 'ES256' }
  let calls = 0
  const before = { http: http.request, https: https.request, fetch: globalThis.fetch }
  const counted = () => {
    calls += 1
    throw new Error('an outbound request')
  }
  Object.assign(http, { request: counted })
  Object.assign(https, { request: counted })
  globalThis.fetch = counted as unknown as typeof fetch
  t.teardown(() => {
    Object.assign(http, { request: before.http })
    Object.assign(https, { request: before.https })
    globalThis.fetch = before.fetch
  })
  const x5c = [attacker.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')]
  const hints = { jku: 'https://127.0.0.1:9/keys', x5u: 'https://127.0.0.1:9/c', jwk, x5c, 'x5t#S256': 'AAAA' }
  t.equal(reasonOf(forge(attacker, appClaims(), hints)), 'bad_signature', 'the key of the header is not believed')
  t.equal(reasonOf(forge(attacker, appClaims(), { ...hints, kid: 'mine' })), 'unknown_key')
  t.equal(reasonOf(forge(es, appClaims(), hints)), 'accepted', 'and does not spoil a token of ours')
  t.equal(calls, 0)
})

t.test('J4 crit, b64 and zip are refused, understood by nobody (RFC 7515 §4.1.11, RFC 7797)', async (t) => {
  const headers = [
    { crit: ['exp'] },
    { crit: [] },
    { crit: null },
    { crit: ['b64'], b64: false },
    { b64: false },
    { b64: true },
    { zip: 'DEF' },
    { crit: ['http://example.com/x'], 'http://example.com/x': true },
  ]
  for (const header of headers)
    t.equal(reasonOf(forge(es, appClaims(), header)), 'token_extension', JSON.stringify(header))
})

t.test('J5 only an access token is an access token (RFC 8725 §3.11, RFC 9068 §4)', async (t) => {
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/At+Jwt']) {
    t.equal(reasonOf(forge(es, appClaims(), { typ })), 'accepted', typ)
  }
  const others = [
    undefined,
    null,
    '',
    'JWT',
    'jwt',
    'at',
    'at+jwt ',
    'application/jwt',
    'application/application/at+jwt',
    'dpop+jwt',
    'logout+jwt',
    'token-introspection+jwt',
    'secevent+jwt',
    'client-authentication+jwt',
    'portcullis-assertion+jwt',
    ['at+jwt'],
    1,
  ]
  for (const typ of others) t.equal(reasonOf(forge(es, appClaims(), { typ })), 'token_type', JSON.stringify(typ))
})

t.test('J6 iss is exact', async (t) => {
  for (const iss of [
    undefined,
    null,
    '',
    `${issuer}/`,
    issuer.toUpperCase(),
    'https://localhost',
    [issuer],
    { a: issuer },
  ]) {
    t.equal(reasonOf(forge(es, appClaims({ iss }))), 'wrong_issuer', JSON.stringify(iss))
  }
})

t.test('J6 J7 a token has one audience: a string, or a list of it', async (t) => {
  t.equal(verify(forge(es, appClaims({ aud: [resource] }))).aud, resource)
  for (const aud of [
    undefined,
    null,
    '',
    1,
    true,
    {},
    { 0: resource },
    [],
    [resource, 'b'],
    [1],
    [[resource]],
    [null],
  ]) {
    t.equal(reasonOf(forge(es, appClaims({ aud }))), 'claims', JSON.stringify(aud))
  }
})

t.test('J6 exp, nbf and iat hold with 60 seconds of leeway and not one more', async (t) => {
  const token = forge(es)
  const at = (seconds: number) => reasonOf(token, (nowSeconds + seconds) * 1000)
  t.equal(at(3659), 'accepted')
  t.equal(at(3660), 'expired')
  t.equal(at(-60), 'accepted')
  t.equal(at(-61), 'not_yet_valid')
  t.equal(reasonOf(forge(es, appClaims({ nbf: nowSeconds + 60 }))), 'accepted')
  t.equal(reasonOf(forge(es, appClaims({ nbf: nowSeconds + 61 }))), 'not_yet_valid')
  t.equal(reasonOf(forge(es, appClaims({ iat: nowSeconds + 61, nbf: nowSeconds }))), 'not_yet_valid')
})

t.test('J7 times that are no times are refused, never converted and never a crash', async (t) => {
  const odd = [
    undefined,
    null,
    '1800003600',
    '',
    -1,
    1.5,
    true,
    [1],
    {},
    253_402_300_800,
    Number.MAX_SAFE_INTEGER,
    2 ** 53,
  ]
  for (const name of ['exp', 'nbf', 'iat']) {
    for (const value of odd) {
      const reason = reasonOf(forge(es, appClaims({ [name]: value })))
      t.equal(reason, 'claims', `${name} ${JSON.stringify(value)}`)
    }
    for (const number of ['1e999', '-1e999', '1.8e9', '-0', '1800003600.0', '01', 'NaN', 'Infinity', '0x10']) {
      const text = JSON.stringify(appClaims({ [name]: 'X' })).replace('"X"', number)
      t.equal(reasonOf(forge(es, text)), 'token_json', `${name} ${number}`)
    }
  }
  t.equal(reasonOf(forge(es, appClaims({ exp: nowSeconds - 1, iat: nowSeconds, nbf: nowSeconds }))), 'claims')
  const long = appClaims({ iat: nowSeconds, exp: nowSeconds + 86_401 })
  t.equal(reasonOf(forge(es, long)), 'lifetime', 'it would outlive its revocation')
})

t.test('J7 claims of the wrong type are refused', async (t) => {
  for (const name of ['sub', 'client_id', 'jti', 'tid', 'cid']) {
    for (const value of [undefined, null, '', 1, true, [], ['a'], {}, 'x'.repeat(2049)]) {
      t.equal(
        reasonOf(forge(es, appClaims({ [name]: value }))),
        'claims',
        `${name} ${JSON.stringify(value)}`.slice(0, 40),
      )
    }
  }
  const wrong: Record<string, unknown>[] = [
    ...[undefined, null, '7', -1, 1.5, [7], 2 ** 53].map((seq) => ({ seq })),
    ...[undefined, null, 1, ['User.Read.All']].map((scope) => ({ scope })),
    ...[undefined, null, 'User.Read.All', {}, [1], [''], [['User.Read.All']]].map((roles) => ({ roles })),
    ...[undefined, null, '', 'App', 'USER', 'device', ['app'], 1].map((idtyp) => ({ idtyp })),
    { sub: userId },
    { gid: 'grant-1' },
  ]
  for (const changes of wrong) t.equal(reasonOf(forge(es, appClaims(changes))), 'claims', JSON.stringify(changes))
})

t.test('J5 a user token is no app token and an app token no user token', async (t) => {
  const wrong = [
    { gid: undefined },
    { gid: '' },
    { gid: 7 },
    { sub: applicationId },
    { roles: ['User.Read.All'] },
    { roles: [] },
    { idtyp: 'app' },
    { auth_time: '1' },
    { acr: 1 },
    { amr: 'pwd' },
    { amr: [1] },
  ]
  for (const changes of wrong) t.equal(reasonOf(forge(es, userClaims(changes))), 'claims', JSON.stringify(changes))
})

t.test('J7 a member that is given twice is refused, in header and payload (RFC 7515 §4, RFC 7519 §4)', async (t) => {
  const payload = JSON.stringify(appClaims())
  const header = JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: es.kid })
  const twice = (json: string, member: string) => json.replace('{', `{${member},`)
  t.equal(reasonOf(forge(es, payload, header)), 'accepted')
  for (const member of [
    '"exp":9999999999',
    '"iss":"https://localhost:8443"',
    '"aud":"x"',
    '"\\u0065xp":1',
    '"roles":["A"]',
  ]) {
    t.equal(reasonOf(forge(es, twice(payload, member), header)), 'token_json', member)
  }
  for (const member of ['"alg":"none"', '"kid":"es-key"', '"typ":"JWT"', '"\\u0061lg":"none"']) {
    t.equal(reasonOf(forge(es, payload, twice(header, member))), 'token_json', member)
  }
  const nested = twice(payload, '"x":{"a":1,"a":2}')
  t.equal(reasonOf(forge(es, nested, header)), 'token_json', 'nested')
})

t.test(
  'J7 what is no object in strict UTF-8 JSON is refused: byte order mark, broken UTF-8, white space, depth',
  async (t) => {
    const json = JSON.stringify(appClaims())
    const header = JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: es.kid })
    const bom = Buffer.from([0xef, 0xbb, 0xbf])
    const texts: [string, string | Buffer][] = [
      ['byte order mark', Buffer.concat([bom, Buffer.from(json)])],
      ['UTF-16', Buffer.from(json, 'utf16le')],
      [
        'a lone continuation byte',
        Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from(',"x":"\x80"}', 'latin1')]),
      ],
      ['an overlong slash', Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from(',"x":"\xc0\xaf"}', 'latin1')])],
      [
        'a surrogate in UTF-8',
        Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from(',"x":"\xed\xa0\x80"}', 'latin1')]),
      ],
      ['white space', ` ${json}`],
      ['a new line at the end', `${json}\n`],
      ['something behind it', `${json}{}`],
      ['half of it', json.slice(0, 40)],
      ['a comment', `/**/${json}`],
      ['a trailing comma', json.replace('}', ',}')],
      ['single quotes', "{'a':1}"],
      ['a list', `[${json}]`],
      ['a text', JSON.stringify(json)],
      ['null', 'null'],
      ['a number', '1'],
      ['depth', `${'['.repeat(2_000)}${']'.repeat(2_000)}`],
      ['open depth', '{"a":'.repeat(1_000)],
    ]
    for (const [name, text] of texts) {
      t.match(reasonOf(forge(es, text, header)), /^token_(json|encoding)$/, `payload: ${name}`)
      t.match(reasonOf(forge(es, json, text)), /^token_(json|encoding|type)$/, `header: ${name}`)
    }
  },
)

t.test('J8 a JWE, a JWS in JSON form and other shapes are refused without being decoded', async (t) => {
  const [header = '', payload = '', signature = ''] = forge(es).split('.')
  const bomb = segment({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', zip: 'DEF', p2c: 2_147_483_647, p2s: 'AAAA' })
  const shapes = [
    `${bomb}.AAAA.AAAA.AAAA.AAAA`,
    `${header}.${payload}.${signature}.AAAA.AAAA`,
    JSON.stringify({ protected: header, payload, signature }),
    JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
    `${header}.${payload}`,
    `${header}..${signature}`,
    `.${payload}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}.${signature}.`,
    `.${header}.${payload}.${signature}`,
    '',
    '.',
    '..',
    'abc',
    header,
  ]
  const started = performance.now()
  for (const shape of shapes) t.match(reasonOf(shape), /^token_(shape|encoding)$/, shape.slice(0, 30))
  t.ok(performance.now() - started < 10_000, 'nothing was derived with 2 147 483 647 rounds')
})

t.test('J9 a megabyte of dots costs nothing, 8 KiB is the end (CVE-2025-30204)', async (t) => {
  const dots = '.'.repeat(1 << 20)
  const hostile = [dots, `a${dots}`, `${forge(es)}${dots}`, 'a.'.repeat(1 << 19)]
  for (const token of hostile) {
    // The best of several: another process may have had the core.
    const times = [1, 2, 3, 4, 5].map(() => {
      const started = performance.now()
      t.equal(reasonOf(token), 'token_too_large')
      return performance.now() - started
    })
    t.ok(Math.min(...times) < 5)
  }
  const filled = (characters: number) => forge(es, appClaims({ filling: 'x'.repeat(characters) }))
  const empty = filled(0).length
  const room = Math.floor(((8192 - empty) * 3) / 4) - 2
  t.equal(reasonOf(filled(room)), 'accepted')
  t.equal(reasonOf(filled(room + 8)), 'token_too_large')
})

t.test('J10 one token has one spelling: every other one is refused', async (t) => {
  const token = forge(es)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const spellings = [
    `${token}=`,
    `${token}==`,
    `${token} `,
    ` ${token}`,
    `${token}\n`,
    `${header}\n.${payload}.${signature}`,
    `${header}=.${payload}.${signature}`,
    `${header}.${payload}=.${signature}`,
    `${header}.${payload}.${signature.slice(0, 40)}\n${signature.slice(40)}`,
    `${header}.${payload}.${signature.slice(0, 40)} ${signature.slice(40)}`,
    `${token}\u0000`,
    `${token}é`,
    `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`,
  ]
  for (const spelling of spellings)
    t.match(reasonOf(spelling), /^token_(encoding|shape)$/, JSON.stringify(spelling.slice(-12)))
  // 64 bytes are 86 characters, of which the last one has four unused bits: fifteen more spellings.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(token.slice(-1))
  const siblings = [...Array(15).keys()].map((bits) => token.slice(0, -1) + alphabet[(last & 0b110000) | (bits + 1)])
  for (const sibling of siblings) t.equal(reasonOf(sibling), 'token_encoding', sibling.slice(-4))
  t.equal(reasonOf(token), 'accepted')
})

t.test('J10 the alphabet of plain base64 is refused in every segment', async (t) => {
  // Bytes whose base64url has both characters that differ.
  const claims = appClaims({ x: '~~~???~~~???>>>' })
  const token = forge(es, claims)
  t.match(token, /[-_]/)
  t.equal(reasonOf(token), 'accepted')
  const [header = '', payload = '', signature = ''] = token.split('.')
  const plain = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/')
  if (plain(payload) !== payload) t.equal(reasonOf(`${header}.${plain(payload)}.${signature}`), 'token_encoding')
  if (plain(signature) !== signature) t.equal(reasonOf(`${header}.${payload}.${plain(signature)}`), 'token_encoding')
})

t.test('J11 an ECDSA signature is 64 bytes with r and s in range (CVE-2022-21449)', async (t) => {
  const input = forge(es).split('.').slice(0, 2).join('.')
  const good = signatureOf(es, input)
  const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
  const [r, s, zero] = [good.subarray(0, 32), good.subarray(32), Buffer.alloc(32)]
  const one = Buffer.concat([Buffer.alloc(31), Buffer.from([1])])
  const bad: [string, Buffer][] = [
    ['both zero', Buffer.alloc(64)],
    ['r zero', Buffer.concat([zero, s])],
    ['s zero', Buffer.concat([r, zero])],
    ['r the order', Buffer.concat([order, s])],
    ['s the order', Buffer.concat([r, order])],
    ['both the order', Buffer.concat([order, order])],
    ['both ones', Buffer.alloc(64, 0xff)],
    ['both 1', Buffer.concat([one, one])],
    ['63 bytes', good.subarray(0, 63)],
    ['65 bytes', Buffer.concat([good, Buffer.alloc(1)])],
    ['leading zero', Buffer.concat([Buffer.alloc(1), good])],
    ['DER', sign('sha256', Buffer.from(input), es.privateKey)],
    ['twice', Buffer.concat([good, good])],
    ['one byte', Buffer.alloc(1)],
    ['swapped', Buffer.concat([s, r])],
  ]
  t.equal(reasonOf(`${input}.${good.toString('base64url')}`), 'accepted')
  for (const [name, bytes] of bad) t.equal(reasonOf(`${input}.${bytes.toString('base64url')}`), 'bad_signature', name)
})

t.test('J11 an Ed25519 signature has one form: s below the order, 64 bytes (RFC 8032 §5.1.7)', async (t) => {
  const input = forge(ed).split('.').slice(0, 2).join('.')
  const good = signatureOf(ed, input)
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const s = BigInt(`0x${Buffer.from(good.subarray(32)).reverse().toString('hex')}`)
  const shifted = Buffer.from((s + order).toString(16).padStart(64, '0'), 'hex').reverse()
  const bad = [
    Buffer.concat([good.subarray(0, 32), shifted]),
    Buffer.alloc(64),
    good.subarray(1),
    Buffer.concat([good, good]),
  ]
  for (const bytes of bad) t.equal(reasonOf(`${input}.${bytes.toString('base64url')}`), 'bad_signature')
})

t.test(
  'J11 weak and unfitting keys verify nothing: RSA below 2048, another curve, small order, symmetric',
  async (t) => {
    const small = await exportJWK((await newKeyPair('rsa', { modulusLength: 1024 })).publicKey)
    const p384 = await exportJWK((await newKeyPair('ec', { namedCurve: 'P-384' })).publicKey)
    const k1 = await exportJWK((await newKeyPair('ec', { namedCurve: 'secp256k1' })).publicKey)
    const [ecJwk, rsaJwk, edJwk] = await Promise.all(all.map((key) => exportJWK(key.publicKey)))
    const ed448 = (await newKeyPair('ed448')).publicKey.export({ format: 'jwk' })
    const x25519 = (await newKeyPair('x25519')).publicKey.export({ format: 'jwk' })
    const refused: [string, Parameters<typeof createVerificationKey>[1], unknown][] = [
      ['RSA of 1024 bits', 'RS256', small],
      ['P-384', 'ES256', p384],
      ['secp256k1', 'ES256', k1],
      ['RSA for ES256', 'ES256', rsaJwk],
      ['P-256 for RS256', 'RS256', ecJwk],
      ['P-256 for EdDSA', 'EdDSA', ecJwk],
      ['Ed25519 for ES256', 'ES256', edJwk],
      ['Ed448', 'EdDSA', ed448],
      ['X25519', 'EdDSA', x25519],
      ['symmetric', 'ES256', { kty: 'oct', k: 'AAAA' }],
      ['an algorithm that we do not have', 'HS256' as 'ES256', ecJwk],
      ['off the curve', 'ES256', { ...ecJwk, y: ecJwk?.x }],
    ]
    const points = [
      '00'.repeat(32),
      `01${'00'.repeat(31)}`,
      `01${'00'.repeat(30)}80`,
      `ec${'ff'.repeat(30)}7f`,
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    ]
    for (const point of points) {
      const x = Buffer.from(point, 'hex').toString('base64url')
      refused.push([`a point of small order ${point.slice(0, 8)}`, 'EdDSA', { kty: 'OKP', crv: 'Ed25519', x }])
    }
    for (const [name, alg, jwk] of refused) t.throws(() => createVerificationKey('k', alg, jwk as object), name)
    t.equal(createVerificationKey('k', 'EdDSA', edJwk as object).alg, 'EdDSA')
  },
)

t.test('a token by another library is accepted when it says the same (RFC 9068 §2)', async (t) => {
  const token = await new SignJWT({ ...appClaims() })
    .setProtectedHeader({ typ: 'at+jwt', alg: 'RS256', kid: rs.kid })
    .sign(rs.privateKey)
  t.equal(verify(token).sub, applicationId)
})

t.test('a changed byte anywhere is noticed', async (t) => {
  const token = forge(es)
  for (let at = 0; at < token.length; at += 7) {
    const other = token[at] === 'A' ? 'B' : 'A'
    if (token[at] !== '.') t.not(reasonOf(token.slice(0, at) + other + token.slice(at + 1)), 'accepted', `${at}`)
  }
  t.not(
    reasonOf(`${token.split('.').slice(0, 2).join('.')}.${forge(es, appClaims({ seq: 8 })).split('.')[2]}`),
    'accepted',
  )
})

t.test(
  'T30 RFC 8693 §4.1 an exchanged token says what it came from in one form, and dies with the keys of that',
  (t) => {
    const parent = { client_id: 'agent', jti: 'p', cid: 'c', seq: 1, kid: 'ed-key' }
    const { client_id } = userClaims()
    const chain = { act: { sub: client_id, act: { sub: 'agent' } }, via: [parent] }
    t.match(verify(forge(es, userClaims(chain))), chain)
    const long = { act: chain.act, via: Array.from({ length: 4 }, () => parent) }
    const refused: object[] = [
      { via: [parent] },
      { act: chain.act },
      { act: { sub: client_id }, via: [] },
      { act: { sub: 'other', act: { sub: 'agent' } }, via: [parent] },
      { act: { sub: client_id }, via: [parent] },
      { act: { act: { sub: 'agent' }, sub: client_id }, via: [parent] },
      { ...chain, via: [{ ...parent, seq: -1 }] },
      { ...chain, via: [{ ...parent, jti: undefined }] },
      { ...chain, via: parent },
      { ...chain, via: null },
      long,
    ]
    for (const changes of refused)
      t.equal(reasonOf(forge(es, userClaims({ ...changes }))), 'claims', JSON.stringify(changes))
    t.equal(reasonOf(forge(es, appClaims({ ...chain }))), 'claims', 'an application that acts as itself')
    const gone = { ...chain, via: [{ ...parent, kid: 'removed' }] }
    t.equal(reasonOf(forge(es, userClaims(gone))), 'unknown_key')
    t.end()
  },
)
