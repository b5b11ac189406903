// Other people's pages behind the gate, in a real browser: they run at a host that has nothing else, and nowhere beside
// sign-in.
// run: apart

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { startBrowser } from '../support/browser/browser.js'
import { call } from '../support/programs/demo.js'
import { startProgram } from '../support/programs/program.js'

t.setTimeout(120_000)

const site = createServer((request, response) => {
  if (request.url === '/site/moved')
    return void response.writeHead(302, { location: `http://${request.headers.host}/site/` }).end()
  response.setHeader('content-type', 'text/html').end(`<!doctype html><title>still</title><h1>A site</h1>
<script>
document.title = 'ran'
const own = new URLSearchParams(location.search).get('own')
const ask = (path) => fetch(own + path, { credentials: 'include' }).then((answer) => 'read ' + answer.status, () => 'refused')
if (own) Promise.all([ask('/portal'), ask('/api/v2/me')]).then((said) => { document.body.dataset.said = said.join() + '|' + document.cookie })
</script>`)
})
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
t.teardown(() => void site.close())
const target = `http://127.0.0.1:${(site.address() as { port: number }).port}`

const folder = t.testdir()
const config = join(folder, 'sites.yaml')
writeFileSync(
  config,
  `server:
  baseUrl: \${PORTCULLIS_BASE_URL}
  listen: \${PORTCULLIS_LISTEN}
  operator: \${PORTCULLIS_OPERATOR}
  apiHosts: [apps.localhost]
upstreams:
  site: { target: "${target}" }
routes:
  GET /site/**: { to: site, public: true, pages: true }
  GET /plain/**: { to: site, public: true }
`,
)
const program = await startProgram({ cwd: folder, config })
t.teardown(() => program.stop())
const browser = await startBrowser()
t.teardown(() => browser.close())
const apps = program.baseUrl.replace('localhost', 'apps.localhost')

t.test('a proxied page runs at its own host, and reads nothing of the portal’s from there', async (t) => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  const { hostname } = new URL(program.baseUrl)
  await context.addCookies([
    { name: '__Host-session', value: 'secret', domain: hostname, path: '/', secure: true, httpOnly: false },
  ])
  const page = await context.newPage()
  const answer = await page.goto(`${apps}/site/?own=${encodeURIComponent(program.baseUrl)}`)
  t.equal(answer?.status(), 200)
  t.equal(answer?.headers()['content-security-policy'], undefined)
  t.equal(answer?.headers()['x-content-type-options'], 'nosniff')
  await page.waitForSelector('body[data-said]', { state: 'attached' })
  t.equal(await page.title(), 'ran')
  t.equal(await page.getAttribute('body', 'data-said'), 'refused,refused|')
  await page.goto(`${apps}/site/moved`)
  t.equal(page.url(), `${apps}/site/`, 'a redirect stays at the host of the request')
  await context.close()
})

t.test('beside sign-in it does not exist, and what is no page runs nowhere', async (t) => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  const page = await context.newPage()
  t.equal((await page.goto(`${program.baseUrl}/site/`))?.status(), 404)
  for (const origin of [program.baseUrl, apps]) {
    const answer = await page.goto(`${origin}/plain/`)
    t.equal(answer?.status(), 200)
    t.match(answer?.headers()['content-security-policy'], /^sandbox/)
    t.equal(await page.title(), 'still', origin)
  }
  for (const path of [
    '/portal',
    '/sign-in',
    '/api/v2/oauth2/v2.0/authorize',
    '/.well-known/openid-configuration',
    '/api/v2/applications',
  ])
    t.equal((await page.goto(`${apps}${path}`))?.status(), 404, path)
  await context.close()
  t.equal((await call(program, '/site/')).status, 404)
})
