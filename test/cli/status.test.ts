// What an operator sees of a running server, of one that lacks something, and of one that is not there.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Answer } from '../../src/management/schemas.js'
import { apiError, runCommand, type SocketAnswer, socketServer } from '../support/rooms/cli.js'

const status: Answer<'status'> = {
  ...{ version: '1.2.3', mode: 'production', baseUrl: 'https://api.example.com', uptimeSeconds: 11_111 },
  ...{ seq: 42, viewAgeMs: 310, viewStale: false, ready: true, reasons: [], degraded: [], revocationEntries: 0 },
  ...{ store: { kind: 'postgresql', available: true }, redis: { available: true } },
  ...{ instance: 'a1b2c3d4', leader: false, clockSkewSeconds: 0, routes: 1, upstreams: ['files', 'box'] },
  instances: [
    { id: 'a1b2c3d4', name: 'one:1', startedAt: '2026-01-01T00:00:00.000Z', seq: 42, leader: false },
    { id: 'e5f6a7b8', name: 'two:2\u001b[31m', startedAt: '2026-01-01T00:00:01.000Z', seq: 41, leader: true },
  ],
  targets: [
    { upstream: 'files', target: 'http://10.0.0.1:80', state: 'up', since: null },
    { upstream: 'box', target: 'unix:/run/box.sock', state: 'up', since: null },
  ],
  gonePlans: [],
  refusedConfiguration: null,
}

async function build(t: Test, answer: SocketAnswer) {
  // A socket's path has room for 103 bytes: tap's own folders are named after the whole test.
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const server = await socketServer(join(cwd, 'admin.sock'), (request) =>
    request.path === '/api/v2/status' ? answer : apiError(404, 'NotFound', request.path),
  )
  t.teardown(() => server.close())
  return (...argv: string[]) => runCommand(argv, { cwd, env: { PORTCULLIS_SOCKET: 'admin.sock' } })
}

t.test('status shows the server, and who shares its Store', async (t) => {
  const run = await build(t, { json: status })
  const { code, out, err } = await run('status')
  t.same({ code, err }, { code: 0, err: '' })
  for (const line of [
    'ready          yes',
    'degraded       no',
    'answered by    a1b2c3d4',
    'version        1.2.3, production mode, up 3 h 5 min',
    'configuration  in effect as it was last read',
    'store          postgresql, answers',
    'redis          answers',
    'view           certain 0.3 s ago, at change 42',
    'targets        2, all up',
    'a1b2c3d4  one:1            2026-01-01T00:00:00.000Z  42      no',
    'e5f6a7b8  two:2\\u{1b}[31m  2026-01-01T00:00:01.000Z  41      yes',
  ]) {
    t.ok(out.split('\n').includes(line), `${line}\n${out}`)
  }
  t.same(JSON.parse((await run('status', '-o', 'json')).out), status)
  t.equal((await run('status', '-o', 'env')).code, 2, 'a list has no form for the shell')
})

t.test('F1 F8 status says what is away, and what that means', async (t) => {
  const run = await build(t, {
    json: {
      ...status,
      ...{ ready: false, reasons: ['view_stale', 'another'], degraded: ['store_down', 'redis_down'] },
      ...{ viewAgeMs: 9_000, viewStale: true, store: { kind: 'postgresql', available: false } },
      ...{ redis: { available: false }, uptimeSeconds: 0 },
    },
  })
  const { code, out } = await run('status')
  t.equal(code, 0)
  t.match(out, /^ready +no: view_stale \(it may have missed a revocation, .*\); another$/m)
  t.match(out, /^degraded +yes: store_down \(.*503.*\); redis_down \(.*onDown.*\)$/m)
  t.match(out, /^view +certain 9\.0 s ago, stale: calls are refused with 503, at change 42$/m)
  t.match(out, /^store +postgresql, does not answer\nredis +does not answer$/m)
  t.match(out, /^version .* up 0 s$/m)
  const standalone = await build(t, { json: { ...status, redis: null, viewAgeMs: -1, targets: [] } })
  t.match((await standalone('status')).out, /^targets +none are configured$/m)
  t.match((await standalone('status')).out, /^redis +none is configured\nview +not loaded yet, at change 42$/m)
})

