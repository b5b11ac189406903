// Which redirect URIs may be registered, and which presented ones match.

import t from 'tap'
import { findRedirectUri, redirectUriProblem } from '../../src/oauth/redirect-uri.js'

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
