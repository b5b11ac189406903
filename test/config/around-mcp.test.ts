// Routes that lead around a route with `mcp`: the file says which, and how to close them.

import t from 'tap'
import { runCommand } from '../support/rooms/cli.js'
import { settingsFrom } from '../support/settings/config-file.js'

const base = `server: { baseUrl: "https://gate.example.com" }
permissions: { A: { describe: A } }
resources:
  desk: { id: "https://gate.example.com/desk/mcp", name: Help desk, permissions: { read: { describe: Read } } }
defaults: { limits: [], tokenLimits: [] }
upstreams:
  desk: { target: "http://desk:3000" }
  twin: { targets: ["http://other:1", "http://desk:3000"] }
  below: { target: "http://desk:3000/desk" }
  elsewhere: { target: "http://desk:3001" }
  near: { target: "http://localhost:3002" }
  here: { target: "http://127.0.0.1:3002" }
  socket: { target: "unix:/run/desk.sock" }
  same: { target: "unix:/run/desk.sock:/desk" }
`
const judged = (key: string, more: string) => `  ${key}: { resource: desk, mcp: { first: read }, ${more} }\n`
const desk = judged('/desk/mcp', 'to: desk')

function warned(t: Parameters<typeof settingsFrom>[0], routes: string): string[] {
  const { warnings } = settingsFrom(t, `${base}routes:\n${routes}`)
  // Several servers have one resource here.
  const about = warnings.filter(({ message }) => !message.includes('not its address'))
  return about.map(({ path, message }) => `${path}: ${message}`)
}

t.test('a route without mcp to the same path of the same server is warned of, with both names', (t) => {
  const [warning, ...more] = warned(
    t,
    `${desk}  POST /raw: { to: desk, require: A, rewrite: { from: /raw, to: /desk/mcp } }\n`,
  )
  t.equal(
    warning,
    'routes["POST /raw"]: "POST /raw" has no mcp and leads to the same MCP server as "/desk/mcp": by POST, tools are called ' +
      'there without the rules of "/desk/mcp"; remove this route, narrow its path or its methods, or give it mcp too',
  )
  t.same(more, [])
  t.end()
})

t.test('G5 whatever leads around the rules of an MCP route is found', (t) => {
  const open: readonly (readonly [string, string])[] = [
    ['POST /raw/**', 'to: desk, strip: /raw'],
    ['POST /raw/{any}/mcp', 'to: desk, strip: /raw'],
    ['POST /raw/DESK/MCP', 'to: desk, strip: /raw'],
    ['POST /Desk/mcp', 'to: desk'],
    ['POST /raw/desk/mcp/**', 'to: desk, strip: /raw'],
    ['POST /raw/**', 'to: desk, rewrite: { from: /raw, to: /desk/mcp }'],
    ['POST /raw/**', 'to: desk, rewrite: { from: /raw, to: /desk }'],
    ['POST /mcp', 'to: below'],
    ['POST /raw/{name}', 'to: below, strip: /raw'],
    ['POST /raw/**', 'to: twin, strip: /raw'],
    ['GET /raw/**', 'to: desk, strip: /raw'],
    ['DELETE /raw/**', 'to: desk, strip: /raw'],
  ]
  for (const [key, more] of open) {
    t.match(warned(t, `${desk}  ${key}: { ${more}, require: A }\n`), [/leads to the same MCP server/], `${key} ${more}`)
  }
  const near = judged('/near/mcp', 'to: near, strip: /near')
  t.match(warned(t, `${near}  POST /mcp: { to: here, public: true }\n`), [/"\/near\/mcp"/])
  const socket = judged('/desk/mcp', 'to: socket')
  t.match(warned(t, `${socket}  POST /mcp: { to: same, require: A }\n`), [/tools are called/])
  const many = judged('/servers/{name}/mcp', 'to: desk')
  t.match(warned(t, `${many}  POST /raw: { to: desk, require: A, rewrite: { from: /raw, to: /servers/one/mcp } }\n`), [
    /"\/servers\/{name}\/mcp"/,
  ])
  // Each its own way around.
  t.equal(
    warned(
      t,
      `${desk}  POST /x/**: { to: desk, strip: /x, require: A }\n  PUT,POST /y/**: { to: desk, strip: /y, require: A }\n`,
    ).length,
    2,
  )
  t.end()
})

t.test('what does not lead there is not warned of', (t) => {
  const closed: readonly (readonly [string, string])[] = [
    // The route with mcp is more specific, and takes the path first.
    ['GET,POST /desk/**', 'to: desk'],
    ['POST /desk/{two}', 'to: desk'],
    ['POST /desk/mcp/**', 'to: desk'],
    ['POST /desk/other', 'to: desk'],
    ['POST /mcp', 'to: desk'],
    ['POST /raw/**', 'to: desk, rewrite: { from: /raw, to: /raw }'],
    ['POST /raw/**', 'to: elsewhere, strip: /raw'],
    ['PUT,PATCH /raw/**', 'to: desk, strip: /raw'],
  ]
  for (const [key, more] of closed) {
    t.same(warned(t, `${desk}  ${key}: { ${more}, require: A }\n`), [], `${key} ${more}`)
  }
  t.same(warned(t, `${desk}${judged('/raw/**', 'to: desk, strip: /raw')}`), [], 'judged as well')
  const third = `  POST /raw/desk/mcp: { to: elsewhere, strip: /raw, require: A }\n`
  t.same(
    warned(t, `${desk}${third}  POST /raw/**: { to: desk, strip: /raw, require: A }\n`),
    [],
    'another route takes it',
  )
  t.end()
})

t.test('check says so, and lets the file pass', async (t) => {
  const routes = `${desk}  POST /raw/**: { to: desk, strip: /raw, require: A }\n`
  const cwd = t.testdir({ 'gate.yaml': `${base}routes:\n${routes}` })
  const { code, err } = await runCommand(['check', 'gate.yaml'], { cwd })
  t.equal(code, 0)
  t.match(err, /^warning: .*gate\.yaml:\d+:\d+ routes\["POST \/raw\/\*\*"\]: .* the same MCP server as "\/desk\/mcp"/m)
})
