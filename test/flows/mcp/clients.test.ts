// The official client libraries of the Model Context Protocol, both lines, unchanged, through the gate to servers made
// with the official server libraries: discovery, sign-in, tools, resources, prompts, progress, the end of a session,
// and step-up with the list after it.
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
import { createClientProvider } from '../../support/mcp/client-provider.js'
import { startEverythingServer } from '../../support/mcp/everything-server.js'
import { startHelpDesk } from '../../support/mcp/help-desk.js'
import { startWithPeople } from '../../support/programs/people-program.js'
import { freePort } from '../../support/programs/program.js'
import { trustingFetch } from '../../support/programs/trusting-fetch.js'

t.setTimeout(300_000)

const redirectUrl = 'http://127.0.0.1:9/callback'
const ports = { public: await freePort(), operator: await freePort() }
const origin = `https://localhost:${ports.public}`
const desk = await startHelpDesk(t)
const everything = await startEverythingServer(t)
const { program, manage, authorize } = await startWithPeople(t, { configure })
const fetching = trustingFetch(t, program)

/** The file that ships, with a route to each server. */
function configure(cwd: string) {
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  document.setIn(['upstreams', 'desk'], { target: `http://127.0.0.1:${desk.port}` })
  document.setIn(['upstreams', 'everything'], { target: `http://127.0.0.1:${everything}` })
  const people = (describe: string, more = {}) => ({ describe, kinds: ['delegated'], ...more })
  document.setIn(['resources'], {
    desk: {
      id: `${origin}/desk/mcp`,
      name: 'Help desk',
      permissions: {
        'desk.read': people('Read tickets'),
        'desk.write': people('Close tickets', { covers: ['desk.read'] }),
      },
    },
    everything: {
      id: `${origin}/mcp`,
      name: 'Everything',
      permissions: { 'everything.use': people('Use the tools'), 'everything.add': people('Add numbers') },
    },
  })
  document.setIn(['routes', '/desk/mcp'], {
    to: 'desk',
    resource: 'desk',
    mcp: {
      first: 'desk.read',
      tools: { list_tickets: 'desk.read', close_ticket: 'desk.write' },
      prompts: { greet: 'desk.read' },
      resources: { 'desk://tickets/{id}': 'desk.read' },
    },
  })
  document.setIn(['routes', '/mcp'], {
    to: 'everything',
    resource: 'everything',
    mcp: {
      first: 'everything.use',
      tools: {
        echo: 'everything.use',
        'trigger-long-running-operation': 'everything.use',
        'get-sum': 'everything.add',
      },
      prompts: { 'simple-prompt': 'everything.use' },
      resources: { 'demo://resource/dynamic/text/{id}': 'everything.use' },
    },
  })
  const config = join(cwd, 'portcullis.yaml')
  writeFileSync(config, String(document))
  return { config, ports }
}

const lines = {
  one: {
    client: (_: object = {}) => new ClientOne({ name: 'agent', version: '1.0.0' }) as unknown as two.Client,
    transport: (url: URL, authProvider: two.OAuthClientProvider) =>
      new TransportOne(url, { authProvider: authProvider as never, fetch: fetching as never }),
  },
  two: {
    client: (options: two.ClientOptions = {}) => new two.Client({ name: 'agent', version: '1.0.0' }, options),
    transport: (url: URL, authProvider: two.OAuthClientProvider) =>
      new two.StreamableHTTPClientTransport(url, { authProvider, fetch: fetching as never }),
  },
} as const

/** An agent of one library line, whose person signs in and accepts whenever it sends them. */
async function agent(t: Test, line: keyof typeof lines, path: string, permissions: string[], options: object = {}) {
  const { applicationId } = await manage.createApplication({
    ...{ name: `Agent ${line} ${path} ${JSON.stringify(options)}`.slice(0, 60), type: 'native' },
    redirectUris: [redirectUrl],
    permissions: permissions.map((id) => ({ kind: 'delegated', id, resource: origin + path })),
  } as never)
  const provider = createClientProvider(applicationId, redirectUrl)
  const url = new URL(origin + path)
  const consent = async (): Promise<void> => {
    const back = await authorize(provider.sentTo?.href ?? '')
    const transport = lines[line].transport(url, provider)
    await transport.finishAuth(back.searchParams.get('code') ?? '', back.searchParams.get('iss') ?? undefined)
  }
  let transport = lines[line].transport(url, provider)
  let client = lines[line].client(options)
  await t.rejects(client.connect(transport as never), { name: 'Error' }, 'without a token it is sent to sign in')
  const connect = async () => {
    transport = lines[line].transport(url, provider)
    client = lines[line].client(options)
    await client.connect(transport as never)
    t.teardown(() => client.close())
    return { client, transport }
  }
  await consent()
  return { provider, consent, connect }
}

