// A single-page application in Chromium against a running server: it comes from another https origin, redeems its code
// and asks userinfo by fetch. A page of a third origin gets nothing to read.
// run: apart

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { startBrowser } from '../support/browser/browser.js'
import { type PeopleProgram, startWithPeople } from '../support/programs/people-program.js'

t.setTimeout(120_000)

t.test('X1: code with PKCE, tokens and userinfo across origins', async (t) => {
  const testApp = await startWithPeople(t)
  const { program, manage, person } = testApp
  const [own, otherOrigin] = [await serveApp(t, testApp), await serveApp(t, testApp)]
  const { applicationId } = await manage.createApplication({
    ...{ name: 'Page', type: 'native', redirectUris: [`${own.origin}/app.html`] },
    permissions: [{ kind: 'delegated', id: 'User.Read' }],
  })
  const settings = { issuer: program.baseUrl, clientId: applicationId, redirectUri: `${own.origin}/app.html` }
  own.settings = settings
  otherOrigin.settings = settings
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  // Chromium is made to believe the development authority's certificates, as it would in its store of authorities.
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
  const refused: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && refused.push(message.text())))

  await page.goto(`${own.origin}/app.html`)
  await page.click('#go')
  await page.fill('#email', person.email)
  await page.fill('#password', person.password)
  await page.click('#sign-in')
  await page.click('#accept')
  await page.waitForSelector('#result[data-done]')
  const result = JSON.parse((await page.textContent('#result')) ?? '{}')
  t.match(result, {
    token: { status: 200, type: 'Bearer', scope: 'User.Read openid profile email' },
    userinfo: { status: 200, email: person.email, name: person.name },
    again: { status: 400, error: 'invalid_grant' },
    keys: 200,
  })
  t.equal(new URL(page.url()).origin, own.origin)
  t.same(
    refused.filter((line) => line.includes('Content Security Policy')),
    [],
  )

  await page.goto(`${otherOrigin.origin}/app.html?code=pcl_ac_${'a'.repeat(43)}&state=s`)
  await page.waitForSelector('#result[data-done]')
  const nothing = JSON.parse((await page.textContent('#result')) ?? '{}')
  t.match(nothing, { token: { refused: 'TypeError' }, keys: 200 }, 'X1 another origin reads only what is public')
})

/** The application, from an origin of its own with the certificate of the program. */
async function serveApp(t: { teardown(work: () => unknown): void }, { program }: PeopleProgram) {
  const folder = join(program.folder, 'tls')
  const [cert, key] = ['localhost.pem', 'localhost.key'].map((name) => readFileSync(join(folder, name)))
  const app = { origin: '', settings: {} as object }
  const server = createServer({ cert, key }, (request, response) => {
    const path = new URL(request.url ?? '/', 'https://localhost').pathname
    if (path === '/app.js') {
      response.setHeader('content-type', 'text/javascript')
      return response.end(`const settings = ${JSON.stringify(app.settings)}\n${script}`)
    }
    response.setHeader('content-type', 'text/html')
    return response.end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  app.origin = `https://localhost:${(server.address() as AddressInfo).port}`
  return app
}

const html = `<!doctype html><title>app</title><button id="go">Sign in</button><pre id="result"></pre>
<script src="/app.js"></script>`

/** As such an application is written: no library, PKCE in sessionStorage, the code redeemed from the page. */
const script = `
const base = settings.issuer + '/api/v2/oauth2/v2.0'
const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=/g, '')
document.getElementById('go').onclick = async () => {
  const verifier = text(crypto.getRandomValues(new Uint8Array(32)))
  sessionStorage.setItem('verifier', verifier)
  const challenge = text(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  location.href = base + '/authorize?' + new URLSearchParams({
    client_id: settings.clientId, redirect_uri: settings.redirectUri, response_type: 'code', state: 's',
    scope: 'openid profile email User.Read', code_challenge: challenge, code_challenge_method: 'S256',
  })
}
const tried = (work) => work().catch((error) => ({ refused: error.name }))
async function redeem(code) {
  const body = new URLSearchParams({
    grant_type: 'authorization_code', client_id: settings.clientId, redirect_uri: settings.redirectUri, code,
    code_verifier: sessionStorage.getItem('verifier') ?? 'a'.repeat(43),
  })
  const answer = await fetch(base + '/token', { method: 'POST', body })
  return { status: answer.status, ...(await answer.json()) }
}
async function finish(code) {
  const found = await tried(() => redeem(code))
  const { access_token, status, scope, refused, error } = found
  const result = { token: { status, scope, refused, error, type: found.token_type } }
  if (access_token !== undefined) {
    result.userinfo = await tried(async () => {
      const answer = await fetch(base + '/userinfo', { headers: { authorization: 'Bearer ' + access_token } })
      return { status: answer.status, ...(await answer.json()) }
    })
  }
  result.again = await tried(() => redeem(code))
  result.keys = await tried(async () => (await fetch(base + '/keys')).status)
  document.getElementById('result').textContent = JSON.stringify(result)
  document.getElementById('result').dataset.done = 'yes'
}
const code = new URLSearchParams(location.search).get('code')
if (code !== null) void finish(code)
`
