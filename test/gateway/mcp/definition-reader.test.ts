// The definitions of tools read at their servers, by the leader and in the gate's own name: calls that no list comes
// before are covered too.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type { RouteSettings } from '../../../src/config/settings/route-settings.js'
import type { Settings } from '../../../src/config/settings/settings.js'
import { type DefinitionReaderDeps, readDefinitions } from '../../../src/gateway/mcp/definition-reader.js'
import type { McpRoute } from '../../../src/gateway/mcp/server-place.js'
import { watchDefinitions } from '../../../src/instance/definition-watch.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { type ListedTool, type ListingServerOptions, listingMcpServer } from '../../support/mcp/listing-server.js'
import { ownResource } from '../../support/rooms/directory.js'
import { openGate, recordingUpstream } from '../../support/rooms/http-gate.js'
import { upstreamSettings } from '../../support/settings/upstream-settings.js'

const need = { needs: { anyOf: [['User.Read.All']] } }

async function open(
  t: Test,
  options: Omit<ListingServerOptions, 'tools'>,
  identity: 'jwt' | 'headers' | 'none' = 'jwt',
) {
  const tools: ListedTool[] = [{ name: 'list' }, { name: 'close' }, { name: 'unnamed' }]
  const server = await listingMcpServer(t, { ...options, tools, page: 1 })
  const other = await recordingUpstream(t)
  const gate = await openGate(t, { routes: [], upstreams: { other: { target: other.target } } })
  const target = { kind: 'url', origin: server.origin, basePath: '/' } as const
  const route = {
    ...{ id: '/mcp', path: '/mcp', methods: new Map(), resource: ownResource, upstream: 'desk', limits: [] },
    ...{ bodyBytes: 1_000, stream: true, onStale: 'refuse', position: { file: 'test', line: 1, column: 1 } },
    mcp: {
      ...{ versions: new Set<McpVersion>(['2026-07-28']), first: need.needs, list: 'all', pins: 'hold' },
      tools: new Map([
        ['list', need],
        ['close', need],
      ]),
      ...{ prompts: new Map(), resources: new Map() },
    },
  } satisfies RouteSettings as McpRoute
  const upstreams = new Map([['desk', upstreamSettings('desk', { target, identity })]])
  const settings = { ...gate.deps.settings, routes: [route], upstreams } as unknown as Settings
  const { keyring, now, toolDefinitions: pins } = gate
  const deps: DefinitionReaderDeps = { settings, keyring, pins, version: '1', now }
  const read = async () => {
    await readDefinitions(deps, route, { turn: 0, signal: new AbortController().signal })
    await pins.settled()
  }
  const change = () => void tools.splice(1, 1, { name: 'close', annotations: { readOnlyHint: true } })
  return { gate, server, route, settings, pins, read, change }
}

for (const era of ['modern', 'legacy'] as const) {
  t.test(
    `issue 16: definitions are read page by page at a ${era} server, and a change is held without any list`,
    async (t) => {
      const { gate, server, pins, read, change } = await open(t, { era, streams: era === 'modern' })
      await read()
      const rows = async () => (await gate.store.reader.selectFrom('tool_definitions').select('tool').execute()).length
      t.equal(await rows(), 2, 'those that the configuration names')
      change()
      await read()
      t.equal(pins.isChanged('/mcp', 'close'), true)
      t.equal(pins.isChanged('/mcp', 'list'), false)
      const [, token = ''] = String(server.requests[0]?.headers.authorization).split(' ')
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      const said = { aud: 'desk', sub: gate.deps.settings.server.baseUrl, scope: 'User.Read.All', idtyp: 'app' }
      t.match(claims, said)
      t.equal(
        JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).typ,
        'portcullis-assertion+jwt',
      )
      t.equal(server.ended.length, era === 'legacy' ? 2 : 0, 'sessions are ended again')
    },
  )
}

t.test('issue 16: the gate says who it is in the way of the upstream, or not', async (t) => {
  const headers = await open(t, {}, 'headers')
  await headers.read()
  const [first] = headers.server.requests
  t.match(first?.headers['x-portcullis-assertion'], /^ey/)
  t.equal(first?.headers.authorization, undefined)
  const none = await open(t, {}, 'none')
  await none.read()
  t.notMatch(JSON.stringify(none.server.requests[0]?.headers), /authorization|x-portcullis/)
})

t.test(
  'issue 16: the leader reads at once, again after a reload and after a while, and says once what fails',
  async (t) => {
    const world = { isDown: false }
    const { gate, server, settings, pins, change, route } = await open(t, {
      instead(_request, response) {
        if (world.isDown) response.writeHead(503).end()
        return world.isDown
      },
    })
    const errors: unknown[] = []
    let [monotonic, isLeader] = [0, false]
    const { store, feed, keyring, now, metrics } = gate
    const current = { ...settings, routes: settings.routes }
    const stop = watchDefinitions(
      {
        ...{ settings: current, store, feed, keyring, toolDefinitions: pins, metrics, now, version: '1' },
        ...{ leader: { isLeader: () => isLeader }, monotonic: () => monotonic, onError: (error) => errors.push(error) },
      },
      { lookEveryMs: 5, everyMs: 1_000 },
    )
    t.teardown(stop)
    const counted = async (outcome: string) => {
      const { values } = await metrics.definitionReads.get()
      return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0
    }
    const until = async (outcome: string, count: number) => {
      while ((await counted(outcome)) < count) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await new Promise((resolve) => setTimeout(resolve, 30))
    t.equal(server.requests.length, 0, 'nobody who does not lead reads')
    isLeader = true
    await until('read', 1)
    await pins.settled()
    change()
    Object.assign(current, { routes: [{ ...route }] })
    await until('read', 2)
    await pins.settled()
    t.equal(pins.isChanged('/mcp', 'close'), true, 'after a reload')
    world.isDown = true
    monotonic = 1_000
    await until('failed', 1)
    monotonic = 2_000
    await until('failed', 2)
    t.match(errors, [{ message: /definitions of the tools of \/mcp cannot be read/ }])
    t.equal(errors.length, 1)
    world.isDown = false
    monotonic = 3_000
    await until('read', 3)
  },
)

t.test('issue 16: a server that does not answer is waited for no longer than the watch lasts', async (t) => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const { gate, pins, route } = await open(t, {})
  const { port } = silent.address() as AddressInfo
  const target = { kind: 'url', origin: `http://127.0.0.1:${port}`, basePath: '/' } as const
  const upstreams = new Map([['desk', upstreamSettings('desk', { target })]])
  const settings = { ...gate.deps.settings, upstreams }
  const ends = new AbortController()
  const reading = readDefinitions({ settings, keyring: gate.keyring, pins, version: '1', now: gate.now }, route, {
    turn: 0,
    signal: ends.signal,
  })
  ends.abort()
  await t.rejects(reading, /did not answer in time/)
})
