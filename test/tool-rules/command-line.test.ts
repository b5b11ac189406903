// `portcullis mcp rules …` against a stand-in for the server: what it sends, what it prints.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { runCommand, socketServer } from '../support/rooms/cli.js'
import { documentedBlock } from '../support/settings/documentation.js'

const tenantId = '7a1c1c3e-0000-4000-8000-00000000000a'
const line = { route: '/desk/mcp', resource: 'https://gate.example/desk/mcp', needs: [['desk.write', 'desk.purge']] }
const value = [
  { ...line, tool: 'close', rule: 'second_factor', floor: 'allowed' },
  { ...line, tool: 'find', rule: 'allowed', floor: 'approval' },
]
const unknownTool = { error: { code: 'UnknownTool', message: 'GET this address.', target: 'rules' } }
const sent: { method: string; path: string; body: unknown }[] = []
const cwd = mkdtempSync(join(tmpdir(), 'portcullis-rules-'))
t.teardown(() => rmSync(cwd, { recursive: true }))
const server = await socketServer(join(cwd, 'admin.sock'), ({ method, path: full, body }) => {
  const path = full.replace('/api/v2', '')
  if (path === '/tenants') return { json: { value: ['Acme', 'Contoso'].map((name) => ({ tenantId, name })) } }
  sent.push({ method, path, body })
  if (method === 'PATCH' && JSON.stringify(body).includes('"wrong')) return { status: 400, json: unknownTool }
  return { json: { tenantId, value } }
})
t.teardown(() => server.close())
const run = (words: string[]) =>
  runCommand(['mcp', 'rules', ...words], { cwd, env: { PORTCULLIS_SOCKET: 'admin.sock' } })

t.test('rules are listed, and set for several tools at once', async (t) => {
  const listed = await run(['list', 'Acme'])
  t.match(listed.out, /ROUTE\s+TOOL\s+NEEDS\s+FILE\s+TENANT/)
  t.match(listed.out, /\/desk\/mcp\s+find\s+desk\.write and desk\.purge\s+approval\s+allowed/)
  const set = await run(['set', 'Acme', '/desk/mcp', 'second-factor', 'close', 'merge'])
  const rules = ['close', 'merge'].map((tool) => ({ route: '/desk/mcp', tool, rule: 'second_factor' }))
  t.same(sent.at(-1), { method: 'PATCH', path: `/tenants/${tenantId}/toolRules`, body: { rules } })
  t.match(set.out, /close.*second-factor/)
  t.notMatch(set.out, 'find', 'only what was changed')
  t.match(JSON.parse((await run(['list', tenantId, '-o', 'json'])).out), { value: [{ tool: 'close' }, {}] })
})

t.test('the documented commands do what they say', async (t) => {
  const lines = (documentedBlock('mcp rules set Contoso') ?? '').split('\n').filter((text) => text !== '')
  t.equal(lines.length, 4)
  for (const text of lines) {
    const { code, err } = await run(text.replace('portcullis mcp rules ', '').split(' '))
    t.equal(code, 0, `${text}: ${err}`)
  }
  t.match(sent.at(-1)?.body, { rules: [{ route: '/desk/mcp', tool: 'close_ticket', rule: 'allowed' }] })
})

t.test('what is no rule is not sent', async (t) => {
  const before = sent.length
  const wrong = await run(['set', 'Acme', '/desk/mcp', 'second', 'close'])
  t.not(wrong.code, 0)
  t.match(wrong.err, /allowed, approval, second-factor, never/)
  t.not((await run(['set', 'Acme', '/desk/mcp', 'never'])).code, 0, 'no tools')
  t.equal(sent.length, before)
})

t.test('a rule may be typed as the file writes it', async (t) => {
  t.match(await run(['set', 'Acme', '/desk/mcp', 'second_factor', 'close']), { code: 0 })
  t.match(sent.at(-1)?.body, { rules: [{ tool: 'close', rule: 'second_factor' }] })
})

t.test('a tool or a route that the file does not name is answered with the nearest one', async (t) => {
  const refused = (words: string[]) => run(['set', 'Acme', ...words])
  t.match(await refused(['/desk/mcp', 'never', 'close', 'wrong']), {
    code: 3,
    err: /no tool "wrong".*See: .*rules list/,
  })
  const near = await refused(['/deks/mcp', 'never', 'wrong'])
  t.match(near, { code: 3, err: /no route with tools "\/deks\/mcp"\. The nearest is "\/desk\/mcp"/ })
  t.match(await refused(['/desk/mcp', 'allowed', 'gone']), { code: 0, err: /No rule is left for it/ })
})