t.test('status says that the files are refused, since when, and where their mistakes are', async (t) => {
  const first = ['conf.d/a.yaml:1:2 routes: no\u001b[31m', 'conf.d/a.yaml:3:4 limits: no']
  const since = '2026-01-01T00:00:04.000Z'
  const withMistakes = (mistakes: number) =>
    build(t, { json: { ...status, refusedConfiguration: { since, mistakes, first } } })
  const { code, out } = await (await withMistakes(2))('status')
  t.equal(code, 0)
  t.match(
    out,
    /^configuration +refused since 2026-01-01T00:00:04\.000Z, see below; what was read before stays in effect$/m,
  )
  t.ok(
    out.endsWith(
      '\nMISTAKES OF THE CONFIGURATION\nconf.d/a.yaml:1:2 routes: no\\u{1b}[31m\nconf.d/a.yaml:3:4 limits: no\n',
    ),
  )
  t.match((await (await withMistakes(7))('status')).out, /limits: no\nand 5 more: portcullis reload\n$/)
})

t.test('status shows the targets that are down, since when and why', async (t) => {
  const [, box] = status.targets
  const targets: Answer<'status'>['targets'] = [
    { upstream: 'files', target: 'http://10.0.0.1:80', state: 'unwell', since: '2026-01-01T00:00:02.000Z' },
    ...(box === undefined ? [] : [box]),
    { upstream: 'files', target: 'http://10.0.0.2:80', state: 'failing', since: '2026-01-01T00:00:03.000Z' },
  ]
  const run = await build(t, { json: { ...status, targets } })
  const { code, out } = await run('status')
  t.equal(code, 0)
  t.match(out, /^targets +2 of 3 down, see below$/m)
  t.match(
    out,
    new RegExp(
      [
        '\n\nUPSTREAM +TARGET +DOWN SINCE +WHY',
        'files +http://10\\.0\\.0\\.1:80 +2026-01-01T00:00:02\\.000Z +its checks find it unwell',
        'files +http://10\\.0\\.0\\.2:80 +2026-01-01T00:00:03\\.000Z +requests to it fail\n$',
      ].join('\n'),
    ),
  )
  t.same(JSON.parse((await run('status', '-o', 'json')).out), { ...status, targets })
})

t.test('status shows a target that did not answer the newest request, before it counts as down', async (t) => {
  const [files] = status.targets
  const targets = [{ ...(files as Answer<'status'>['targets'][number]), cause: 'connection refused' }]
  const { out } = await (await build(t, { json: { ...status, targets } }))('status')
  t.match(out, /^targets +1, 1 did not answer the newest request, see below$/m)
  t.match(out, /^files +http:\/\/10\.0\.0\.1:80 +the newest request failed: connection refused$/m)
})

t.test('status names the plans that are gone, who was on them, and what counts for those now', async (t) => {
  const some = [{ applicationId: 'x', name: 'Billing\u001b[31m', tenantId: 'y' }]
  const gonePlans: Answer<'status'>['gonePlans'] = [
    { plan: 'partner', applications: 7, instead: 'free', some: [...some, { ...some[0], name: 'Diary' } as never] },
    { plan: 'team', applications: 1, instead: null, some },
  ]
  const { out } = await (await build(t, { json: { ...status, gonePlans } }))('status')
  t.match(out, /^PLAN THAT IS GONE +APPLICATIONS +NOW ON +SUCH AS$/m)
  t.match(out, /^partner +7 +free +Billing\\u\{1b\}\[31m, Diary$/m)
  t.match(out, /^team +1 +no plan: the limits of all +Billing/m)
  t.notMatch((await (await build(t, { json: { ...status, gonePlans: null } }))('status')).out, 'GONE')
})

t.test('status of a server that is not there is code 5; one that cannot answer sends to status', async (t) => {
  const run = await build(t, apiError(503, 'ServiceUnavailable', 'The service cannot answer now.'))
  const absent = await run('status', '--socket', 'absent.sock')
  t.match(absent, { code: 5, out: '', err: /the server is not running: .*Start it with: portcullis serve/ })
  t.match(await run('status'), {
    code: 5,
    out: '',
    err: /cannot answer now[\s\S]*\n {2}What is away is shown by: portcullis status\n$/,
  })
})
