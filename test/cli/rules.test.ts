// The commands about a configuration before it is loaded: test, routes, diff, and explain without a server.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { readDisk } from '../../src/config/read/file-reader.js'
import { loadConfiguration, loadSettings } from '../../src/config/read/load.js'
import { plainRules } from '../../src/gateway/diff/plain-rules.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { createReloading } from '../../src/process/reload.js'
import { runCommand, socketServer } from '../support/rooms/cli.js'

const file = `version: 1
resources:
  assets: { id: "https://assets.test", name: Assets, permissions: { see: { describe: See } } }
permissions:
  read: { describe: Read }
  write: { describe: Write, covers: [read] }
  mine: { describe: Mine, kinds: [delegated] }
upstreams:
  one: { target: "http://127.0.0.1:1" }
  two: { target: "http://127.0.0.1:2" }
limits:
  slow: { by: application, rate: 1/s }
  token: { by: address, rate: 1/s }
defaults: { limits: [], tokenLimits: [token] }
routes:
  /things/**: { to: one, require: { GET: read, PUT: write }, body: 10B }
  GET /things/{id}/mine: { to: one, require: mine }
  GET /stock: { to: two, require: see, resource: assets, limits: [slow] }
  GET /open: { to: two, public: true }
  GET /watched: { to: two, require: write, shadow: true }
`

const good = `tests:
  - { call: GET /things/7, expect: { status: 401 } }
  - { call: GET /things/7, with: [], expect: { needs: read } }
  - { call: GET /things/7, with: [write], expect: { upstream: one, route: /things/**, limits: [] } }
  - { call: PUT /things/7, with: [read], expect: { status: 403, needs: write } }
  - { call: PUT /things/7, with: [write], body: 11B, expect: { status: 413 } }
  - { call: PUT /things/7, with: [write], body: 10B, expect: { upstream: one } }
  - { call: DELETE /things/7, expect: { status: 405, } }
  - { call: HEAD /things/7, with: [read], expect: { route: /things/** } }
  - { call: OPTIONS /things/7, expect: { status: 204 } }
  - { call: GET /things//./7/%6dine, with: [mine], as: user, expect: { route: "GET /things/{id}/mine" } }
  - { call: GET /things/7/mine, with: [read, write], as: application, expect: { status: 403, needs: mine } }
  - { call: GET /things/../stock, expect: { status: 400 } }
  - { call: GET /stock, with: [see], expect: { upstream: two, limits: [slow] } }
  - { call: GET /stock, with: [see], resource: assets, expect: { upstream: two } }
  - { call: GET /things/7, with: [see], resource: assets, expect: { status: 401 } }
  - { call: GET /open?a=b, expect: { upstream: two } }
  - { call: GET /nothing, with: [read], expect: { status: 404 } }
  - { call: GET /watched, expect: { upstream: two } }
`

interface Folder {
  testdir(content: Record<string, string>): string
}

const run = (t: Folder, argv: readonly string[], files: Record<string, string>) =>
  runCommand(argv, { cwd: t.testdir(files) })

t.test('tests that stand in a file: all pass', async (t) => {
  const ran = await run(t, ['test', 'a.yaml'], { 'a.yaml': file + good })
  t.equal(ran.code, 0, ran.out)
  t.equal(ran.err, 'all 18 tests passed\n')
  const [first = '', second = ''] = ran.out.split('\n')
  t.match(first, /^pass .*a\.yaml:22:5 GET \/things\/7: 401$/)
  t.match(second, /^pass .*a\.yaml:23:5 GET \/things\/7 with no permission: 403 for lack of read$/)
  const checked = await run(t, ['check', 'a.yaml'], { 'a.yaml': file + good })
  t.match(checked.err, '5 routes, 2 upstreams, 18 tests passed')
  const none = await run(t, ['test', 'a.yaml'], { 'a.yaml': file })
  t.match([none.code, none.err], [0, /has no tests/])
})

