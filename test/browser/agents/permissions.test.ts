// An agent with two permissions of which it uses one: its person takes the other away in Chromium, and the gate refuses
// the token of before at the next call. Axe looks at the pages at a desk and on a telephone; they work without scripts.
// full: a browser and a program
// run: apart

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { parseDocument } from 'yaml'
import { defaultConfigFile } from '../../../src/config/read/package-root.js'
import { startBrowser } from '../../support/browser/browser.js'
import { inspectWidths } from '../../support/browser/pages.js'
import { startHelpDesk } from '../../support/mcp/help-desk.js'
import { startWithPeople } from '../../support/programs/people-program.js'
import { freePort } from '../../support/programs/program.js'
import { pkcePair, type Tokens } from '../../support/rooms/delegation.js'
import { until } from '../../support/traffic/until.js'

t.setTimeout(300_000)

const redirectUri = 'http://127.0.0.1:9/callback'
const ports = { public: await freePort(), operator: await freePort() }
const resource = `https://localhost:${ports.public}/desk/mcp`
const desk = await startHelpDesk(t)
const { program, manage, authorize, ask, person } = await startWithPeople(t, { configure })
const browser = await startBrowser()
t.teardown(() => browser.close())

function configure(cwd: string) {
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  document.setIn(['upstreams', 'desk'], { target: `http://127.0.0.1:${desk.port}` })
  const kinds = ['delegated']
  const permissions = {
    tickets_read: { describe: 'Read the tickets of your team', kinds },
    tickets_close: { describe: 'Close tickets in your name', kinds },
  }
  document.setIn(['resources'], { desk: { id: resource, name: 'Help desk', permissions } })
  const tools = { list_tickets: 'tickets_read', close_ticket: 'tickets_close', purge_tickets: 'tickets_close' }
  document.setIn(['routes', '/desk/mcp'], { to: 'desk', resource: 'desk', mcp: { first: 'tickets_read', tools } })
  document.setIn(['usage', 'flushEvery'], '100ms')
  // What is used must count as used until the page was looked at, on a machine that stands still for a moment too.
  document.setIn(['usage', 'unusedAfter'], '8s')
  const config = join(cwd, 'portcullis.yaml')
  writeFileSync(config, String(document))
  return { config, ports }
}

const agent = await manage.createApplication({
  ...{ name: 'Ticket agent', type: 'native', publisher: 'Fabrikam GmbH', redirectUris: [redirectUri] },
  permissions: ['tickets_read', 'tickets_close'].map((id) => ({ kind: 'delegated', id, resource })),
} as never)
const client = { client_id: agent.applicationId }

async function tokens(form: Record<string, string>): Promise<Tokens & { status: number }> {
  const answer = await ask('/api/v2/oauth2/v2.0/token', { form: { ...form, ...client } })
  return { status: answer.status, ...JSON.parse(answer.body) }
}

async function allowed(): Promise<Tokens> {
  const { verifier, challenge } = pkcePair()
  const query = new URLSearchParams({
    ...{ ...client, redirect_uri: redirectUri, response_type: 'code', resource },
    ...{ scope: 'tickets_read tickets_close offline_access', code_challenge: challenge },
    ...{ code_challenge_method: 'S256' },
  })
  const back = await authorize(`${program.baseUrl}/api/v2/oauth2/v2.0/authorize?${query}`)
  const code = back.searchParams.get('code') ?? ''
  return tokens({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier })
}

/** The status of a call of a tool. */
async function use(token: string, name: string): Promise<number> {
  const version = '2026-07-28'
  const { status } = await ask('/desk/mcp', {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
      ...{ 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': name },
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: {
        ...{ name, arguments: {} },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
  return status
}

async function openApps(options: { javaScriptEnabled: boolean }): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options })
  t.teardown(() => context.close())
  const page = await context.newPage()
  await page.goto(`${program.baseUrl}/account/apps`)
  await page.fill('#email', person.email)
  await page.fill('#password', person.password)
  await page.press('#password', 'Enter')
  await page.waitForSelector('[id^="form-own-"]')
  return page
}

t.test('an agent keeps what it uses, and loses the rest at the next call', async (t) => {
  const first = await allowed()
  t.equal(await use(first.access_token, 'list_tickets'), 200)
  const page = await openApps({ javaScriptEnabled: true })
  t.equal(await page.locator('[id^="unused-own-"]').count(), 0, 'nothing is unused a moment after it was allowed')
  await until(
    'one permission is used and the other is not',
    async () => {
      await use(first.access_token, 'list_tickets')
      await page.reload()
      const close = page.locator('li.held', { hasText: 'tickets_close' })
      const read = page.locator('li.held', { hasText: 'tickets_read' })
      const [one, other] = [await close.textContent(), await read.textContent()]
      return /Not used in your/.test(one ?? '') && /Last used in your/.test(other ?? '')
    },
    60_000,
    500,
  )
  t.same(await inspectWidths(page, 'apps-permissions'), [])
  await page.click('[id^="unused-own-"]')
  t.equal(await page.textContent('h1'), 'Take away this permission?')
  t.match(await page.textContent('#lost-tools'), /close_ticket.*purge_tickets/)
  t.same(await inspectWidths(page, 'apps-permission-question'), [])
  t.equal(await use(first.access_token, 'list_tickets'), 200, 'a question changes nothing')
  await page.click('#confirm')
  t.match(await page.textContent('#done'), /Taken away/)
  t.same(await inspectWidths(page, 'apps-permission-taken'), [])
  t.equal(await page.locator('li.held', { hasText: 'tickets_close' }).count(), 0)

  t.equal(await use(first.access_token, 'list_tickets'), 401, 'the gate refuses the token of before')
  const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token }
  const next = await tokens({ ...refresh, scope: 'tickets_read tickets_close offline_access' })
  t.match([next.status, next.scope], [200, 'tickets_read offline_access'])
  t.equal(await use(next.access_token, 'list_tickets'), 200)
  t.equal(await use(next.access_token, 'close_ticket'), 403)

  await t.test('without scripts, down to the last one', async (t) => {
    const plain = await openApps({ javaScriptEnabled: false })
    await plain.locator('li.held', { hasText: 'offline_access' }).getByRole('button').click()
    await plain.click('#keep')
    t.equal(await plain.locator('li.held').count(), 2)
    await plain.locator('li.held', { hasText: 'offline_access' }).getByRole('button').click()
    await plain.click('#confirm')
    await plain.locator('li.held', { hasText: 'tickets_read' }).getByRole('button').click()
    t.match(await plain.textContent('#effect'), /Nothing else is left/)
    await plain.click('#confirm')
    t.match(await plain.textContent('#none'), /have not allowed any/)
    t.equal((await tokens({ grant_type: 'refresh_token', refresh_token: next.refresh_token })).status, 400)
  })
})
