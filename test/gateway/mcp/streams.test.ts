// Streams of MCP servers: listeners, and answers that come as events. They take no place of calls, nobody takes those of
// others, and what let them through is looked at again for as long as they last.
// full: hundreds of open streams

import type { IncomingMessage, ServerResponse } from 'node:http'
import t from 'tap'
import { atOnce } from '../../../src/config/reload/steps.js'
import type { McpSettings } from '../../../src/config/settings/route-settings.js'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { forgetInTransaction } from '../../../src/directory/consents/consents.js'
import { write } from '../../../src/directory/writes.js'
import { createGrant } from '../../../src/identity/token/grants/new-grant.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { endGrants } from '../../../src/revocation/end-grants.js'
import { revoke } from '../../../src/revocation/revoke.js'
import { setUserState } from '../../../src/users/accounts/user-state.js'
import { createUser } from '../../../src/users/accounts/users.js'
import type { UserWrites } from '../../../src/users/writes.js'
import { ownResource } from '../../support/rooms/directory.js'
import {
  eventually,
  type GateApp,
  openGate,
  type Recorded,
  recordingUpstream,
  type Test,
} from '../../support/rooms/http-gate.js'
import type { UpstreamInput } from '../../support/settings/upstream-settings.js'
import { rawRequest } from '../../support/traffic/http-raw.js'
import {
  legacyVersion,
  listenBytes,
  messageBytes,
  modernVersion,
  openStream,
} from '../../support/traffic/mcp-client.js'
import { watchStalls } from '../../support/traffic/stalls.js'
import { until } from '../../support/traffic/until.js'

const first = ['User.Read.All']
const mcp: McpSettings = {
  versions: new Set<McpVersion>([modernVersion, legacyVersion]),
  list: 'all',
  first: { anyOf: [first] },
  tools: new Map([
    ['watch', { needs: { anyOf: [first] } }],
    ['close', { needs: { anyOf: [first] } }],
  ]),
  prompts: new Map(),
  resources: new Map([['desk://tickets/{id}', { needs: { anyOf: [first] } }]]),
}
const tenantId = '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02'

/** Listeners and the tool `watch` are answered by events without an end, all else at once. */
function answer({ method }: IncomingMessage, response: ServerResponse, { body }: Recorded): void {
  const lasts = method === 'GET' || body.includes('subscriptions/listen') || body.includes('watch')
  if (!lasts) response.setHeader('content-type', 'application/json').end('{"jsonrpc":"2.0","id":1,"result":{}}')
  else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')
}

async function openDesk(t: Test, upstream: UpstreamInput, settings: Partial<McpSettings> = {}) {
  const server = await recordingUpstream(t, answer)
  const gate = await openGate(t, {
    routes: [
      {
        path: '/desk/mcp',
        id: '/desk/mcp',
        methods: { POST: first, GET: first, DELETE: first },
        mcp: { ...mcp, ...settings },
      },
      { path: '/live', methods: { GET: first }, stream: true },
    ],
    upstreams: { desk: { target: server.target, ...upstream } },
    replace: () => ({ reloadGraceMs: 100 }),
  })
  return { gate, server }
}

const personToken = (gate: GateApp, userId: string, more: object = {}) =>
  gate.token(first, { idtyp: 'user', oid: userId, sub: userId, gid: userId, ...more } as object)

const call = (token: string, name = 'close') => messageBytes({ token }, 'tools/call', { name })
const listen = (token: string) => messageBytes({ token }, 'subscriptions/listen', { notifications: {} })

t.test(
  'G16 MCP transports: two hundred listeners of one server, and a call beside them is answered at once',
  async (t) => {
    const { gate, server } = await openDesk(t, { connections: 2, sharePercent: 25 }, { streams: 800 })
    for (let person = 0; person < 8; person += 1) {
      const token = await personToken(gate, `person-${person}`)
      await Promise.all(Array.from({ length: 25 }, () => openStream(t, gate, listenBytes({ token }))))
    }
    t.equal(server.requests.length, 200)
    const desk = gate.deps.gate.upstreams().get('desk')
    t.same([desk?.requests.underWay, desk?.streams.underWay, desk?.openStreams()], [0, 0, 200])
    for (const caller of ['person-1', 'newcomer']) {
      const token = await personToken(gate, caller)
      const stalledMs = watchStalls()
      const began = performance.now()
      t.equal((await rawRequest(gate, call(token))).status, 200)
      const tookMs = performance.now() - began - stalledMs()
      t.comment(`${caller}: a call beside two hundred streams took ${Math.round(tookMs)} ms`)
      t.ok(tookMs < 2_000, `${caller}: ${tookMs} ms`)
    }
    t.ok((await openStream(t, gate, listenBytes({ path: '/live', token: await gate.token() }))).socket.readable)
  },
)

