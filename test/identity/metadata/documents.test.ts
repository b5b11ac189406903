// What anybody may read: metadata, key sets, and the pages that explain errors.

import t from 'tap'
import { errorNumber } from '../../../src/oauth/errors/error-numbers.js'
import { rotateKeys } from '../../../src/tokens/keys/key-lifecycle.js'
import { baseUrl, ownResource } from '../../support/rooms/directory.js'
import { openIdentity, readToken, tokenPath } from '../../support/rooms/identity.js'

const serverMetadata = '/.well-known/oauth-authorization-server'
const resourceMetadata = '/.well-known/oauth-protected-resource'
const keys = '/api/v2/oauth2/v2.0/keys'
const assertionKeys = '/api/v2/oauth2/v2.0/assertionkeys'

t.test(
  'M1 the metadata speaks of the configured issuer, whatever Host or proxy headers say (RFC 8414 §3)',
  async (t) => {
    const testApp = await openIdentity(t)
    const plain = await testApp.ask({ url: serverMetadata })
    t.equal(plain.statusCode, 200)
    const spoofed = await testApp.ask({
      url: serverMetadata,
      headers: {
        'x-forwarded-host': 'evil.example',
        forwarded: 'host=evil.example;proto=http',
        'x-forwarded-prefix': '/x',
      },
    })
    t.equal(spoofed.body, plain.body)
    const metadata = plain.json()
    t.equal(metadata.issuer, baseUrl)
    const urls = Object.values(metadata).filter((value) => typeof value === 'string')
    t.ok(urls.length >= 5)
    for (const url of urls) t.ok(url === baseUrl || String(url).startsWith(`${baseUrl}/`), String(url))
    t.equal((await testApp.ask({ url: serverMetadata, headers: { host: 'evil.example' } })).statusCode, 421)
  },
)

