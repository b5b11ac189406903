// Routes to MCP servers held against the servers that run: what the file does not name, what it names in vain, and
// servers that say nothing.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { compareMcp } from '../../../src/cli/mcp/comparison.js'
import { type ListingServerOptions, listingMcpServer } from '../../support/mcp/listing-server.js'
import { runCommand } from '../../support/rooms/cli.js'

const nobody = 'http://127.0.0.1:1'

interface Target {
  target: string
  /** Of the upstream's paths, where they are other ones. */
  more?: string
  mcp?: string
}

function configured(t: Test, targets: Readonly<Record<string, Target>>): string {
  const all = Object.entries(targets)
  return t.testdir({
    'portcullis.yaml': `version: 1
resources:
${all
  .map(
    ([name]) =>
      `  ${name}: { id: "https://localhost:8443/${name}/mcp", name: ${name}, permissions: { "${name}.read": { describe: Read } } }`,
  )
  .join('\n')}
upstreams:
${all.map(([name, { target }]) => `  ${name}: { target: "${target}" }`).join('\n')}
routes:
${all
  .map(
    ([name, { more = '', mcp = '' }]) =>
      `  /${name}/mcp: { to: ${name}, resource: ${name}, ${more}mcp: { first: ${name}.read${mcp} } }`,
  )
  .join('\n')}
`,
  })
}

const check = (cwd: string, ...words: string[]) =>
  runCommand(['mcp', 'check', '-c', 'portcullis.yaml', ...words], { cwd })

const desk: ListingServerOptions = {
  tools: [{ name: 'list_tickets' }, { name: 'drop_everything' }],
  prompts: ['greet', 'unnamed'],
  resources: ['desk://about', 'desk://tickets/1', 'desk://x/../y'],
  templates: ['desk://users/{id}'],
}
const moved = 'rewrite: { from: /desk/mcp, to: /mcp }, '
const part =
  ', tools: { list_tickets: desk.read, gone: desk.read }, prompts: { greet: desk.read, old: desk.read }, resources: { "desk://tickets/{id}": desk.read, "desk://users/7": desk.read, "desk://other": desk.read }'

t.test('what either side does not have is said, and scripts hear of it by the exit code', async (t) => {
  for (const era of ['modern', 'legacy'] as const) {
    const { origin } = await listingMcpServer(t, { ...desk, era })
    const cwd = configured(t, { desk: { target: origin, more: moved, mcp: part } })
    const { code, out, err } = await check(cwd)
    t.equal(code, 1, era)
    t.same(
      out
        .trim()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
      [
        ['ROUTE', 'KIND', 'NAME', 'FINDING'],
        ['/desk/mcp', 'tool', 'drop_everything', 'not in the file'],
        ['/desk/mcp', 'tool', 'gone', 'not on the server'],
        ['/desk/mcp', 'prompt', 'unnamed', 'not in the file'],
        ['/desk/mcp', 'prompt', 'old', 'not on the server'],
        ['/desk/mcp', 'resource', 'desk://users/{id}', 'not in the file'],
        ['/desk/mcp', 'resource', 'desk://about', 'not in the file'],
        ['/desk/mcp', 'resource', 'desk://x/../y', 'cannot be named in the file'],
        ['/desk/mcp', 'resource', 'desk://other', 'not on the server'],
      ],
    )
    t.match(err, '5 not in the file, refused to everybody; 3 not on the server')
  }
})

t.test('a file and a server that say the same end with 0', async (t) => {
  const { origin, url } = await listingMcpServer(t, { tools: [{ name: 'list_tickets' }] })
  const mcp = ', tools: { list_tickets: desk.read }'
  const cwd = configured(t, { desk: { target: origin, more: moved, mcp } })
  t.match(await check(cwd), { code: 0, out: '', err: '1 server is as the file says.' })
  t.match(await check(cwd, '/desk/mcp'), { code: 0 })
  t.match(await check(cwd, '/desk/mcp', '--at', url), { code: 0 })
  const json = await check(cwd, '-o', 'json')
  t.same(JSON.parse(json.out), { value: [{ route: '/desk/mcp', server: url, findings: [], error: null }] })
  const listed = await listingMcpServer(t, { tools: [{ name: 'list_tickets' }] })
  const proposed = await runCommand(['mcp', 'list', listed.url, '--name', 'desk'], { cwd })
  const folder = t.testdir({ 'portcullis.yaml': proposed.out })
  t.match(await check(folder), { code: 0 }, 'what is proposed is what runs')
})

