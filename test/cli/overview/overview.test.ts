// The overview on a terminal: the numbers of the portal's first page within 80 columns; and who calls what, again and
// again.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { sparkline } from '../../../src/cli/commands/overview/sparkline.js'
import { displayWidth } from '../../../src/cli/output/display-width.js'
import { apiError, runCommand, type SocketAnswer, socketServer } from '../../support/rooms/cli.js'

const nowMs = Date.parse('2026-11-23T12:00:00Z')
const line = (key: string, name: string | null, allowed: number, more: object = {}) => ({
  ...{ key, allowed, refused: { permission: 1, limit: 2, token: 0 }, errors: { client: 0, server: 3 } },
  ...(name === '' ? {} : { applicationId: '11111111-1111-4111-8111-111111111111', name }),
  ...more,
})
const usage = { applicationId: null, tenantId: null, from: '', to: '', slotSeconds: 900, complete: true }
const requests = { requests: 1234, clientErrors: 30, serviceErrors: 4, ownErrors: 1, p50Ms: 4.5, p95Ms: 123.4 }
const answers: Record<string, SocketAnswer['json']> = {
  'usage?by=time': { ...usage, by: 'time', value: [line('2026-11-23T11:00:00.000Z', '', 5), line('b', '', 0)] },
  'usage?by=route,application': {
    ...{ ...usage, by: 'route,application' },
    value: [
      line('GET /posts/{id}/comments/{comment}', 'A rather long name of an application', 7),
      line('_other', null, 1),
    ],
  },
  'overview/applications': {
    ...{ enabled: 12, disabled: 1, owned: [] },
    endingSecrets: {
      count: 4,
      value: ['Nightly\u001b[31m', 'Travel desk of the whole of the organisation', 'Third', 'Fourth'].map((name) => ({
        ...{ applicationId: '1', name, keyId: '2', label: '', replaced: false, endsAt: '2026-11-26T12:00:00.000Z' },
      })),
    },
    waitingForConsent: { count: 0, value: [] },
  },
  'overview/unusedPermissions': {
    ...{ unusedAfterSeconds: 1, count: 1, value: [{ applicationId: '1', name: 'Idle', permissions: 2 }] },
  },
  'overview/people': {
    people: 9,
    ...{
      invitations: 0,
      withoutSecondFactor: { count: 1, value: [{ userId: '1', name: '', email: 'a@b.test', role: 'owner' }] },
    },
  },
  'overview/signIns': { from: '', to: '', slotSeconds: 900, count: 17, value: [], people: [] },
  'overview/server': {
    ...{ from: '', to: '', slotSeconds: 900, complete: true, ...requests, value: [], routes: [], refused: [] },
    ...{ limited: [{ name: 'few', count: 3 }], signIns: [], tokens: [], certificateEndsAt: '2026-12-03T12:00:00.000Z' },
    events: { waiting: 2, oldestAt: null, deadLetters: 1 },
  },
  status: {
    targets: [{ upstream: 'posts', target: 'http://127.0.0.1:8601', state: 'failing', since: null }],
    ...{ instances: [{}, {}], viewStale: false, viewAgeMs: 310 },
  },
}

async function open(t: Test, denied: readonly string[] = []) {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const seen: string[] = []
  const server = await socketServer(join(cwd, 'admin.sock'), ({ path }) => {
    const { pathname, searchParams } = new URL(path, 'http://x')
    const name = pathname.slice('/api/v2/'.length)
    seen.push(path)
    if (denied.includes(name)) return apiError(403, 'RoleRequired', 'This needs another role.')
    const by = searchParams.get('by')
    const json = answers[by === null ? name : `${name}?by=${by}`]
    return json === undefined ? apiError(404, 'NotFound', path) : { json }
  })
  t.teardown(() => server.close())
  const env = { PORTCULLIS_SOCKET: 'admin.sock' }
  const run = (more: { width?: number; interactive?: boolean }, ...argv: string[]) =>
    runCommand(argv, { cwd, env, now: nowMs, ...more })
  return { run, seen }
}

t.test('the overview, within the columns of the terminal', async (t) => {
  const { run, seen } = await open(t)
  const { code, out, err } = await run({}, 'overview', '--last', '24h')
  t.same({ code, err }, { code: 0, err: '' })
  for (const expected of [
    'calls               11, 6 refused, 6 failed',
    'applications        12 enabled, 1 disabled',
    'wait for consent    none',
    'unused permissions  1: Idle (2)',
    'failed sign-ins     17',
    'no second factor    1: a@b.test (owner) of 9',
    'requests            1,234, 5 with 5xx, 30 with 4xx',
    'latency             half within 4.5 ms, 95 of 100 within 123 ms',
    'limits reached      few 3',
    'certificate         ends in 10 d',
    'events              2 wait, 1 could not be delivered',
    'targets             1 down: posts at http://127.0.0.1:8601',
    'instances           2, revocations certain 0.3 s ago',
  ]) {
    t.ok(out.split('\n').includes(expected), `${expected}\n${out}`)
  }
  t.match(out, 'secrets that end    4: Nightly\\u{1b}[31m in 3 d')
  t.match(out, /others\s+11111111-1111-4111-8111-111111111111/, 'one that is gone has its identifier')
  t.ok(seen.some((path) => path.includes('/overview/server?last=24h')))
  const narrow = await run({ width: 80, interactive: true }, 'overview')
  for (const each of narrow.out.split('\n')) t.ok(displayWidth(each) <= 80, each)
  const json = JSON.parse((await run({}, 'overview', '-o', 'json')).out)
  t.same(json.signIns.count, 17)
})

t.test('what the caller may not see is left out, and said', async (t) => {
  const { run } = await open(t, ['overview/server', 'status', 'overview/people', 'overview/signIns'])
  const { code, out, err } = await run({}, 'overview')
  t.equal(code, 0)
  t.match(err, 'Not shown, because you may not see it: people, sign-ins, the server.')
  t.match(out, /^calls/)
  t.notMatch(out, 'requests')
  const json = JSON.parse((await run({}, 'overview', '-o', 'json')).out)
  t.equal(json.server, null)
})

t.test('top: once in a pipe, again and again on a terminal, most first', async (t) => {
  const { run, seen } = await open(t)
  const once = await run({}, 'top')
  t.same({ code: once.code, err: once.err }, { code: 0, err: '' })
  t.match(once.out, /^ROUTE\s+APPLICATION\s+CALLS\s+REFUSED\s+ERRORS\nGET \/posts.*\s10\s+3\s+3\nothers/)
  t.equal(seen.length, 1)
  const live = await run({ width: 80, interactive: true }, 'top', '--count', '2', '--every', '1s', '-n', '1')
  const screens = live.out.split('\u001b[H\u001b[2J').slice(1)
  t.equal(screens.length, 2)
  t.match(screens[0], /^14 calls in the last hour\. Ctrl\+C ends\./)
  t.match(screens[1], /14 calls in the last hour, 0\.0 in a second now/)
  t.match(screens[1], /PER S/)
  for (const each of screens.join('').split('\n')) t.ok(displayWidth(each) <= 80, each)
  t.equal((await run({}, 'top', '-n', '0')).code, 2)
  t.equal((await run({}, 'top', '-n', '1', '-o', 'json')).out.includes('_other'), false)
})

t.test('a row of bars', async (t) => {
  t.equal(sparkline([0, 1, 4, 8]), '▁▁▄█')
  t.equal(sparkline([]), '')
  t.equal(sparkline(Array.from({ length: 96 }, () => 1)), '█'.repeat(48))
})