t.test('M2 what is announced: S256 only, no algorithm `none`, the same under both well-known names', async (t) => {
  const testApp = await openIdentity(t)
  const answer = await testApp.ask({ url: serverMetadata })
  const base = `${baseUrl}/api/v2/oauth2/v2.0`
  const proofs = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
  t.match(answer.json(), {
    issuer: baseUrl,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    jwks_uri: `${baseUrl}${keys}`,
    userinfo_endpoint: `${base}/userinfo`,
    end_session_endpoint: `${base}/logout`,
    device_authorization_endpoint: `${base}/devicecode`,
    revocation_endpoint: `${base}/revoke`,
    introspection_endpoint: `${base}/introspect`,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    subject_types_supported: ['public'],
    code_challenge_methods_supported: ['S256'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    token_endpoint_auth_methods_supported: [...proofs, 'none'],
    token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256', 'EdDSA'],
    introspection_endpoint_auth_methods_supported: proofs,
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    protected_resources: [ownResource],
  })
  for (const [name, value] of Object.entries(answer.json() as Record<string, unknown>)) {
    if (/_alg_values_supported$/.test(name)) t.notMatch(value, ['none'], name)
  }
  const { grant_types_supported } = answer.json()
  t.match(grant_types_supported, ['authorization_code', 'refresh_token', 'client_credentials'])
  const openid = await testApp.ask({ url: '/.well-known/openid-configuration' })
  t.equal(openid.body, answer.body)
})

t.test('every announced endpoint answers', async (t) => {
  const testApp = await openIdentity(t)
  const metadata = (await testApp.ask({ url: serverMetadata })).json() as Record<string, unknown>
  /** What each says to a request without anything: a page, or that nobody has said who they are. */
  const expected: Record<string, number> = {
    ...{ jwks_uri: 200, authorization_endpoint: 400, end_session_endpoint: 200 },
  }
  for (const [name, value] of Object.entries(metadata)) {
    if (!/_(endpoint|uri)$/.test(name)) continue
    const { pathname } = new URL(String(value))
    const answer = name in expected ? await testApp.ask({ url: pathname }) : await testApp.post(pathname, {})
    t.equal(answer.statusCode, expected[name] ?? 401, name)
  }
})

t.test('M4 each https resource has its metadata under its own path, none at the bare root (RFC 9728 §3)', async (t) => {
  const testApp = await openIdentity(t)
  const answer = await testApp.ask({ url: `${resourceMetadata}/api/v2` })
  t.equal(answer.statusCode, 200)
  t.match(answer.json(), {
    resource: ownResource,
    authorization_servers: [baseUrl],
    jwks_uri: `${baseUrl}${keys}`,
    bearer_methods_supported: ['header'],
    resource_name: 'Portcullis',
  })
  t.ok(answer.json().scopes_supported.includes('User.Read.All'))
  t.ok(answer.json().scopes_supported.includes('User.Read'), 'delegated only')
  for (const path of ['', '/', '/api', '/api/v2/', '/api/v2/me', '/API/V2']) {
    t.equal((await testApp.ask({ url: `${resourceMetadata}${path}` })).statusCode, 404, path)
  }
})

t.test(
  "M3 the key sets have public members only, unique key ids, a time to live, and never each other's keys",
  async (t) => {
    const testApp = await openIdentity(t)
    await rotateKeys(testApp.lifecycle)
    const sets: string[][] = []
    for (const url of [keys, assertionKeys]) {
      const answer = await testApp.ask({ url })
      t.equal(answer.statusCode, 200)
      t.equal(answer.headers['content-type'], 'application/json')
      const [, maxAge] = /^public, max-age=(\d+)$/.exec(String(answer.headers['cache-control'])) ?? []
      t.ok(Number(maxAge) > 0 && Number(maxAge) <= 300, 'J16 no longer than a key is published before it signs')
      t.equal(answer.headers['access-control-allow-origin'], '*')
      const set = answer.json().keys as Record<string, string>[]
      for (const key of set) {
        for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])
          t.notOk(secret in key, `${key['kid']} ${secret}`)
        t.match(key, { kid: /.+/, kty: /.+/, alg: /.+/ })
      }
      sets.push(set.map((key) => String(key['kid'])))
    }
    const [tokenIds = [], assertionIds = []] = sets
    t.equal(new Set([...tokenIds, ...assertionIds]).size, tokenIds.length + assertionIds.length, 'no key is in both')
    t.equal(tokenIds.length, 4, 'pending keys are published before they sign')
    t.same(tokenIds, [...tokenIds].sort(), 'in the order that every instance has')
    const { registration, secret } = await testApp.registerDemo()
    const fields = {
      grant_type: 'client_credentials',
      client_id: registration.publicKey,
      client_secret: secret,
      scope: 'default',
    }
    const { header } = readToken((await testApp.post(tokenPath, fields)).json().access_token)
    t.ok(tokenIds.includes(String(header['kid'])), 'the key that signs is in the set')
  },
)

t.test('M5 ETag and 304: unchanged while the document is, another one after a rotation', async (t) => {
  const testApp = await openIdentity(t)
  for (const url of [keys, serverMetadata, `${resourceMetadata}/api/v2`]) {
    const first = await testApp.ask({ url })
    const etag = String(first.headers['etag'])
    t.match(etag, /^"[\w-]{43}"$/, url)
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await testApp.ask({ url, headers: { 'if-none-match': tag } })
      t.equal(again.statusCode, 304, `${url} ${tag}`)
      t.equal(again.body, '')
      t.equal(again.headers['etag'], etag)
    }
    t.equal((await testApp.ask({ url, headers: { 'if-none-match': '"x"' } })).statusCode, 200)
    t.equal((await testApp.ask({ url, method: 'HEAD' })).headers['etag'], etag)
  }
  const before = (await testApp.ask({ url: keys })).headers['etag'] as string
  await rotateKeys(testApp.lifecycle, { immediately: true })
  const after = await testApp.ask({ url: keys, headers: { 'if-none-match': before } })
  t.equal(after.statusCode, 200)
  t.not(after.headers['etag'], before)
})

t.test('M5 two instances with the same keys and configuration answer byte for byte alike', async (t) => {
  const [one, two] = [await openIdentity(t), await openIdentity(t)]
  for (const url of [keys, serverMetadata, `${resourceMetadata}/api/v2`]) {
    const [first, second] = [await one.ask({ url }), await two.ask({ url })]
    t.equal(first.body, second.body, url)
    t.equal(first.headers['etag'], second.headers['etag'], url)
    const elsewhere = await two.ask({ url, headers: { 'if-none-match': String(first.headers['etag']) } })
    t.equal(elsewhere.statusCode, 304, `${url}: what one sent is known to the other`)
  }
})