t.test('G16 one agent has its share of the streams, and another one takes none of it', async (t) => {
  const { gate, server } = await openDesk(t, { sharePercent: 25 }, { streams: 16 })
  const token = await gate.token()
  for (let i = 0; i < 2; i += 1) {
    await openStream(t, gate, listenBytes({ token }))
    await openStream(t, gate, listen(token))
  }
  for (const bytes of [listenBytes({ token }), listen(token)]) {
    const refused = await rawRequest(gate, bytes)
    t.same([refused.status, refused.headers.get('retry-after')], [429, ['5']])
    t.match(JSON.parse(refused.body).error.message, /too many streams open here; close some/)
  }
  t.equal(server.requests.length, 4, 'the server hears of none of them')
  const another = '7d1f3c2a-1111-4c6e-8f9e-0a6d1c5b7a02'
  const other = await gate.token(first, {
    client_id: another,
    sub: another,
    tid: '9b2c51d4-2222-4bb7-9b0f-6f6f5d4c3b02',
  })
  await openStream(t, gate, listenBytes({ token: other }))
  t.equal((await rawRequest(gate, call(token))).status, 200, 'a call is none of them')
})

t.test('beyond the streams of the server it is 503, and a place that was left is given again', async (t) => {
  const { gate } = await openDesk(t, {}, { streams: 2 })
  const token = await gate.token()
  const open = await openStream(t, gate, listenBytes({ token }))
  await openStream(t, gate, listen(token))
  const refused = await rawRequest(gate, listenBytes({ token }))
  t.same([refused.status, refused.headers.get('retry-after')], [503, ['5']])
  open.socket.destroy()
  await eventually(() => gate.deps.gate.upstreams().get('desk')?.openStreams() === 1, 'its place is free')
  await openStream(t, gate, listenBytes({ token }))
})

t.test('a call whose answer comes as events leaves its place, where streams have one', async (t) => {
  const { gate, server } = await openDesk(t, { connections: 1, queueMs: 500, idleMs: 400 }, { streams: 2 })
  const token = await gate.token()
  const desk = gate.deps.gate.upstreams().get('desk')
  const streams = [await openStream(t, gate, call(token, 'watch')), await openStream(t, gate, call(token, 'watch'))]
  t.same([desk?.requests.underWay, desk?.openStreams()], [0, 2])
  for (let i = 0; i < 3; i += 1)
    t.equal((await rawRequest(gate, call(token))).status, 200, 'calls have their connection')
  t.equal(server.connections, 3)
  const third = await openStream(t, gate, call(token, 'watch'))
  t.same([desk?.requests.underWay, desk?.openStreams()], [1, 2], 'without a place among streams it is a call')
  t.match(await third.closed(), /^HTTP\/1\.1 200/, 'and has the times of one')
  await eventually(() => gate.logged.some((line) => line.includes('upstream_truncated')), 'the reason')
  t.equal((await rawRequest(gate, call(token))).status, 200)
  t.same(
    streams.map(({ socket }) => socket.destroyed),
    [false, false],
    'streams may be silent for longer',
  )
  for (const { socket } of streams) socket.destroy()
  await eventually(() => desk?.openStreams() === 0, 'nothing is left')
})

t.test('a connection whose stream has ended is one too many when another one took its place', async (t) => {
  const ends: (() => void)[] = []
  const server = await recordingUpstream(t, (_request, response, { body }) => {
    if (!body.includes('watch')) return void response.setHeader('content-type', 'application/json').end('{}')
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')
    ends.push(() => response.end())
  })
  const route = { path: '/desk/mcp', id: '/desk/mcp', methods: { POST: first }, mcp }
  const upstreams = { desk: { target: server.target, connections: 1, maxStreams: 8 } }
  const gate = await openGate(t, { routes: [route], upstreams })
  const token = await gate.token()
  const open = () => new Promise<number>((resolve) => server.server.getConnections((_error, count) => resolve(count)))
  for (let i = 0; i < 3; i += 1) await openStream(t, gate, call(token, 'watch'))
  t.equal((await rawRequest(gate, call(token))).status, 200)
  t.equal(await open(), 4)
  for (const end of ends) end()
  await until('one is left', async () => (await open()) === 1)
  t.equal((await rawRequest(gate, call(token))).status, 200)
  t.equal(server.connections, 4, 'and it is used again')
})

