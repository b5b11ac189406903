// Redirect URIs: which may be registered, and which presented ones match. Authorization requests and the answers that
// go there, on the wire, and PKCE: pure functions.

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { authorizeNumber } from '../../src/oauth/errors/authorize-explanations.js'
import { explainError } from '../../src/oauth/errors/error-numbers.js'
import { readAuthorizationParameters } from '../../src/oauth/requests/authorization-request.js'
import {
  codeFields,
  errorFields,
  redirectSource,
  responseLocation,
} from '../../src/oauth/requests/authorization-response.js'
import { isCodeChallenge, isCodeVerifier, matchesCodeChallenge } from '../../src/oauth/requests/pkce.js'
import { findRedirectUri, redirectUriProblem, type VerifiedRedirectUri } from '../../src/oauth/requests/redirect-uri.js'

t.test('redirect URIs that may be registered (RFC 8252 §7)', async (t) => {
  const web = [
    'https://app.example/cb',
    'https://app.example',
    'https://app.example:8443/cb?x=1',
    'http://localhost/cb',
  ]
  web.push('http://127.0.0.1:3000/cb', 'http://[::1]:3000/cb', 'https://xn--bcher-kva.example/cb')
  const native = [...web, 'http://localhost', 'com.example.app:/cb', 'com.example.app:/cb/x?y=1']
  for (const uri of web) t.equal(redirectUriProblem(uri, 'web'), undefined, uri)
  for (const uri of native) t.equal(redirectUriProblem(uri, 'native'), undefined, uri)
})

t.test('R3 redirect URIs that may not be registered by anybody', async (t) => {
  const refused = [
    '',
    'app.example/cb',
    '/cb',
    '//app.example/cb',
    'https:app.example/cb',
    'https:/app.example/cb',
    'HTTPS://app.example/cb',
    'https://',
    'https://app.example/cb#',
    'https://app.example/cb#x',
    'https://user@app.example/cb',
    'https://user:pass@app.example/cb',
    'https://app.example\\@evil.example/cb',
    'https://*.app.example/cb',
    'https://app.example/*',
    'https://app.example/a/../cb',
    'https://app.example/a/%2e%2e/cb',
    'https://app.example/a/..;/cb',
    'https://app%2eexample/cb',
    'https://app.example /cb',
    ' https://app.example/cb',
    'https://app.example/c\tb',
    'https://app.example/c\nb',
    'https://äpp.example/cb',
    'http://app.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://127.1/cb',
    'http://2130706433/cb',
    'http://localhost.evil.example/cb',
    'http://localhost:99999/cb',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '\u0001javascript:alert(1)',
    ' data:text/html,x',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://app.example/x',
    'about:blank',
    `https://app.example/${'a'.repeat(2048)}`,
    'https://app.example/cb?code=x',
    'https://app.example/cb?a=b&state=',
    'https://app.example/cb?%69ss=x',
    'https://app.example/cb?error=x',
  ]
  for (const uri of refused) {
    for (const type of ['web', 'native'] as const)
      t.type(redirectUriProblem(uri, type), 'string', `${type} ${JSON.stringify(uri)}`)
  }
})

t.test('R4 a private-use scheme is for native clients and is a domain name in reverse (RFC 8252 §7.1)', async (t) => {
  t.type(redirectUriProblem('com.example.app:/cb', 'web'), 'string', 'never for a web client')
  for (const uri of ['myapp:/cb', 'myapp://cb', 'com.example.app://user@host/cb', '.app:/cb', 'com.example.app:cb']) {
    t.type(redirectUriProblem(uri, 'native'), 'string', uri)
  }
})

t.test('R1 a presented redirect URI matches by exact string', async (t) => {
  const registered = ['https://app.example/cb', 'com.example.app:/cb']
  for (const uri of registered) t.equal(findRedirectUri(registered, uri, 'native'), uri)
  const others = [
    'https://app.example/cb/',
    'https://app.example/cb?x=1',
    'https://app.example:443/cb',
    'https://APP.example/cb',
    'https://app.example/CB',
    'https://app.example/%63b',
    'https://app.example/x/../cb',
    'https://user@app.example/cb',
    'https://app.example/cb#',
    'https://app.example/cb;x',
    'https://app.example\\cb',
    'https://app.example/cb\n',
    'com.example.app:/CB',
    '',
  ]
  for (const uri of others) t.equal(findRedirectUri(registered, uri, 'native'), undefined, JSON.stringify(uri))
})

