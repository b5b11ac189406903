// Clients that nobody registered, as the official client libraries of the Model Context Protocol are: they find the server,
// register themselves or name their document, are allowed by their person, call a tool, are refused another one, and ask
// for it; and begin anew when their application is gone.
// full: the client libraries of others, against a program
// run: apart

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as two from '@modelcontextprotocol/client'
import { Client as ClientOne } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportOne } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t, { type Test } from 'tap'
import { parseDocument } from 'yaml'
import { defaultConfigFile } from '../../../src/config/read/package-root.js'
import { createNewcomer } from '../../support/mcp/client-provider.js'
import { startHelpDesk } from '../../support/mcp/help-desk.js'
import { startWithPeople } from '../../support/programs/people-program.js'
import { freePort } from '../../support/programs/program.js'
import { trustingFetch } from '../../support/programs/trusting-fetch.js'
import { startDocumentHost } from '../../support/providers/document-host.js'

t.setTimeout(300_000)

const redirectUrl = 'http://127.0.0.1:9/callback'
const ports = { public: await freePort(), operator: await freePort() }
const origin = `https://localhost:${ports.public}`
const url = new URL(`${origin}/desk/mcp`)
const desk = await startHelpDesk(t)
const host = await startDocumentHost(t)
const grant_types = ['authorization_code', 'refresh_token']
const document = host.host('/client.json', { redirect_uris: [redirectUrl], grant_types })
const { program, manage, authorize } = await startWithPeople(t, { configure })
const requests: string[] = []
const fetching = trustingFetch(t, program, (line) => requests.push(line))

/** The file that ships, with a route to the desk, open to clients that nobody registered. */
function configure(cwd: string) {
  const file = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  writeFileSync(join(cwd, 'agents-ca.pem'), host.ca)
  file.setIn(['registration', 'open', 'enabled'], true)
  file.setIn(['registration', 'documents'], {
    ...{ trust: 'listed', hosts: ['localhost'], allow: ['localhost'] },
    ca: `file:${join(cwd, 'agents-ca.pem')}`,
  })
  file.setIn(['upstreams', 'desk'], { target: `http://127.0.0.1:${desk.port}` })
  const people = (describe: string, more = {}) => ({ describe, kinds: ['delegated'], ...more })
  file.setIn(['resources'], {
    desk: {
      id: url.href,
      name: 'Help desk',
      permissions: {
        'desk.read': people('Read tickets'),
        'desk.write': people('Close tickets', { covers: ['desk.read'] }),
        'desk.admin': people('Delete tickets'),
      },
      documents: ['desk.read', 'desk.write'],
    },
  })
  file.setIn(['routes', '/desk/mcp'], {
    ...{ to: 'desk', resource: 'desk' },
    mcp: {
      first: 'desk.read',
      tools: { list_tickets: 'desk.read', close_ticket: 'desk.write', purge_tickets: 'desk.admin' },
    },
  })
  const config = join(cwd, 'portcullis.yaml')
  writeFileSync(config, String(file))
  return { config, ports }
}

const lines = {
  one: {
    client: () => new ClientOne({ name: 'agent', version: '1.0.0' }) as unknown as two.Client,
    transport: (authProvider: two.OAuthClientProvider) =>
      new TransportOne(url, { authProvider: authProvider as never, fetch: fetching as never }),
  },
  two: {
    client: () => new two.Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } }),
    transport: (authProvider: two.OAuthClientProvider) =>
      new two.StreamableHTTPClientTransport(url, { authProvider, fetch: fetching as never }),
  },
} as const
type Line = keyof typeof lines
type Newcomer = ReturnType<typeof createNewcomer>

/** What the person does whenever the client sends them: sign in, and accept. */
async function consent(line: Line, provider: Newcomer): Promise<void> {
  const back = await authorize(provider.sentTo?.href ?? '')
  const transport = lines[line].transport(provider)
  await transport.finishAuth(back.searchParams.get('code') ?? '', back.searchParams.get('iss') ?? undefined)
}

