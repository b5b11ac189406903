// `logs tail` against a stand-in for the server: the lists as one, and what comes while it follows.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { apiError, runCommand, type SocketAnswer, socketServer } from '../support/rooms/cli.js'

const applicationId = '7a1c1c3e-0000-4000-8000-0000000000aa'
const facts = { tenantId: null, applicationId, userId: null, requestId: null, address: null, details: {} }
const event = (position: number, at: string) => ({
  position,
  at,
  event: `done.${position}`,
  ...facts,
  actor: {},
  mac: 'm',
})
const failure = (id: string, at: string) => ({ id, at, event: `failed.${id}`, ...facts, address: '192.0.2.1' })

async function build(t: Test, lists: (list: string, time: number) => SocketAnswer | 'hang up') {
  // A socket's path has room for 103 bytes, and tap's own folders are named after the whole test.
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const times = new Map<string, number>()
  const server = await socketServer(join(cwd, 'admin.sock'), ({ path }) => {
    const list = path.replace('/api/v2', '').replace(/\?.*/, '')
    if (list === '/applications/hello') return { json: { applicationId } }
    times.set(list, (times.get(list) ?? 0) + 1)
    return lists(list, times.get(list) ?? 0)
  })
  t.teardown(() => server.close())
  const run = (line: string) => runCommand(line.split(' '), { cwd, env: { PORTCULLIS_SOCKET: 'admin.sock' } })
  return { run, requests: server.requests }
}

t.test('tail shows both lists as one, oldest first, and no more than requested', async (t) => {
  const { run, requests } = await build(t, (list) => ({
    json: {
      value:
        list === '/auditEvents'
          ? [event(2, '2026-01-01T00:00:03.000Z'), event(1, '2026-01-01T00:00:01.000Z')]
          : [failure('b', '2026-01-01T00:00:02.000Z')],
    },
  }))
  const { code, out } = await run('logs tail -n 2')
  t.equal(code, 0)
  t.match(
    out,
    /^2026-01-01T00:00:02\.000Z {2}failed\.b .* from 192\.0\.2\.1\n2026-01-01T00:00:03\.000Z {2}done\.2 .*\n$/,
  )
  t.same(requests.map(({ path }) => path).sort(), ['/api/v2/activity?%24top=200', '/api/v2/auditEvents?%24top=200'])
  const lines = (await run('logs tail -o json')).out
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one))
  t.match(lines, [
    { source: 'ledger', id: '1' },
    { source: 'activity', id: 'b' },
    { source: 'ledger', id: '2' },
  ])
  t.equal((await run('logs tail -n none')).code, 2)
  t.equal((await run('logs')).code, 2)
})

t.test('of one application also its decisions; of the three lists those that its developer may read', async (t) => {
  const decision = {
    ...{ at: '2026-01-01T00:00:05.000Z', what: 'call', outcome: 'refused', reason: 'no_permission', requestId: 'r-1' },
    ...{ id: 'd-1', method: 'GET', route: 'GET /api/v2/me', permissions: ['User.Read.All'] },
  }
  const { run } = await build(t, (list) => ({ json: { value: list.startsWith('/applications/') ? [decision] : [] } }))
  t.match(
    (await run('logs tail --app hello')).out,
    /call refused .*GET {2}GET \/api\/v2\/me {2}no_permission {2}permission User\.Read\.All {2}request r-1\n$/,
  )
  const forbidden = apiError(403, 'Forbidden', 'not yours')
  const developer = await build(t, (list) =>
    list.startsWith('/applications/') ? { json: { value: [decision] } } : forbidden,
  )
  const shown = await developer.run('logs tail --app hello')
  t.match(shown, { code: 0, out: /call refused/, err: /What was done is for administrators: not shown/ })
  const denied = await build(t, () => forbidden)
  t.match(await denied.run('logs tail'), { code: 4, err: /not yours/ })
})

t.test('--follow goes on with what comes, each once, until the server is gone', async (t) => {
  const all = [1, 2, 3, 4].map((position) => event(position, `2026-01-01T00:00:0${position}.000Z`)).reverse()
  const { run } = await build(t, (list, time) => {
    if (time === 3) return 'hang up'
    return { json: { value: list === '/activity' ? [] : time === 1 ? all.slice(2) : all } }
  })
  const { code, out } = await run('logs tail -n 1 --follow --every 1s')
  t.equal(code, 5)
  t.same(
    out
      .trim()
      .split('\n')
      .map((one) => one.split(/ +/)[1]),
    ['done.2', 'done.3', 'done.4'],
  )
})
