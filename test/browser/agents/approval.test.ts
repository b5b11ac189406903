// A call that its person has to approve, from the official client libraries to the page in Chromium and back: an
// approval, its replay, changed arguments, a refusal, and a withdrawal while the page is open. Axe looks at every page.
// full: a browser, a program and the client libraries of others
// run: apart

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as two from '@modelcontextprotocol/client'
import { Client as ClientOne } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportOne } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { parseDocument } from 'yaml'
import { defaultConfigFile } from '../../../src/config/read/package-root.js'
import { startBrowser } from '../../support/browser/browser.js'
import { inspectWidths } from '../../support/browser/pages.js'
import { createClientProvider } from '../../support/mcp/client-provider.js'
import { startHelpDesk } from '../../support/mcp/help-desk.js'
import { startWithPeople } from '../../support/programs/people-program.js'
import { freePort } from '../../support/programs/program.js'
import { trustingFetch } from '../../support/programs/trusting-fetch.js'

t.setTimeout(300_000)

const redirectUrl = 'http://127.0.0.1:9/callback'
const ports = { public: await freePort(), operator: await freePort() }
const origin = `https://localhost:${ports.public}`
const url = new URL(`${origin}/desk/mcp`)
const desk = await startHelpDesk(t)
const { program, manage, authorize, person } = await startWithPeople(t, { configure })
const fetching = trustingFetch(t, program)
const browser = await startBrowser()
t.teardown(() => browser.close())

function configure(cwd: string) {
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  document.setIn(['upstreams', 'desk'], { target: `http://127.0.0.1:${desk.port}` })
  const permissions = { 'desk.use': { describe: 'Work on tickets', kinds: ['delegated'] } }
  document.setIn(['resources'], { desk: { id: url.href, name: 'Help desk', permissions } })
  const tools = { list_tickets: 'desk.use', purge_tickets: { needs: 'desk.use', rule: 'approval' } }
  document.setIn(['routes', '/desk/mcp'], { to: 'desk', resource: 'desk', mcp: { first: 'desk.use', tools } })
  const config = join(cwd, 'portcullis.yaml')
  writeFileSync(config, String(document))
  return { config, ports }
}

/** An agent whose person has let it in. */
async function agent(t: Test, line: 'one' | 'two', options: object = {}) {
  const { applicationId } = await manage.createApplication({
    ...{ name: `Ticket agent ${line}`, type: 'native', publisher: 'Fabrikam GmbH', redirectUris: [redirectUrl] },
    permissions: [{ kind: 'delegated', id: 'desk.use', resource: url.href }],
  } as never)
  const provider = createClientProvider(applicationId, redirectUrl)
  const transport = () =>
    line === 'one'
      ? new TransportOne(url, { authProvider: provider as never, fetch: fetching as never })
      : new two.StreamableHTTPClientTransport(url, { authProvider: provider, fetch: fetching as never })
  const client = () => {
    const about = { name: 'agent', version: '1.0.0' }
    return line === 'one' ? (new ClientOne(about, options) as unknown as two.Client) : new two.Client(about, options)
  }
  await t.rejects(client().connect(transport() as never))
  const back = await authorize(provider.sentTo?.href ?? '')
  await transport().finishAuth(back.searchParams.get('code') ?? '', back.searchParams.get('iss') ?? undefined)
  const connected = client()
  await connected.connect(transport() as never)
  t.teardown(() => connected.close())
  return { client: connected, applicationId }
}

const addressIn = (error: unknown) => /https:\/\/\S+\/account\/approvals\/[\w-]+/.exec(messageOf(error))?.[0] ?? ''
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** What a call is refused with. */
async function refusal(work: Promise<unknown>): Promise<Error & { code?: number; data?: Record<string, unknown> }> {
  return work.then(
    (value) => new Error(`it passed: ${JSON.stringify(value)}`),
    (error: Error) => error,
  )
}

async function openPage(t: Test, address: string, options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options })
  t.teardown(() => context.close())
  const page = await context.newPage()
  await page.goto(address)
  await page.fill('#email', person.email)
  await page.fill('#password', person.password)
  await page.press('#password', 'Enter')
  await page.waitForSelector('#approval-form')
  return page
}

const call = {
  name: 'purge_tickets',
  arguments: { before: '2026-01-01', note: 'Old \u202etickets', ids: ['T1', 'T2'] },
}
const reached = () => desk.reached.filter((name) => name === 'purge_tickets').length