const names = (items: readonly { name: string }[]) => items.map(({ name }) => name).sort()

for (const line of ['one', 'two'] as const) {
  t.test(`SDK ${line}: a session with the reference server`, async (t) => {
    const { provider, consent, connect } = await agent(t, line, '/mcp', ['everything.use', 'everything.add'])
    t.equal(provider.scope, 'everything.use', 'it requests what connecting needs')
    const first = await connect()
    const shown = names((await first.client.listTools()).tools)
    t.same(shown, ['echo', 'get-sum', 'trigger-long-running-operation'], 'what it has, and what it could be given')
    const echoed = await first.client.callTool({ name: 'echo', arguments: { message: 'Zürich' } })
    t.match(JSON.stringify(echoed), 'Zürich')
    t.same(names((await first.client.listPrompts()).prompts), ['simple-prompt'])
    t.ok((await first.client.getPrompt({ name: 'simple-prompt' })).messages.length > 0)
    t.ok((await first.client.readResource({ uri: 'demo://resource/dynamic/text/1' })).contents.length > 0)
    await t.rejects(first.client.readResource({ uri: 'demo://resource/dynamic/blob/1' }), 'not named, so not there')
    const progress: number[] = []
    const onprogress = ({ progress: at }: { progress: number }) => progress.push(at)
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 3 } }
    // The first line takes a schema of the result before the options.
    const words = line === 'one' ? [long, undefined, { onprogress }] : [long, { onprogress }]
    await Reflect.apply(first.client.callTool, first.client, words)
    t.same(progress, [1, 2, 3], 'progress comes on the stream')

    await t.rejects(first.client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } }), 'it is sent to its person')
    t.match(provider.sentTo?.searchParams.get('scope'), 'everything.add')
    await consent()
    t.match(provider.scope, 'everything.add')
    const { client, transport } = await connect()
    t.match(JSON.stringify(await client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } })), '3')
    t.match(JSON.stringify(await client.callTool({ name: 'echo', arguments: { message: 'still' } })), 'still')
    await (transport as TransportOne).terminateSession()
    await t.rejects(client.listTools(), 'the session is over')
  })

  t.test(`SDK ${line}: a server of both eras`, async (t) => {
    const options = line === 'two' ? { versionNegotiation: { mode: 'auto' } } : {}
    const { provider, consent, connect } = await agent(t, line, '/desk/mcp', ['desk.read', 'desk.write'], options)
    const first = await connect()
    if (line === 'two') t.equal(first.client.getNegotiatedProtocolVersion(), '2026-07-28')
    t.same(names((await first.client.listTools()).tools), ['close_ticket', 'list_tickets'])
    t.match(JSON.stringify(await first.client.callTool({ name: 'list_tickets' })), 'list_tickets done')
    t.ok((await first.client.readResource({ uri: 'desk://tickets/7' })).contents.length > 0)
    t.ok((await first.client.getPrompt({ name: 'greet' })).messages.length > 0)
    const before = desk.reached.length
    await t.rejects(first.client.callTool({ name: 'close_ticket' }))
    await t.rejects(first.client.callTool({ name: 'purge_tickets' }), /Unknown tool/, 'nobody can be given it')
    t.equal(desk.reached.length, before, 'neither reached the server')
    await consent()
    const { client } = await connect()
    t.match(JSON.stringify(await client.callTool({ name: 'close_ticket' })), 'close_ticket done')
    t.same(names((await client.listTools()).tools), ['close_ticket', 'list_tickets'])
    t.match(provider.scope, 'desk.write')
  })
}
