// Operations of MCP servers in the tests of a file and in questions about one, without a server.

import t, { type Test } from 'tap'
import { commandsAgainst, runCommand } from '../../support/rooms/cli.js'
import { documentedBlock } from '../../support/settings/documentation.js'

const file = `version: 1
resources:
  desk:
    id: https://localhost:8443/desk/mcp
    name: Help desk
    permissions: { desk.read: { describe: R }, desk.write: { describe: W, covers: [desk.read] } }
upstreams: { desk: { target: "http://127.0.0.1:1" } }
limits: { slow: { by: application, quota: 20/1h } }
routes:
  /desk/mcp:
    to: desk
    resource: desk
    limits: []
    mcp:
      first: desk.read
      tools: { list_tickets: desk.read, close_ticket: { needs: desk.write, limits: [slow] } }
      prompts: { greet: desk.read }
      resources: { "desk://tickets/{id}": desk.write }
  POST /plain: { to: desk, resource: desk, require: desk.read }
`

const run = (t: Test, argv: readonly string[], text: string) => runCommand(argv, { cwd: t.testdir({ 'a.yaml': text }) })

t.test('a test of a file is about a tool, a prompt or a resource, by the code of the gate', async (t) => {
  const good = `tests:
  - { call: POST /desk/mcp, tool: close_ticket, with: [desk.read], expect: { needs: desk.write } }
  - { call: POST /desk/mcp, tool: close_ticket, with: [desk.write], expect: { upstream: desk, limits: [slow], route: /desk/mcp } }
  - { call: POST /desk/mcp, tool: close_ticket, with: [desk.write], as: user, expect: { upstream: desk } }
  - { call: POST /desk/mcp, tool: close_ticket, with: [], expect: { needs: desk.read } }
  - { call: POST /desk/mcp, tool: close_ticket, expect: { status: 401 } }
  - { call: POST /desk/mcp, tool: drop_everything, with: [desk.write], expect: { status: 404 } }
  - { call: POST /desk/mcp, prompt: greet, with: [desk.read], expect: { upstream: desk, limits: [] } }
  - { call: POST /desk/mcp, uri: "desk://tickets/7", with: [desk.read], expect: { needs: desk.write } }
  - { call: POST /desk/mcp, uri: "desk://tickets/../7", with: [desk.write], expect: { status: 404 } }
  - { call: POST /desk/mcp, with: [desk.read], expect: { upstream: desk } }
  - { call: GET /desk/mcp, with: [desk.read], expect: { upstream: desk } }
`
  const ran = await run(t, ['test', 'a.yaml'], file + good)
  t.match(ran, { code: 0, err: 'all 11 tests passed' }, ran.out)
  t.match(
    ran.out,
    /pass .*a\.yaml:21:5 POST \/desk\/mcp tool close_ticket with desk\.read: 403 for lack of desk\.write/,
  )
  const wrong = `tests:
  - { call: POST /desk/mcp, tool: close_ticket, with: [desk.read], expect: { upstream: desk } }
  - { call: POST /plain, tool: close_ticket, with: [desk.read], expect: { upstream: desk } }
`
  const failed = await run(t, ['test', 'a.yaml', '-o', 'json'], file + wrong)
  t.equal(failed.code, 1)
  t.match(JSON.parse(failed.out), [
    {
      call: 'POST /desk/mcp',
      operation: { kind: 'tool', name: 'close_ticket' },
      passed: false,
      found:
        /403 \(insufficient_scope, for lack of desk.write \(application\)\) by "\/desk\/mcp tools\/call:close_ticket"/,
    },
    { passed: false, found: /400 \(no_mcp_server\)/ },
  ])
  const checked = await run(t, ['check', 'a.yaml'], file + wrong)
  t.match(checked, {
    code: 2,
    out: /tests\[0\]: POST \/desk\/mcp tool close_ticket must be allowed to desk; it is 403/,
  })
})

t.test('the test that the documentation shows passes', async (t) => {
  const documented = String(documentedBlock('tool: close_ticket'))
  t.match(await run(t, ['test', 'a.yaml'], file + documented), { code: 0, err: 'all 1 tests passed' })
})

t.test('a test that is about two things, or sent otherwise, is a mistake', async (t) => {
  const mistakes = `tests:
  - { call: POST /desk/mcp, tool: a, prompt: b, expect: { status: 404 } }
  - { call: GET /desk/mcp, uri: "desk://a", expect: { status: 404 } }
  - { call: POST /desk/mcp, tool: "\\u0007", expect: { status: 404 } }
`
  const ran = await run(t, ['test', 'a.yaml'], file + mistakes)
  t.equal(ran.code, 2)
  t.match(ran.err, /21:38 tests\[0\]\.prompt: stands beside tool: a message is about one of them/)
  t.match(ran.err, /tests\[1\]\.call: must be POST and the path of the MCP server, because uri is said/)
  t.match(ran.err, /tests\[2\]\.tool: /)
})

t.test('explain without a server takes a tool, a prompt or a resource', async (t) => {
  const explain = (...argv: string[]) =>
    run(t, ['explain', 'POST', '/desk/mcp', ...argv, '-c', 'a.yaml', '-o', 'json'], file)
  const refused = await explain('--tool', 'close_ticket', '--with', 'desk.read')
  t.match(JSON.parse(refused.out), {
    outcome: 'refused',
    status: 403,
    needs: 'desk.write',
    route: '/desk/mcp tools/call:close_ticket',
    limits: ['slow'],
  })
  const allowed = await explain('--resource', 'desk://tickets/7', '--with', 'desk.write', '--as', 'user')
  t.match(JSON.parse(allowed.out), { outcome: 'allowed', upstream: 'desk' })
  t.match(JSON.parse((await explain('--prompt', 'nobody', '--with', 'desk.write')).out), { reason: 'mcp_unknown' })
  t.match(await explain('--tool', 'a', '--prompt', 'b', '--with', 'none'), {
    code: 2,
    err: /a message is about one thing/,
  })
  t.match(await explain('--tool', '\u0007', '--with', 'none'), { code: 2, err: /could name this tool/ })
  const plain = ['explain', 'POST', '/plain', '--tool', 'a', '--with', 'desk.read', '-c', 'a.yaml']
  t.match(await run(t, plain, file), { code: 2, err: /leads to no MCP server/ })
})

t.test('explain tells the server what a message would be about', async (t) => {
  const decision = { reason: 'no_mcp_server', message: 'The route leads to no MCP server: ask otherwise.' }
  const { run: command, requests } = await commandsAgainst(t, { 'POST /api/v2/explain': { decision } })
  for (const [option, name, field] of [
    ['--tool', 'close_ticket', 'tool'],
    ['--prompt', 'greet', 'prompt'],
    ['--resource', 'desk://tickets/7', 'uri'],
  ] as const) {
    const answered = await command(`explain POST /desk/mcp ${option} ${name} --app reports`)
    t.match(answered, { code: 2, err: /leads to no MCP server/ }, 'which is no question then')
    t.same(requests.at(-1)?.body, { method: 'POST', path: '/desk/mcp', [field]: name, applicationId: 'reports' })
  }
})