async function connect(t: Test, line: Line, provider: Newcomer): Promise<two.Client> {
  const client = lines[line].client()
  t.teardown(() => client.close())
  await client.connect(lines[line].transport(provider) as never)
  return client
}

/** From nothing to the tool that it was refused first. */
async function wholeWay(t: Test, line: Line, provider: Newcomer): Promise<void> {
  await t.rejects(connect(t, line, provider), 'without a token it is sent to sign in')
  t.equal(provider.sentTo?.searchParams.get('scope')?.split(' ')[0], 'desk.read', 'for what connecting needs')
  await consent(line, provider)
  const first = await connect(t, line, provider)
  const names = async (client: two.Client) => (await client.listTools()).tools.map(({ name }) => name).sort()
  t.same(await names(first), ['close_ticket', 'list_tickets'], 'what it has, and what it could be given')
  t.match(JSON.stringify(await first.callTool({ name: 'list_tickets' })), 'list_tickets done')
  const before = desk.reached.length
  await t.rejects(first.callTool({ name: 'purge_tickets' }), /Unknown tool/, 'not open to such clients')
  await t.rejects(first.callTool({ name: 'close_ticket' }), 'it is sent to its person')
  t.equal(desk.reached.length, before, 'neither reached the server')
  t.match(provider.sentTo?.searchParams.get('scope'), 'desk.write')
  await consent(line, provider)
  const second = await connect(t, line, provider)
  t.match(JSON.stringify(await second.callTool({ name: 'close_ticket' })), 'close_ticket done')
  t.match(provider.scope, 'desk.write')
}

const applications = () => manage.listApplications()

for (const line of ['one', 'two'] as const) {
  t.test(`SDK ${line}: a client that registers itself`, async (t) => {
    const provider = createNewcomer(redirectUrl, { metadata: { client_name: `Agent ${line}`, grant_types } })
    await wholeWay(t, line, provider)
    t.match(provider.clientId, /^pcl_oc_/)
    const made = (await applications()).filter(({ name }) => name.startsWith('self-registered/'))
    const posts = requests.filter((each) => each === 'POST /api/v2/oauth2/v2.0/register').length
    const again = createNewcomer(redirectUrl, { metadata: { client_name: `Agent ${line}`, grant_types } })
    await t.rejects(connect(t, line, again))
    await consent(line, again)
    t.equal(again.clientId, provider.clientId, 'the next start of the program is the same client')
    t.equal(requests.filter((each) => each === 'POST /api/v2/oauth2/v2.0/register').length, posts + 1)
    const after = (await applications()).filter(({ name }) => name.startsWith('self-registered/'))
    t.same(after, made, 'and the same application')
  })

  t.test(`SDK ${line}: a client with a document`, async (t) => {
    const provider = createNewcomer(redirectUrl, { metadata: { grant_types }, clientMetadataUrl: document })
    const posts = requests.length
    await wholeWay(t, line, provider)
    t.equal(provider.clientId, document)
    t.notOk(
      requests.slice(posts).some((each) => each.endsWith('/register')),
      'it is preferred to registration',
    )
  })

  t.test(`SDK ${line}: a client whose application is gone registers anew`, async (t) => {
    const metadata = { client_name: `Gone ${line}`, grant_types, scope: 'desk.read offline_access' }
    const provider = createNewcomer(redirectUrl, { metadata })
    await t.rejects(connect(t, line, provider))
    await consent(line, provider)
    const known = new Set((await applications()).map(({ applicationId }) => applicationId))
    await connect(t, line, provider)
    for (const { applicationId, name } of await applications()) {
      if (known.has(applicationId) && name.startsWith('self-registered/')) await manage.deleteApplication(applicationId)
    }
    await t.rejects(connect(t, line, provider), 'it is sent to its person again')
    await consent(line, provider)
    const client = await connect(t, line, provider)
    t.match(JSON.stringify(await client.callTool({ name: 'list_tickets' })), 'list_tickets done')
  })
}