t.test('R2 only the port of a loopback URI may differ, only for native clients (RFC 8252 §7.3)', async (t) => {
  const registered = ['http://127.0.0.1:1/cb', 'http://[::1]/cb', 'http://localhost']
  for (const uri of [
    'http://127.0.0.1/cb',
    'http://127.0.0.1:50000/cb',
    'http://[::1]:9/cb',
    'http://localhost:8400',
  ]) {
    t.equal(findRedirectUri(registered, uri, 'native'), uri, uri)
    t.equal(findRedirectUri(registered, uri, 'web'), undefined, `web ${uri}`)
  }
  const others = [
    'http://localhost:8400/',
    'http://localhost:8400/cb',
    'http://127.0.0.1:1/cb/',
    'http://127.0.0.1:1/cb?x',
    'http://[::1]:70000/cb',
    'http://localhost:8400@evil.example',
    'http://localhost:8400.evil.example',
    'https://127.0.0.1:1/cb',
    'http://127.0.0.2:1/cb',
    'http://localhost:',
  ]
  for (const uri of others) t.equal(findRedirectUri(registered, uri, 'native'), undefined, uri)
})

const issuer = 'https://portcullis.test'
const verified = (uri: string): VerifiedRedirectUri => {
  const found = findRedirectUri([uri], uri, 'native')
  if (found === undefined) throw new Error(uri)
  return found
}
const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

t.test('T12 a verifier matches its own S256 challenge (RFC 7636 §4.6)', async (t) => {
  // The example of RFC 7636, appendix B.
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  t.ok(matchesCodeChallenge(verifier, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'))
  t.notOk(
    matchesCodeChallenge(`${verifier.slice(0, -1)}l`, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'),
    'another verifier',
  )
  t.notOk(matchesCodeChallenge(verifier, verifier), 'T14 the verifier itself, as plain would have it')
  t.notOk(matchesCodeChallenge('', ''))
})

t.test('T13 verifiers have 43 to 128 unreserved characters (RFC 7636 §4.1)', async (t) => {
  for (const good of ['a'.repeat(43), '~'.repeat(128), `${'-._~'.repeat(11)}`]) {
    t.ok(isCodeVerifier(good), good)
    t.ok(matchesCodeChallenge(good, s256(good)))
  }
  for (const bad of [
    'a'.repeat(42),
    'a'.repeat(129),
    `${'a'.repeat(42)}+`,
    `${'a'.repeat(42)} `,
    `${'a'.repeat(43)}\n`,
    `${'a'.repeat(42)}é`,
  ]) {
    t.notOk(isCodeVerifier(bad), JSON.stringify(bad))
    t.notOk(matchesCodeChallenge(bad, s256(bad)), 'whatever its hash')
  }
})

t.test('R11 a challenge is a SHA-256 in base64url, whole (RFC 7636 §4.2)', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) =>
      isCodeChallenge(Buffer.from(bytes).toString('base64url')),
    ),
  )
  const good = s256('x')
  for (const bad of [
    good.slice(1),
    `${good}A`,
    `${good}=`,
    `${good.slice(0, -1)}B`,
    good.replace(/./, '+'),
    '',
    `${good}\n`,
  ]) {
    t.notOk(isCodeChallenge(bad), JSON.stringify(bad))
  }
})

t.test('R7 a known parameter that comes twice is refused, whichever it is, also an empty one', async (t) => {
  for (const name of [
    'redirect_uri',
    'client_id',
    'state',
    'code_challenge',
    'scope',
    'nonce',
    'prompt',
    'response_mode',
    'tenant',
  ]) {
    t.throws(() => readAuthorizationParameters(`${name}=a&${name}=a`), { code: 'invalid_request' }, name)
    t.throws(
      () => readAuthorizationParameters(`${name}=a&${name}=`),
      { code: 'invalid_request' },
      `${name}, the second one empty`,
    )
  }
  t.equal(readAuthorizationParameters('foo=1&foo=2&state=x').get('state'), 'x', 'an unknown one is ignored')
  t.same(readAuthorizationParameters('resource=a&resource=b&resource=a&resource=').resources, ['a', 'b'])
})