t.test('tests that stand in a file: what fails is reported where it stands, and nothing loads', async (t) => {
  const wrong = `tests:
  - { call: GET /things/7, with: [read], expect: { status: 403 } }
  - { call: GET /things/7, with: [read], expect: { upstream: two } }
  - { call: GET /things/7, expect: { needs: read } }
  - { call: PUT /things/7, with: [read], expect: { needs: read } }
  - { call: GET /stock, with: [see], expect: { limits: [] } }
  - { call: GET /stock, with: [see], expect: { route: GET /open } }
  - { call: GET /open, expect: { upstream: two } }
`
  const ran = await run(t, ['test', 'a.yaml'], { 'a.yaml': file + wrong })
  t.equal(ran.code, 1)
  t.match(ran.err, '6 of 7 tests failed')
  t.match(
    ran.out,
    /FAIL .*a\.yaml:22:5 GET \/things\/7 with read: expected 403; it is allowed to one by "\/things\/\*\*" without limits/,
  )
  t.match(ran.out, /expected 403 for lack of read; it is 401 \(no_token\) by/)
  t.match(ran.out, /expected 403 for lack of read; it is 403 \(insufficient_scope, for lack of write \(application\)\)/)
  const json = await run(t, ['test', '-o', 'json', '--config', 'a.yaml'], { 'a.yaml': file + wrong })
  const results = JSON.parse(json.out) as { line: number; passed: boolean; with: string[] | null }[]
  t.same(
    results.map(({ line, passed }) => [line, passed]),
    [...[22, 23, 24, 25, 26, 27].map((line) => [line, false]), [28, true]],
  )
  const checked = await run(t, ['check', 'a.yaml'], { 'a.yaml': file + wrong })
  t.equal(checked.code, 2)
  t.match(checked.out, /a\.yaml:22:5 tests\[0\]: GET \/things\/7 must be 403; it is allowed to one/)
  t.match(checked.err, '6 problems in')
})

t.test('tests that stand in a file: names that nothing has are mistakes', async (t) => {
  const mistakes = `tests:
  - { call: get things, expect: { status: 200 } }
  - { call: GET /a, with: [raed], expect: { needs: wriet, upstream: on, route: GET /opn, limits: [slwo] } }
  - { call: GET /a, with: [mine], expect: {} }
  - { call: GET /a, as: user, resource: asets, expect: { status: 401, needs: read } }
`
  const ran = await run(t, ['test', 'a.yaml'], { 'a.yaml': file + mistakes })
  t.equal(ran.code, 2)
  const reported = [...ran.err.matchAll(/a\.yaml:(\d+:\d+ .*)/g)].map(([, text]) => text)
  t.same(reported, [
    '22:13 tests[0].call: must be a method and a path, such as GET /api/v2/me',
    '22:43 tests[0].expect.status: is no refusal: the service says the status of what reaches it; say upstream',
    '23:28 tests[1].with[0]: there is no permission "raed"; did you mean "read"?',
    '23:52 tests[1].expect.needs: there is no permission "wriet"; did you mean "write"?',
    '23:69 tests[1].expect.upstream: there is no upstream "on"; did you mean "one"?',
    '23:80 tests[1].expect.route: there is no route "GET /opn"; did you mean "GET /open"?',
    '23:99 tests[1].expect.limits[0]: there is no limit "slwo"; did you mean "slow"?',
    '24:28 tests[2].with[0]: cannot be in an application’s own token; say as: user',
    '24:43 tests[2].expect: expects nothing; say status, needs, upstream, route or limits',
    '25:21 tests[3].as: says whose token it is; with says what it holds, and is missing',
    '25:31 tests[3].resource: says whose token it is; with says what it holds, and is missing',
    '25:41 tests[3].resource: there is no resource "asets"; did you mean "assets"?',
    '25:71 tests[3].expect.needs: belongs to a 403',
  ])
  const bare = await run(t, ['test', 'a.yaml'], { 'a.yaml': `${file}tests:\n  - { call: GET /a }\n` })
  t.match(bare.err, /a\.yaml:22:5 tests\[0\]: needs "expect"/)
  const both = await run(t, ['test', 'a.yaml', '-c', 'b.yaml'], { 'a.yaml': file })
  t.match([both.code, both.err], [2, /name one file/])
})

