// What the gate believes of targets: how they say that they are, and who their certificates say that they are.

import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { inspect } from 'node:util'
import t from 'tap'
import { secretValue } from '../../../src/config/read/secret-value.js'
import { maskedSettings } from '../../../src/config/read/settings-mask.js'
import { atOnce } from '../../../src/config/reload/steps.js'
import type { UpstreamSettings } from '../../../src/config/settings/upstream-settings.js'
import type { Connections } from '../../../src/gateway/http1/connections.js'
import { targetStates } from '../../../src/gateway/upstreams/target-states.js'
import { ensureDevelopmentCertificate } from '../../../src/http/tls/development-ca.js'
import { startFaultProxy } from '../../support/proxies/fault-proxy.js'
import {
  type GateApp,
  type GateOptions,
  openGate,
  recordingUpstream,
  type Test,
  urlTarget,
  viaProxy,
} from '../../support/rooms/http-gate.js'
import { mistakesOf, settingsFrom } from '../../support/settings/config-file.js'
import { noTls } from '../../support/settings/upstream-settings.js'
import { rawRequest } from '../../support/traffic/http-raw.js'
import { askTarget } from '../../support/upstreams/sent-request.js'

const routes: GateOptions['routes'] = [{ path: '/api/v2/things', methods: { GET: 'public' } }]
const get = `GET /api/v2/things HTTP/1.1\r\n${viaProxy}\r\n`
const health = { path: '/healthz?deep', everyMs: 100, timeoutMs: 20_000, healthy: 2, unhealthy: 3, status: undefined }

/** A target that answers a health check with `well.status`, or nothing at all when that is 0. */
async function patient(t: Test) {
  const well = { status: 204, checks: 0, busy: false }
  const upstream = await recordingUpstream(t, (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/healthz')) return void (well.busy || response.end('ok'))
    well.checks += 1
    if (well.status !== 0) response.writeHead(well.status).end()
  })
  return { ...upstream, well, served: () => upstream.requests.length - well.checks }
}

const openTo = (t: Test, targets: readonly Awaited<ReturnType<typeof patient>>[], more: Partial<UpstreamSettings>) =>
  openGate(t, {
    routes,
    upstreams: { things: { targets: targets.map(({ target }) => ({ ...target, weight: 1 })), ...more } },
  })

