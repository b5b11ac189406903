// Agents and their person in Chromium: the official client libraries of the Model Context Protocol, unchanged, one that
// an administrator registered, two that come with a document and two that register themselves; discovery, sign-in, consent, a tool, step-up with the
// consent for it, and the list after it.
// full: a browser, a program and the client libraries of others
// run: apart

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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
import { type ClientProvider, createClientProvider, createNewcomer } from '../../support/mcp/client-provider.js'
import { startHelpDesk } from '../../support/mcp/help-desk.js'
import { startWithPeople } from '../../support/programs/people-program.js'
import { freePort } from '../../support/programs/program.js'
import { trustingFetch } from '../../support/programs/trusting-fetch.js'
import { startDocumentHost } from '../../support/providers/document-host.js'

t.setTimeout(300_000)

const ports = { public: await freePort(), operator: await freePort() }
const origin = `https://localhost:${ports.public}`
const url = new URL(`${origin}/desk/mcp`)
const host = await startDocumentHost(t)
const desk = await startHelpDesk(t)
const { program, manage, person } = await startWithPeople(t, { configure })
const fetching = trustingFetch(t, program) as never
const browser = await startBrowser()
t.teardown(() => browser.close())

/** The file that ships, with a route to the server, and documents of this machine trusted. */
function configure(cwd: string) {
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  const ca = join(cwd, 'documents.pem')
  writeFileSync(ca, host.ca)
  document.setIn(['registration', 'documents'], { trust: 'any', allow: ['localhost'], ca: `file:${ca}` })
  document.setIn(['registration', 'open', 'enabled'], true)
  document.setIn(['upstreams', 'desk'], { target: `http://127.0.0.1:${desk.port}` })
  const people = (describe: string, more = {}) => ({ describe, kinds: ['delegated'], ...more })
  document.setIn(['resources'], {
    desk: {
      id: url.href,
      name: 'Help desk',
      documents: ['desk.read', 'desk.write'],
      permissions: {
        'desk.read': people('Read tickets'),
        'desk.write': people('Close tickets', { covers: ['desk.read'] }),
        'desk.purge': people('Delete tickets for good'),
      },
    },
  })
  document.setIn(['routes', '/desk/mcp'], {
    to: 'desk',
    resource: 'desk',
    mcp: {
      first: 'desk.read',
      tools: { list_tickets: 'desk.read', close_ticket: 'desk.write', purge_tickets: 'desk.purge' },
    },
  })
  const config = join(cwd, 'portcullis.yaml')
  writeFileSync(config, String(document))
  return { config, ports }
}

const libraries = {
  'SDK v1': {
    client: () => new ClientOne({ name: 'agent', version: '1.0.0' }) as unknown as two.Client,
    transport: (authProvider: two.OAuthClientProvider) =>
      new TransportOne(url, { authProvider: authProvider as never, fetch: fetching }),
  },
  'SDK v2': {
    client: () =>
      new two.Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } } as never),
    transport: (authProvider: two.OAuthClientProvider) =>
      new two.StreamableHTTPClientTransport(url, { authProvider, fetch: fetching }),
  },
} as const

/** An agent's own address on this device; the queries that browsers brought there. */
async function listen(t: Test): Promise<{ redirectUrl: string; brought: URLSearchParams[] }> {
  const brought: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname === '/callback') brought.push(searchParams)
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>The agent</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, brought }
}

const agents: {
  name: string
  library: keyof typeof libraries
  provider(redirectUrl: string): Promise<ClientProvider>
  /** What it is told for a tool that it can never be given. */
  isUnregistered: boolean
}[] = [
  {
    name: 'registered',
    library: 'SDK v2',
    isUnregistered: false,
    async provider(redirectUrl) {
      const permissions = ['desk.read', 'desk.write'].map((id) => ({ kind: 'delegated', id, resource: url.href }))
      const wanted = { name: 'Desk agent', type: 'native', redirectUris: [redirectUrl], permissions }
      const { applicationId } = await manage.createApplication(wanted as never)
      return createClientProvider(applicationId, redirectUrl)
    },
  },
  ...(['SDK v1', 'SDK v2'] as const).map((library) => ({
    ...{ name: `with a document, ${library}`, library, isUnregistered: true },
    provider: async (redirectUrl: string) =>
      createNewcomer(redirectUrl, { clientMetadataUrl: host.host(`/${library.replace(' ', '-')}.json`) }),
  })),
  ...(['SDK v1', 'SDK v2'] as const).map((library) => ({
    ...{ name: `that registers itself, ${library}`, library, isUnregistered: true },
    provider: async (redirectUrl: string) => createNewcomer(redirectUrl),
  })),
]

for (const { name, library, provider: newProvider, isUnregistered } of agents) {
  t.test(`an agent and its person: ${name}`, async (t) => {
    const { redirectUrl, brought } = await listen(t)
    const provider = await newProvider(redirectUrl)
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    const { client: newClient, transport: newTransport } = libraries[library]
    const allow = async (picture: string) => {
      await page.goto(provider.sentTo?.href ?? '')
      await signIn(page)
      t.same(await inspectWidths(page, picture), [], 'nothing is wrong with the page')
      const shown = await page.innerText('main')
      await page.click('#accept')
      await page.waitForURL(`${redirectUrl}**`)
      const back = brought.at(-1)
      await newTransport(provider).finishAuth(back?.get('code') ?? '', back?.get('iss') ?? undefined)
      return shown
    }
    const connect = async () => {
      const client = newClient()
      await client.connect(newTransport(provider) as never)
      t.teardown(() => client.close())
      return client
    }
    await t.rejects(newClient().connect(newTransport(provider) as never), 'it is sent to its person')
    const first = await allow(`agent-${name.replaceAll(/\W+/g, '-')}`)
    t.match(first, 'Read tickets')
    t.notMatch(first, 'Close tickets', 'not before it is needed')
    if (isUnregistered) t.match(first, /not registered here/i)
    const before = await connect()
    t.same((await before.listTools()).tools.map((tool) => tool.name).sort(), ['close_ticket', 'list_tickets'])
    t.match(JSON.stringify(await before.callTool({ name: 'list_tickets' })), 'list_tickets done')
    const reached = desk.reached.length
    await t.rejects(before.callTool({ name: 'close_ticket' }), 'it is sent to its person again')
    await t.rejects(before.callTool({ name: 'purge_tickets' }), /Unknown tool/, 'consent could not give it')
    t.equal(desk.reached.length, reached, 'neither reached the server')
    t.match(await allow(`agent-${name.replaceAll(/\W+/g, '-')}-step-up`), 'Close tickets')
    const after = await connect()
    t.match(JSON.stringify(await after.callTool({ name: 'close_ticket' })), 'close_ticket done')
    t.same((await after.listTools()).tools.map((tool) => tool.name).sort(), ['close_ticket', 'list_tickets'])
  })
}

/** Where nobody is signed in yet. */
async function signIn(page: Page): Promise<void> {
  if ((await page.$('#sign-in-form')) === null) return
  await page.fill('#email', person.email)
  await page.fill('#password', person.password)
  await page.click('#sign-in')
  await page.waitForSelector('#accept')
}