t.test('tests may stand in an included file, which they name', async (t) => {
  const ran = await run(t, ['test', 'a.yaml'], {
    'a.yaml': `include: [part.yaml]\n${file}tests:\n  - { call: GET /open, expect: { upstream: two } }\n`,
    'part.yaml': 'tests:\n  - { call: GET /open, expect: { status: 404 } }\n',
  })
  t.equal(ran.code, 1)
  t.match(ran.out, /FAIL .*part\.yaml:2:5 GET \/open: expected 404/)
})

t.test('routes are listed in the order in which they match', async (t) => {
  const ran = await run(t, ['routes', 'a.yaml'], { 'a.yaml': file })
  t.equal(ran.code, 0)
  const rows = ran.out
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
  t.same(
    rows.map((cells) => cells.slice(0, 3).join(' ')),
    [
      'METHODS PATH NEEDS',
      'GET /open public',
      'GET /stock see',
      'GET /things/{id}/mine mine',
      'GET /things/** read',
      'PUT /things/** write',
      'GET /watched write',
    ],
  )
  t.match(rows[6]?.join(), /shadow.*a\.yaml:20:3/)
  const json = JSON.parse((await run(t, ['routes', 'a.yaml', '-o', 'json'], { 'a.yaml': file })).out) as {
    id: string
  }[]
  t.equal(json[1]?.id, 'GET /stock')
  const gone = await run(t, ['routes', '--socket', '/nobody.sock'], {})
  t.equal(gone.code, 5, 'without a file the question goes to the server')
})

t.test('diff without a server says so', async (t) => {
  const files = {
    'a.yaml': file,
    'b.yaml': file.replace('PUT: write', 'PUT: read').replace('rate: 1/s }\n  token', 'rate: 2/s }\n  token'),
    'c.yaml': file.replace('rate: 1/s }\n  token', 'rate: 2/s }\n  token'),
    'wrong.yaml': file.replace('to: two', 'to: three'),
  }
  const ran = await run(t, ['diff', 'a.yaml', 'b.yaml'], files)
  t.equal(ran.code, 1, ran.err)
  t.match(ran.err, 'No server runs here: applications and people are not counted.')
  t.match(ran.err, '1 call changes; 1 limit changes')
  t.match(ran.out, /PUT \/things\/\*\* needs other permissions\n {4}was write, to one .*\n {4}now read, to one/)
  t.match(ran.out, 'opened by read (application), read (delegated)')
  const json = await run(t, ['diff', 'a.yaml', 'b.yaml', '-o', 'json'], files)
  const { calls, holders, limits } = JSON.parse(json.out) as {
    calls: { path: string }[]
    holders: null
    limits: unknown[]
  }
  t.same(
    calls.map(({ path }) => path),
    ['/things/{id}', '/things/**'],
    'every kind of request that can be distinguished',
  )
  t.match({ holders, limits }, { holders: null, limits: [{ name: 'slow' }] })
  t.equal((await run(t, ['diff', 'a.yaml', 'a.yaml'], files)).code, 0)
  t.equal((await run(t, ['diff', 'a.yaml', 'c.yaml'], files)).code, 0, 'a limit is no access')
  t.equal((await run(t, ['diff', 'a.yaml', 'wrong.yaml'], files)).code, 2)
  t.equal((await run(t, ['diff', 'a.yaml'], files)).code, 5, 'the active configuration comes from the server')
})