t.test('a base path and a Unix socket are the ones that the gate asks', async (t) => {
  const { origin } = await listingMcpServer(t)
  const below = configured(t, { desk: { target: `${origin}/mcp`, more: 'strip: /desk/mcp, ' } })
  const refused = await check(below)
  t.match(refused, { code: 1, err: /\/mcp\/ did not answer initialize/ }, 'strip leaves a slash')
  // Short: the path of a socket is.
  const folder = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const socket = join(folder, 's')
  const server = createServer((_request, response) => response.writeHead(401).end())
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  const cwd = t.testdir({
    'portcullis.yaml': `resources: { desk: { id: "https://a.example", name: Desk, permissions: { r: { describe: R } } } }
upstreams: { desk: { target: "unix:${socket}" } }
routes: { /desk/mcp: { to: desk, resource: desk, mcp: { first: r } } }
`,
  })
  t.match(await check(cwd), { code: 4, err: /\/desk\/mcp wants to know who asks/ })
})

t.test('of several servers one that cannot be read does not keep the others from being told', async (t) => {
  const { origin } = await listingMcpServer(t, desk)
  const wanting = await listingMcpServer(t, { wants: 'Bearer x' })
  const cwd = configured(t, {
    away: { target: nobody },
    desk: { target: origin, more: moved, mcp: part },
    wanting: { target: wanting.origin },
  })
  const all = await check(cwd)
  t.match(all, { code: 5, out: /drop_everything/, err: /127\.0\.0\.1:1\/away\/mcp cannot be reached/ })
  t.match(all.err, /wants to know who asks/, 'each one is told')
  const json = JSON.parse((await check(cwd, '-o', 'json')).out)
  t.match(json.value, [
    { route: '/away/mcp', error: /cannot be reached/ },
    { route: '/desk/mcp', error: null },
    { route: '/wanting/mcp', error: /who asks/ },
  ])
  t.match(await check(cwd, '/desk/mcp'), { code: 1 })
})

t.test('a route that is none, a service that is none, and a wrong file are told', async (t) => {
  const cwd = configured(t, { desk: { target: nobody }, other: { target: nobody } })
  const refused = async (words: string[], code: number, err: RegExp) =>
    t.match(await check(cwd, ...words), { code, err })
  await refused(
    ['/dusk/mcp'],
    3,
    /no route with mcp: has the path \/dusk\/mcp; these have one: \/desk\/mcp, \/other\/mcp/,
  )
  await refused(['--at', 'http://127.0.0.1:1/mcp'], 2, /say which route --at is for/)
  await refused(['/desk/mcp', '--at', 'nowhere'], 2, /no address of an MCP server/)
  const none = t.testdir({ 'portcullis.yaml': 'version: 1\n' })
  t.match(await check(none), { code: 3, err: /no route of the configuration says mcp:/ })
  const wrong = t.testdir({ 'portcullis.yaml': 'routes: { /x: {} }\n' })
  t.match(await check(wrong), { code: 2, err: /the configuration is wrong/ })
  const bundled = configured(t, { desk: { target: 'builtin:backend' } })
  t.match(await check(bundled), { code: 2, err: /bundled service, which is no MCP server/ })
})

t.test('a URI is there when a template of the other side means it', (t) => {
  const needs = { needs: { anyOf: [['r']] } }
  const of = (names: readonly string[]) => new Map(names.map((name) => [name, needs]))
  const compared = (inFile: readonly string[], resources: readonly string[], templates: readonly string[]) =>
    compareMcp(
      { tools: of([]), prompts: of([]), resources: of(inFile) },
      { tools: [], prompts: [], resources, templates },
    )
  t.same(compared(['a://x/{id}'], ['a://x/1', 'a://x/2'], []), [])
  t.same(compared(['a://x/1'], [], ['a://x/{id}']), [
    { kind: 'resource', name: 'a://x/{id}', problem: 'not in the file' },
  ])
  t.same(compared(['a://x/{id}'], [], ['a://x/{name}']), [
    { kind: 'resource', name: 'a://x/{name}', problem: 'not in the file' },
    { kind: 'resource', name: 'a://x/{id}', problem: 'not on the server' },
  ])
  t.same(compared([], [], ['a://x{?q}']), [
    { kind: 'resource', name: 'a://x{?q}', problem: 'cannot be named in the file' },
  ])
  t.end()
})