t.test(
  'X1 any origin may read keys and metadata, without credentials; a strange one may not use the token endpoint',
  async (t) => {
    const testApp = await openIdentity(t)
    const headers = { origin: 'https://spa.example', 'access-control-request-method': 'GET' }
    for (const url of [keys, serverMetadata, `${resourceMetadata}/api/v2`]) {
      const preflight = await testApp.ask({ method: 'OPTIONS', url, headers })
      t.equal(preflight.statusCode, 204, url)
      t.equal(preflight.headers['access-control-allow-origin'], '*')
      t.equal(preflight.headers['access-control-allow-credentials'], undefined)
      const post = await testApp.ask({ method: 'POST', url })
      t.equal(post.statusCode, 405)
      t.equal(post.headers['allow'], 'GET, HEAD, OPTIONS')
    }
    const token = await testApp.ask({
      method: 'OPTIONS',
      url: tokenPath,
      headers: { ...headers, 'access-control-request-method': 'POST' },
    })
    t.equal(token.statusCode, 204)
    t.equal(token.headers['access-control-allow-origin'], undefined)
  },
)

t.test('every error number has a page with its meaning and what to do', async (t) => {
  const testApp = await openIdentity(t)
  const index = await testApp.ask({ url: '/errors' })
  t.equal(index.statusCode, 200)
  for (const number of Object.values(errorNumber)) {
    const page = await testApp.ask({ url: `/errors/${number}` })
    t.equal(page.statusCode, 200, String(number))
    t.match(page.headers['content-type'], 'text/html; charset=utf-8')
    t.match(page.body, new RegExp(`<title>[^<]+\\(${number}\\) · Portcullis</title>`))
    t.match(
      page.body,
      /<html lang="en" dir="ltr">[\s\S]*<main id="content"[^>]*>[\s\S]*<h1>[\s\S]*id="meaning">[\s\S]*id="remedy">/,
    )
    t.match(index.body, `href="/errors/${number}"`)
  }
})

t.test('U5 the pages run nothing, embed nothing and can be framed by nobody', async (t) => {
  const testApp = await openIdentity(t)
  for (const url of ['/errors', '/errors/70011', '/errors/1']) {
    const { headers, body } = await testApp.ask({ url })
    const policy = String(headers['content-security-policy'])
    for (const part of ["default-src 'none'", "style-src 'self'", "frame-ancestors 'none'", "form-action 'none'"]) {
      t.ok(policy.includes(part), part)
    }
    t.notMatch(policy, /unsafe/)
    t.match(headers, {
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
    t.match(headers['strict-transport-security'], /max-age=\d+/)
    t.notMatch(body, /<script|style=|<style|javascript:|onclick|https?:/)
    const stylesheet = /href="(\/assets\/[0-9a-f]+\.css)"/.exec(body)?.[1] ?? ''
    const css = await testApp.ask({ url: stylesheet })
    t.equal(css.statusCode, 200)
    t.equal(css.headers['content-type'], 'text/css; charset=utf-8')
    t.match(css.headers['cache-control'], /immutable/)
    t.match(css.body, /prefers-color-scheme: dark/)
  }
})

t.test('a number of nobody is a 404 page that shows nothing of the request', async (t) => {
  const testApp = await openIdentity(t)
  for (const path of ['1', '99999', '070011', '70011x', '%3Cscript%3E', '7.0e4', 'constructor', '70011.css']) {
    const page = await testApp.ask({ url: `/errors/${path}` })
    t.equal(page.statusCode, 404, path)
    t.match(page.headers['content-type'], /text\/html/)
    t.match(page.body, /Unknown error number/)
    t.notOk(page.body.includes(decodeURIComponent(path)) && path.length > 1)
  }
  const post = await testApp.ask({ method: 'POST', url: '/errors/70011' })
  t.equal(post.statusCode, 405)
  t.equal(post.headers['allow'], 'GET, HEAD')
})