async function until(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what} did not happen in time`)
    await wait(5)
  }
}

const up = async ({ metrics }: GateApp) =>
  (await metrics.upstreamTargetUp.get()).values.map(({ value }) => value).join('')

const statusesOf = async (gate: GateApp, count: number) => {
  const statuses: number[] = []
  for (let i = 0; i < count; i += 1) statuses.push((await rawRequest(gate, get)).status)
  return statuses
}

t.test(
  'checks leave out a target that is not well after several bad answers, and take it back after several good ones',
  async (t) => {
    const [a, b] = [await patient(t), await patient(t)]
    const gate = await openTo(t, [a, b], { health: { ...health, timeoutMs: 400 } })
    await until(() => a.well.checks >= 2 && b.well.checks >= 2, 'checks of all')
    const check = a.requests.find(({ url }) => url === '/healthz?deep')
    t.match(check, { method: 'GET', headers: { host: `127.0.0.1:${a.port}`, 'user-agent': 'portcullis-health-check' } })
    for (const status of [500, 302, 0]) {
      a.well.status = status
      await until(async () => (await up(gate)) === '01', `left out after ${status}`)
      const served = a.served()
      t.match(targetStates(gate.deps.gate.upstreams()), [{ state: 'unwell', downForMs: Number }, { state: 'up' }])
      t.same(await statusesOf(gate, 6), [200, 200, 200, 200, 200, 200])
      t.equal(a.served(), served, `nobody meets it after ${status}`)
      a.well.status = 200
      await until(async () => (await up(gate)) === '11', 'taken back')
      await statusesOf(gate, 4)
      t.ok(a.served() > served)
    }
  },
)

t.test('checks alone never end a service: with all targets unwell, requests go to all, and checks go on', async (t) => {
  const [a, b] = [await patient(t), await patient(t)]
  a.well.status = b.well.status = 404
  const gate = await openTo(t, [a, b], { health, eject: { failures: 2, forMs: 60_000, maxPercent: 50 } })
  await until(async () => (await up(gate)) === '00', 'both unwell')
  t.same(await statusesOf(gate, 4), [200, 200, 200, 200])
  t.same([a.served(), b.served()], [2, 2])
  b.well.status = 200
  await until(async () => (await up(gate)) === '01', 'one of them well')
})

t.test(
  'a target that was left out for its failures is taken back by checks that find it well again, before its time',
  async (t) => {
    const [a, b] = [await patient(t), await patient(t)]
    const way = await startFaultProxy(t, a.port)
    const gate = await openTo(t, [{ ...a, target: urlTarget(way.port) }, b], {
      health: { ...health, status: 204 },
      eject: { failures: 2, forMs: 60_000, maxPercent: 50 },
    })
    await way.set({ refuse: 'down' })
    await until(async () => (await statusesOf(gate, 1)).length > 0 && (await up(gate)) === '01', 'left out')
    await wait(500)
    t.equal(await up(gate), '01')
    await way.heal()
    await until(async () => (await up(gate)) === '11', 'taken back')
  },
)

t.test('checks have a connection of their own, and end with the configuration that required them', async (t) => {
  const a = await patient(t)
  a.well.busy = true
  const gate = await openTo(t, [a], { health, connections: 1 })
  const hanging = [rawRequest(gate, get).catch(() => undefined), rawRequest(gate, get).catch(() => undefined)]
  const { checks } = a.well
  await until(() => a.well.checks >= checks + 4, 'checks beside a full pool')
  t.equal(await up(gate), '1')
  const { settings, gate: table } = gate.deps
  const things = settings.upstreams.get('things') as UpstreamSettings
  atOnce(table.replace({ ...settings, upstreams: new Map([['things', { ...things, health: undefined }]]) }))
  // Those that are on their way still come.
  await wait(350)
  const after = a.well.checks
  await wait(350)
  t.equal(a.well.checks, after)
  a.well.busy = false
  a.server.closeAllConnections()
  await Promise.all(hanging)
})

t.test(
  'P2 a target’s certificate is verified by the name that is configured, never by one of a request; and shown ours',
  async (t) => {
    const folder = t.testdir()
    const [theirs, ours] = await Promise.all([
      ensureDevelopmentCertificate(join(folder, 'theirs')),
      ensureDevelopmentCertificate(join(folder, 'ours')),
    ])
    const read = (file: string) => readFileSync(file, 'utf8')
    const handshakes: { name: string | false | null; shown: string | undefined }[] = []
    const server = createTlsServer(
      { cert: read(theirs.certFile), key: read(theirs.keyFile), requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        const { servername, getPeerCertificate } = request.socket as TLSSocket & { servername: string | false | null }
        handshakes.push({
          name: servername,
          shown: getPeerCertificate.call(request.socket as TLSSocket).fingerprint256,
        })
        response.end('ok')
      },
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as { port: number }
    const ca = read(theirs.caFile)
    const open = (host: string, tls: Partial<UpstreamSettings['tls']>) =>
      openGate(t, {
        routes,
        upstreams: {
          things: {
            target: { kind: 'url', origin: `https://${host}:${port}`, basePath: '' },
            tls: { ...noTls, ...tls },
          },
        },
      })
    const cert = read(ours.certFile)
    const key = secretValue(read(ours.keyFile))
    t.equal((await rawRequest(await open('127.0.0.1', { ca, cert, key, serverName: 'localhost' }), get)).status, 200)
    t.same(handshakes.pop(), { name: 'localhost', shown: new X509Certificate(cert).fingerprint256 })
    t.equal((await rawRequest(await open('localhost', { ca }), get)).status, 200)
    t.same(handshakes.pop(), { name: 'localhost', shown: undefined })
    t.equal(
      (await rawRequest(await open('localhost', { ca, serverName: 'other.test' }), get)).status,
      502,
      'another name',
    )
    t.equal((await rawRequest(await open('localhost', { ca: cert }), get)).status, 502, 'another authority')
    const plain = await openGate(t, {
      routes,
      upstreams: {
        things: { target: { kind: 'url', origin: `https://localhost:${port}`, basePath: '' }, tls: { ...noTls, ca } },
      },
    })
    const target = plain.deps.gate.upstreams().get('things')?.targets[0]
    const requests = target?.requests as Connections
    await t.rejects(askTarget(requests, ['Host', 'evil.test']), { code: 'UND_ERR_INVALID_ARG' })
    t.equal((await askTarget(requests)).status, 200)
    t.equal(handshakes.pop()?.name, 'localhost', 'a Host of a request is no name to verify')
    t.throws(() =>
      atOnce(
        plain.deps.gate.replace({
          ...plain.deps.settings,
          upstreams: new Map([
            [
              'things',
              {
                ...(plain.deps.settings.upstreams.get('things') as UpstreamSettings),
                tls: { ...noTls, cert, key: secretValue('x') },
              },
            ],
          ]),
        }),
      ),
    )
    t.equal((await rawRequest(plain, get)).status, 200, 'what cannot be used changes nothing')
  },
)

t.test('X5 a key for targets is one that fits, and nothing shows it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'trust-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const ours = await ensureDevelopmentCertificate(join(folder, 'ours'))
  const others = await ensureDevelopmentCertificate(join(folder, 'others'))
  const text = (keyFile: string) =>
    `upstreams: { things: { target: "https://a", cert: "file:${ours.certFile}", key: "file:${keyFile}" } }\n`
  const settings = settingsFrom(t, text(ours.keyFile))
  t.match(settings.upstreams.get('things')?.tls.key?.reveal(), /-----BEGIN [A-Z ]*PRIVATE KEY-----/)
  t.match(maskedSettings(settings), { upstreams: { things: { tls: { key: '***' } } } })
  for (const output of [JSON.stringify(settings), inspect(settings, { depth: 20, showHidden: true })]) {
    t.notMatch(output, /PRIVATE KEY/)
  }
  const [mistake] = mistakesOf(t, text(others.keyFile))
  t.match(mistake, /upstreams.things.key: must be the private key of cert, in PEM and without a passphrase$/)
})