t.test(
  'contract §5: a token that is revoked, and an agent that a person withdraws, take their streams along',
  async (t) => {
    const { gate } = await openDesk(t, {})
    const { registration } = await gate.registerDemo()
    const { applicationId } = registration
    const userId = '0c8f4a53-0000-4c6e-8f9e-0a6d1c5b7a09'
    const input = { origin: 'code', resource: ownResource, permissions: first, openidScopes: [], userId, applicationId }
    const session = { authTime: 1, acr: '1', amr: ['pwd'] }
    const gid = await gate.store.transaction((tx) =>
      createGrant(gate as never, tx, { ...input, tenantId, session, claims: undefined } as never),
    )
    const withdraw = () =>
      write(gate.writes, (writing) =>
        forgetInTransaction(gate.writes, writing, { applicationId, tenantId, userId }, () =>
          endGrants(gate.writes, writing, { applicationId, tenantId, userId }, 'consent-withdrawn'),
        ),
      )
    const jti = '5a0c4c53-0000-4c6e-8f9e-0a6d1c5b7a10'
    const own = { ...gate.writes, store: gate.store } as UserWrites
    const person = await createUser(own, { email: 'ada@contoso.test', name: 'Ada' })
    const ofPerson = await personToken(gate, person.userId, { client_id: applicationId })
    const ofAgent = await personToken(gate, '0c8f4a53-0001-4c6e-8f9e-0a6d1c5b7a09', { client_id: applicationId })
    const ends: readonly (readonly [string, string, () => Promise<unknown>])[] = [
      ['the token is revoked', await gate.token(first, { jti }), () => revoke(gate.writes, { what: 'token', id: jti })],
      ['consent is withdrawn', await personToken(gate, userId, { client_id: applicationId, gid }), withdraw],
      ['the person is disabled', ofPerson, () => setUserState(own, person.userId, 'disabled')],
      [
        'the application is disabled',
        ofAgent,
        () => changeApplication(gate.writes, applicationId, { state: 'disabled' }),
      ],
    ]
    const staying = await openStream(t, gate, listenBytes({ token: await gate.token() }))
    for (const [what, token, end] of ends) {
      const streams = await Promise.all(
        [listenBytes({ token }), listen(token), call(token, 'watch')].map((bytes) => openStream(t, gate, bytes)),
      )
      const stalledMs = watchStalls()
      const began = performance.now()
      await end()
      await Promise.all(streams.map((stream) => stream.closed()))
      const tookMs = performance.now() - began - stalledMs()
      t.comment(`${what}: the last of three streams was closed ${Math.round(tookMs)} ms later`)
      // The second that revocation promises, with threefold slack.
      t.ok(tookMs < 3_000, `${what}: ${tookMs} ms`)
      t.equal((await rawRequest(gate, call(token))).status, 401)
    }
    t.notOk(staying.socket.destroyed, 'others go on')
  },
)

t.test('two hundred streams of an agent end within a second of it, and the calls of another one go on', async (t) => {
  const { gate } = await openDesk(t, { connections: 2 }, { streams: 800 })
  const { registration } = await gate.registerDemo()
  const { applicationId } = registration
  const streams = []
  for (let person = 0; person < 8; person += 1) {
    const token = await personToken(gate, `person-${person}`, { client_id: applicationId })
    const bytes = [listenBytes({ token }), listen(token), call(token, 'watch')]
    streams.push(
      ...(await Promise.all(Array.from({ length: 25 }, (_, at) => openStream(t, gate, bytes[at % 3] ?? '')))),
    )
  }
  t.equal(gate.deps.gate.upstreams().get('desk')?.openStreams(), 200)
  const stalledMs = watchStalls()
  const began = performance.now()
  await changeApplication(gate.writes, applicationId, { state: 'disabled' })
  const beside = performance.now()
  t.equal((await rawRequest(gate, call(await gate.token()))).status, 200)
  const callMs = performance.now() - beside
  await Promise.all(streams.map((stream) => stream.closed()))
  const tookMs = performance.now() - began - stalledMs()
  t.comment(
    `the last of two hundred was closed ${Math.round(tookMs)} ms later; a call meanwhile took ${Math.round(callMs)}`,
  )
  t.ok(tookMs < 3_000, `${tookMs} ms`)
  await eventually(() => gate.deps.gate.upstreams().get('desk')?.openStreams() === 0, 'all places are free')
})

t.test('a reload ends a listener whose resource it takes away, and no other', async (t) => {
  const { gate } = await openDesk(t, {})
  const token = await gate.token()
  const uris = (uri: string) => ({ notifications: { resourceSubscriptions: [uri] } })
  const staying = await openStream(t, gate, listen(token))
  const session = await openStream(t, gate, listenBytes({ token }))
  const watching = await openStream(t, gate, call(token, 'watch'))
  const ending = await openStream(t, gate, messageBytes({ token }, 'subscriptions/listen', uris('desk://tickets/1')))
  const { settings } = gate.deps
  const reload = (changes: Partial<McpSettings>) =>
    atOnce(
      gate.deps.gate.replace({
        ...settings,
        routes: settings.routes.map((route) =>
          route.mcp === undefined ? route : { ...route, mcp: { ...route.mcp, ...changes } },
        ),
      }),
    )
  reload({ resources: new Map() })
  await ending.closed()
  await eventually(() => gate.logged.some((line) => line.includes('route_gone')), 'the reason')
  reload({ resources: new Map(), tools: new Map([['watch', { needs: { anyOf: [['User.ReadWrite.All']] } }]]) })
  await watching.closed()
  await eventually(() => gate.logged.some((line) => line.includes('route_changed')), 'the reason')
  t.same([staying.socket.destroyed, session.socket.destroyed], [false, false])
  t.equal(gate.deps.gate.upstreams().get('desk')?.openStreams(), 2, 'and both are still counted')
})