t.test('an empty parameter is absent, a malformed query is refused (RFC 6749 §3.1)', async (t) => {
  const read = readAuthorizationParameters('state=&scope=a+b%20c&nonce=%C3%A4')
  t.same([read.get('state'), read.get('scope'), read.get('nonce')], [undefined, 'a b c', 'ä'])
  for (const bad of [
    'state=%',
    'state=%zz',
    'state=%FF',
    'state=%00',
    Array.from({ length: 257 }, (_, at) => `x${at}=`).join('&'),
  ]) {
    t.throws(() => readAuthorizationParameters(bad), { code: 'invalid_request' }, bad.slice(0, 20))
  }
})

t.test(
  'R8 R10 R12 an answer has each field once, after the registered query, and the state byte by byte',
  async (t) => {
    const at = (uri: string) => responseLocation(verified(uri), codeFields({ code: 'c', state: 's', issuer }))
    const fields = `code=c&state=s&iss=${encodeURIComponent(issuer)}`
    t.equal(at('https://app.test/cb'), `https://app.test/cb?${fields}`)
    t.equal(at('https://app.test/cb?a=b&c'), `https://app.test/cb?a=b&c&${fields}`)
    t.equal(at('https://app.test/cb?'), `https://app.test/cb?${fields}`)
    t.equal(at('https://app.test/cb?a&'), `https://app.test/cb?a&${fields}`)
    t.equal(at('http://localhost:8400'), `http://localhost:8400?${fields}`, 'an absent path stays absent')
    t.equal(at('com.example.app:/cb'), `com.example.app:/cb?${fields}`)
  },
)

t.test(
  'R8 R12 property: whatever the registered URI and the state are, the client reads exactly what was sent',
  async (t) => {
    const words = fc.stringMatching(/^[a-z0-9._~-]{1,12}$/)
    const uris = fc
      .tuple(
        fc.constantFrom(
          'https://app.test',
          'https://app.test:8443',
          'http://127.0.0.1:9',
          'http://[::1]',
          'com.example.app:',
        ),
        fc.array(words, { maxLength: 3 }),
        fc.option(fc.array(fc.tuple(words, words), { maxLength: 3 })),
      )
      .map(([origin, path, query]) => {
        const search = query === null ? '' : `?${query.map(([name, value]) => `x${name}=${value}`).join('&')}`
        return `${origin}/${path.map((part) => `p${part}`).join('/')}${search}`
      })
      .filter((uri) => redirectUriProblem(uri, 'native') === undefined)
    const states = fc.option(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }).filter((text) => !/\p{Cs}/u.test(text)),
    )
    const run = fc.check(
      fc.property(uris, states, fc.boolean(), (uri, drawn, refused) => {
        const state = drawn ?? undefined
        const fields = refused
          ? errorFields({
              error: 'invalid_scope',
              description: 'No & = # %.',
              errorUri: `${issuer}/errors/70011`,
              state,
              issuer,
            })
          : codeFields({ code: 'pcl_ac_x', state, issuer })
        const location = responseLocation(verified(uri), fields)
        const sent = new URL(location)
        const own = new URL(uri)
        const read = [...sent.searchParams].slice([...own.searchParams].length)
        return (
          location.startsWith(uri) &&
          sent.hash === '' &&
          /^[\x21-\x7e]+$/.test(location) &&
          JSON.stringify(read) === JSON.stringify(fields) &&
          ['code', 'state', 'iss', 'error'].every((name) => sent.searchParams.getAll(name).length <= 1) &&
          sent.searchParams.get('iss') === issuer
        )
      }),
      { numRuns: 300 },
    )
    t.notOk(run.failed, JSON.stringify(run.counterexample))
  },
)

t.test('C4 what a policy must allow for a redirect is its origin or its scheme, and no more', async (t) => {
  t.equal(redirectSource('https://app.test/cb?x=1'), 'https://app.test')
  t.equal(redirectSource('https://app.test:8443/cb'), 'https://app.test:8443')
  t.equal(redirectSource('http://localhost:8400'), 'http://localhost:8400')
  t.equal(redirectSource('http://[::1]:8400/cb'), 'http:', 'a host-source cannot name an IPv6 address')
  t.equal(redirectSource('https://my_app.test/cb'), 'https:', 'nor an underscore')
  t.equal(redirectSource('com.example.app:/cb'), 'com.example.app:')
})

t.test('every number of the authorization endpoint has its page', async (t) => {
  for (const number of Object.values(authorizeNumber)) t.ok(explainError(number), String(number))
})