t.test('diff asks the server, page by page', async (t) => {
  // A socket's path has room for 103 bytes: tap's own folders are named after the whole test.
  const folder = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'a.yaml'), file)
  const plans = 'plans: { free: { describe: Free, concurrent: 2 } }\n'
  writeFileSync(join(folder, 'b.yaml'), file.replace('PUT: write', 'PUT: read'))
  writeFileSync(join(folder, 'plans.yaml'), file + plans)
  const settings = loadSettings({ file: join(folder, 'a.yaml'), env: {} })
  const grant = (name: string, id: string, more = {}) => ({
    ...{ applicationId: name, applicationName: name, tenantId: 'home', kind: 'application', people: 0 },
    ...{ permissions: [{ resource: settings.catalogue.own.id, id, by: 'administrator' }], ...more },
  })
  const use = { value: [{ plan: 'free', applications: 3 }], unassigned: 4 }
  const server = await socketServer(join(folder, 'admin.sock'), ({ path }) => {
    if (path === '/api/v2/planUse') return { json: use }
    if (path === '/api/v2/configuration/rules') return { json: plainRules(settings) }
    if (path === '/api/v2/configuration/grants')
      return { json: { value: [grant('writer', 'write')], nextLink: '/api/v2/configuration/grants?$skiptoken=x' } }
    return { json: { value: [grant('shop', 'read', { kind: 'delegated', role: 'member', people: 12 })] } }
  })
  t.teardown(server.close)
  const argv = ['--socket', join(folder, 'admin.sock')]
  const ran = await runCommand(['diff', 'b.yaml', ...argv], { cwd: folder })
  t.equal(ran.code, 1, ran.err)
  t.match(ran.err, '1 call changes; 1 application for 12 people gain some')
  t.match(ran.out, /shop \(shop\) for 12 people \(member\) in tenant home\n {4}gains PUT \/things\/\*\*/)
  t.equal((await runCommand(['diff', 'a.yaml', ...argv], { cwd: folder })).code, 0, 'what runs is what the file says')
  const planned = await runCommand(['diff', 'plans.yaml', ...argv], { cwd: folder })
  t.match(planned, { code: 0, out: /plan free is new, with 3 applications on it\n[\s\S]*concurrent: none → 2/ })
  t.match(planned.err, '1 plan changes')
  const listed = await runCommand(['routes', ...argv], { cwd: folder })
  t.match(listed.out, /PUT +\/things\/\*\* +write/)
})

t.test('a reload is refused when a test of the file fails', async (t) => {
  const test = 'tests:\n  - { call: GET /open, expect: { upstream: two } }\n'
  const name = join(t.testdir({ 'a.yaml': file + test }), 'a.yaml')
  const origin = { file: name, env: {} }
  const reader = readDisk()
  const first = { ...loadConfiguration({ ...origin, reader }), origin, snapshot: reader.snapshot }
  const put: unknown[] = []
  const log = pino({ level: 'silent' })
  const { reloads: metrics } = createMetrics()
  const { reload } = createReloading({ first, put: (next) => void put.push(next), log, metrics, now: Date.now })
  writeFileSync(name, file.replace('to: two, public: true', 'to: one, public: true') + test)
  const outcome = await reload('management')
  t.match(outcome, { result: 'refused', problems: [{ line: 22, column: 5, path: 'tests[0]' }] })
  t.equal(put.length, 0)
  writeFileSync(name, file.replace('PUT: write', 'PUT: read') + test)
  t.match(await reload('file'), { result: 'reloaded', inEffect: { by: 'file', routes: Number } })
  t.equal(put.length, 1)
  t.match(await reload('management'), { result: 'unchanged', inEffect: { by: 'file' } }, 'who was first is said')
})

t.test('explain without a server says what a file would decide', async (t) => {
  const explain = (...argv: string[]) => run(t, ['explain', ...argv, '-c', 'a.yaml', '-o', 'json'], { 'a.yaml': file })
  const refused = await explain('put', '/things/7', '--with', 'read')
  t.match(JSON.parse(refused.out), {
    outcome: 'refused',
    status: 403,
    needs: 'write',
    route: '/things/**',
    upstream: 'one',
  })
  const allowed = await explain('GET', '/things/7/mine', '--with', 'mine,read', '--as', 'user')
  t.match(JSON.parse(allowed.out), { outcome: 'allowed', status: null, reason: 'granted' })
  t.match(JSON.parse((await explain('GET', '/things/7', '--with', 'none')).out), { status: 403, needs: 'read' })
  t.match(JSON.parse((await explain('GET', '/nothing', '--with', 'read')).out), { status: 404, route: null })
})
