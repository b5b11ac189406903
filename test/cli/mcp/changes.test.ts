// `portcullis mcp changes` and `mcp approve`: what they print, when they ask, what they send.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { apiError, runCommand, socketServer } from '../../support/rooms/cli.js'

const digest = 'd'.repeat(43)
const change = {
  ...{ id: 'c1', route: '/desk/mcp', tool: 'close_ticket', held: true, changedAt: '2026-11-28T10:00:00.000Z', digest },
  ...{ approvedDigest: 'a'.repeat(43), approvedAt: '2026-11-01T10:00:00.000Z', approvedBy: null },
}
const difference = [
  { kind: 'same', text: 'description:' },
  { kind: 'removed', text: '  Closes a ticket.' },
  { kind: 'added', text: '  Closes it.\u001b[2J' },
]

async function open(t: Test, shown: unknown = difference) {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-cli-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const answers: Record<string, object> = {
    'GET /api/v2/toolChanges': { value: [change] },
    'GET /api/v2/toolChanges/c1': { ...change, difference: shown },
    'POST /api/v2/toolChanges/c1/approve': { route: '/desk/mcp', tool: 'close_ticket', digest },
  }
  const server = await socketServer(join(folder, 'admin.sock'), ({ method, path }) => {
    const json = answers[`${method} ${path}`]
    return json === undefined ? apiError(404, 'NotFound', `nothing at ${path}`) : { json }
  })
  t.teardown(() => server.close())
  const env = { PORTCULLIS_SOCKET: 'admin.sock' }
  const run = (args: readonly string[], more = {}) => runCommand(['mcp', ...args], { cwd: folder, env, ...more })
  const sent = () => server.requests.filter(({ method }) => method !== 'GET')
  return { run, sent }
}

t.test('issue 16: changed tools are listed, also as JSON', async (t) => {
  const { run } = await open(t)
  const { out } = await run(['changes'])
  t.match(out, /^ROUTE +TOOL +STATE/)
  t.match(out, /\/desk\/mcp +close_ticket +held/)
  t.same(JSON.parse((await run(['changes', '--output', 'json'])).out), { value: [change] })
})

t.test('issue 16: the difference is shown before the question, and what was shown is approved', async (t) => {
  const { run, sent } = await open(t)
  const approved = await run(['approve', '/desk/mcp', 'close_ticket'], { answer: 'y' })
  t.equal(approved.code, 0)
  t.match(
    approved.err,
    /- {3}Closes a ticket\.\n\+ {3}Closes it\.\\u\{1b\}\[2J\n.*Approve the new definition of close_ticket\?/s,
  )
  t.match(sent(), [{ path: '/api/v2/toolChanges/c1/approve', body: { digest } }])
  t.equal((await run(['approve', '/desk/mcp', 'close_ticket', '--yes'])).code, 0)
  t.equal(sent().length, 2)
})

t.test('issue 16: nothing is sent where nobody says yes, or nothing waits', async (t) => {
  const { run, sent } = await open(t, null)
  const no = await run(['approve', '/desk/mcp', 'close_ticket'], { answer: 'n' })
  t.not(no.code, 0)
  t.match(no.err, /larger than 64 KiB/)
  t.match(await run(['approve', '/desk/mcp', 'close_ticket']), { code: 2, err: /say --yes/ })
  t.match(await run(['approve', '/desk/mcp', 'other']), { err: /no change of the tool other .*mcp changes/ })
  t.same(sent(), [])
})
