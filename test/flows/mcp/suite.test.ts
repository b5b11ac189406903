// The official conformance suite of the Model Context Protocol: what it finds of a server is the same through the gate,
// scenario by scenario, in every revision; what it says of header fields is fulfilled by the gate alone; and the issuer
// is what it expects of one.
// full: the conformance suite of others, against a program
// run: apart

import { readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientOne } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportOne } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t from 'tap'
import { parseDocument } from 'yaml'
import { defaultConfigFile } from '../../../src/config/read/package-root.js'
import { startBearerRelay } from '../../support/mcp/bearer-relay.js'
import { countOf, type Found, runSuite } from '../../support/mcp/conformance-suite.js'
import { startCarelessServer, startSuiteServer } from '../../support/mcp/suite-server.js'
import { startWithPeople } from '../../support/programs/people-program.js'
import { freePort } from '../../support/programs/program.js'

t.setTimeout(300_000)

const ports = { public: await freePort(), operator: await freePort() }
const origin = `https://localhost:${ports.public}`
const servers = { suite: await startSuiteServer(t), careless: await startCarelessServer(t) }
const offered = await offeredBy(`http://localhost:${servers.suite}/mcp`)
const { program, manage, authorize } = await startWithPeople(t, { configure })
const relays = { suite: await relayTo('suite'), careless: await relayTo('careless') }

/** The names of all that a server has. */
async function offeredBy(url: string) {
  const client = new Client({ name: 'lister', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  const [{ tools }, { prompts }, { resources }, { resourceTemplates }] = await Promise.all([
    client.listTools(),
    client.listPrompts(),
    client.listResources(),
    client.listResourceTemplates(),
  ])
  await client.close()
  return {
    tools: tools.map(({ name }) => name),
    prompts: prompts.map(({ name }) => name),
    resources: [...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)],
  }
}

/** The file that ships, with a route to each server that names all it has. */
function configure(cwd: string) {
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  const resources: Record<string, object> = {}
  for (const [name, port] of Object.entries(servers)) {
    const need = `${name}.use`
    const all = (names: readonly string[]) => Object.fromEntries(names.map((one) => [one, need]))
    document.setIn(['upstreams', name], { target: `http://localhost:${port}` })
    resources[name] = {
      id: `${origin}/${name}/mcp`,
      name: `The ${name} server`,
      permissions: { [need]: { describe: 'Use it', kinds: ['application', 'delegated'] } },
    }
    document.setIn(['routes', `/${name}/mcp`], {
      to: name,
      resource: name,
      mcp: {
        first: need,
        tools: all(offered.tools),
        prompts: all(offered.prompts),
        resources: all(offered.resources),
      },
    })
  }
  document.setIn(['resources'], resources)
  document.setIn(['registration', 'documents'], { trust: 'any' })
  const config = join(cwd, 'portcullis.yaml')
  writeFileSync(config, String(document))
  return { config, ports }
}

/** A port at which a server can be called through the gate, by a machine that may do all. */
async function relayTo(name: keyof typeof servers): Promise<number> {
  const resource = `${origin}/${name}/mcp`
  const permissions = [{ kind: 'application' as const, id: `${name}.use`, resource }]
  const { applicationId } = await manage.createApplication({ name: `Machine ${name}`, type: 'web', permissions })
  await manage.grantConsent(applicationId, { permissions })
  const { access_token: token } = await manage.issueToken(applicationId, { scope: `${resource}/${name}.use` })
  return startBearerRelay(t, program, token)
}

const failed = (found: Found) =>
  Object.entries(found).filter(([, checks]) => checks.some((check) => / (FAILURE|WARNING)$/.test(check)))

t.test('what the suite finds through the gate is what it finds without it', async (t) => {
  for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
    const [directly, through] = await Promise.all(
      [`http://localhost:${servers.suite}/mcp`, `http://localhost:${relays.suite}/suite/mcp`].map((url, at) =>
        runSuite({
          words: ['server', '--url', url, '--suite', 'all', '--spec-version', version],
          folder: join(t.testdir(), `${version}-${at}`),
        }),
      ),
    )
    if (directly === undefined || through === undefined) throw new Error('it did not run')
    t.comment(
      `${version}: ${Object.keys(directly).length} scenarios; without the gate ${countOf(directly, 'SUCCESS')} checks passed, ` +
        `${countOf(directly, 'FAILURE')} failed; through it ${countOf(through, 'SUCCESS')} and ${countOf(through, 'FAILURE')}`,
    )
    t.same(through, directly, version)
    t.same(failed(directly), [], `${version}: and all of it is well`)
  }
})

t.test('what is said of header fields the gate fulfils alone, before a server that looks at none', async (t) => {
  const words = ['--scenario', 'http-header-validation', '--spec-version', '2026-07-28']
  const run = (url: string, name: string) =>
    runSuite({ words: ['server', '--url', url, ...words], folder: join(t.testdir(), name) })
  const without = await run(`http://localhost:${servers.careless}/mcp`, 'without')
  t.ok(countOf(without, 'FAILURE') > 0, 'the server itself does not')
  const through = await run(`http://localhost:${relays.careless}/careless/mcp`, 'through')
  t.same(failed(through), [])
  t.ok(countOf(through, 'SUCCESS') > 10)
})

t.test('both official clients go on with a stream that broke off, through the gate', async (t) => {
  const url = new URL(`http://localhost:${relays.suite}/suite/mcp`)
  const one = new ClientOne({ name: 'agent', version: '1.0.0' })
  await one.connect(new TransportOne(url) as never)
  t.match(JSON.stringify(await one.callTool({ name: 'test_reconnection' })), 'Still here.')
  const two = new Client({ name: 'agent', version: '1.0.0' })
  await two.connect(new StreamableHTTPClientTransport(url))
  t.match(JSON.stringify(await two.callTool({ name: 'test_reconnection' })), 'Still here.')
  for (const client of [one, two]) {
    t.ok((await client.listTools()).tools.length > 20)
    await client.close()
  }
})

t.test('the issuer is one that the suite has nothing to say against', async (t) => {
  const port = await freePort()
  const redirectUri = `http://127.0.0.1:${port}/callback`
  const resource = `${origin}/suite/mcp`
  const { applicationId } = await manage.createApplication({
    ...{ name: 'The suite', type: 'native', redirectUris: [redirectUri] },
    permissions: [{ kind: 'delegated', id: 'suite.use', resource }],
  } as never)
  let isSent = false
  const onPrinted = (printed: string) => {
    const url = /^https:\S+$/m.exec(printed)?.[0]
    if (url === undefined || isSent || !printed.includes('Waiting')) return
    isSent = true
    authorize(url).then((back) => get(back), t.threw)
  }
  const found = await runSuite({
    words: [
      ...['authorization', '--url', origin, '--client-id', applicationId, '--port', String(port)],
      ...['--resource', resource],
    ],
    folder: join(t.testdir(), 'issuer'),
    env: { NODE_EXTRA_CA_CERTS: caFile(t.testdir()) },
    onPrinted,
  })
  t.comment(JSON.stringify(found))
  t.same(Object.keys(found).length, 2)
  t.same(failed(found), [])
})

function caFile(folder: string): string {
  const file = join(folder, 'ca.pem')
  writeFileSync(file, program.ca())
  return file
}