t.test('SDK two without addresses: refused, approved in the browser, used once', async (t) => {
  const { client } = await agent(t, 'two', { versionNegotiation: { mode: 'auto' } })
  t.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
  t.match(JSON.stringify(await client.callTool({ name: 'list_tickets' })), 'list_tickets done')
  const refused = await refusal(client.callTool(call))
  t.match(refused, { code: 403, data: { approval_uri: addressIn(refused) } })
  const page = await openPage(t, addressIn(refused))
  t.equal(await page.textContent('h1'), 'Approve this call?')
  t.match(await page.textContent('#arguments'), /"note": "Old \\u202etickets"/)
  t.same(await inspectWidths(page, 'approval-question'), [])
  t.match(await refusal(client.callTool(call)), { message: addressIn(refused) }, 'looking is no decision')
  await page.click('#allow')
  t.equal(await page.textContent('h1'), 'Call allowed')
  t.same(await inspectWidths(page, 'approval-allowed'), [])
  const changed = { ...call, arguments: { ...call.arguments, ids: ['T1', 'T2', 'T3'] } }
  t.not(addressIn(await refusal(client.callTool(changed))), addressIn(refused), 'changed arguments')
  t.equal(reached(), 0)
  t.match(JSON.stringify(await client.callTool(call)), 'purge_tickets done')
  t.equal(reached(), 1)
  const replayed = await refusal(client.callTool(call))
  t.match(addressIn(replayed), 'https://')
  t.not(addressIn(replayed), addressIn(refused), 'a replay')
  t.equal(reached(), 1)
  await page.goto(addressIn(refused))
  t.equal(await page.textContent('h1'), 'Call made')
  t.same(await inspectWidths(page, 'approval-used'), [])
  await page.goto(addressIn(replayed))
  await page.click('#refuse')
  t.equal(await page.textContent('h1'), 'Call refused')
  t.same(await inspectWidths(page, 'approval-refused'), [])
  t.match(await refusal(client.callTool(call)), { message: /The person refused this call/ })
  t.equal(reached(), 1)
})

t.test('without scripts the person reads all of the call, and allows or refuses it', async (t) => {
  const { client } = await agent(t, 'two', { versionNegotiation: { mode: 'auto' } })
  const before = reached()
  const decisions = [
    { button: '#allow', title: 'Call allowed', ids: ['N1'] },
    { button: '#refuse', title: 'Call refused', ids: ['N2'] },
  ]
  for (const { button, title, ids } of decisions) {
    const wanted = { ...call, arguments: { ...call.arguments, ids } }
    const address = addressIn(await refusal(client.callTool(wanted)))
    const page = await openPage(t, address, { javaScriptEnabled: false })
    for (const part of ['purge_tickets', url.href, ...ids, 'Old \\u202etickets'])
      t.ok((await page.textContent('main'))?.includes(part), part)
    await page.click(button)
    await page.waitForSelector('#decided')
    t.equal(await page.textContent('h1'), title)
    t.equal(page.url(), address, 'loading the page again sends nothing')
    await page.reload()
    t.equal(await page.textContent('h1'), title)
    if (button === '#allow') t.match(JSON.stringify(await client.callTool(wanted)), 'purge_tickets done')
    else t.match(await refusal(client.callTool(wanted)), { message: /The person refused this call/ })
  }
  t.equal(reached(), before + 1)
})

t.test(
  'SDK two with addresses: the address comes in the result, and the answer of the client approves nothing',
  async (t) => {
    const options = { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { url: {} } } }
    const { client } = await agent(t, 'two', options)
    const opened: string[] = []
    client.setRequestHandler(
      'elicitation/create' as never,
      (async (request: { params: { url: string } }) => {
        opened.push(request.params.url)
        return { action: 'accept' }
      }) as never,
    )
    const before = reached()
    const refused = await refusal(client.callTool(call))
    t.same(opened, [addressIn(refused)], 'it was shown to the person once')
    t.equal(reached(), before)
    const page = await openPage(t, opened[0] ?? '')
    await page.click('#allow')
    await page.waitForSelector('#decided')
    t.match(JSON.stringify(await client.callTool(call)), 'purge_tickets done')
    t.equal(reached(), before + 1)
  },
)

t.test('SDK one: the error of its revision, and a withdrawal while the page is open', async (t) => {
  const { client, applicationId } = await agent(t, 'one', { capabilities: { elicitation: { url: {} } } })
  const refused = await refusal(client.callTool(call))
  t.equal(refused.code, -32_042)
  t.equal(refused.constructor.name, 'UrlElicitationRequiredError')
  t.match(refused.data, { elicitations: [{ mode: 'url', url: addressIn(refused) }] })
  const page = await openPage(t, addressIn(refused))
  await page.goto(`${origin}/account/apps`)
  await page.goBack()
  await manage.changeApplication(applicationId, { state: 'disabled' } as never)
  await page.click('#allow')
  t.equal(await page.textContent('h1'), 'This request has ended')
  t.same(await inspectWidths(page, 'approval-over'), [])
  const before = reached()
  await refusal(client.callTool(call))
  t.equal(reached(), before)
})
