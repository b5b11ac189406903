// From a running MCP server to a configuration that loads: what is proposed, what is said about the rest, and servers
// that are none.

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { nameText } from '../../../src/cli/configuration/written-text.js'
import { loadSettings } from '../../../src/config/read/load.js'
import { packageRoot } from '../../../src/config/read/package-root.js'
import { type ListingServerOptions, listingMcpServer } from '../../support/mcp/listing-server.js'
import { runCommand } from '../../support/rooms/cli.js'
import { ownCertificate } from '../../support/upstreams/own-certificate.js'

const cwd = String(packageRoot())
const list = (...words: string[]) => runCommand(['mcp', 'list', ...words], { cwd })

const desk: ListingServerOptions = {
  tools: [
    { name: 'list_tickets', annotations: { readOnlyHint: true } },
    { name: 'add_note', annotations: { readOnlyHint: false, destructiveHint: false } },
    { name: 'close_ticket', annotations: { destructiveHint: true } },
    { name: 'unsaid' },
    { name: 'both', annotations: { readOnlyHint: true, destructiveHint: true } },
  ],
  prompts: ['greet'],
  resources: ['desk://about', 'desk://Odd/../one'],
  templates: ['desk://tickets/{id}'],
}

/** Has `check` read the file, and gives what it says. */
async function checked(t: Test, text: string) {
  const folder = t.testdir({ 'portcullis.yaml': text })
  const { code, out, err } = await runCommand(['check', 'portcullis.yaml'], { cwd: folder })
  t.same([code, out], [0, ''], err)
  return loadSettings({ file: join(folder, 'portcullis.yaml'), env: {}, cwd: folder })
}

t.test('what a server has becomes a file that check accepts, by what its tools say of themselves', async (t) => {
  for (const era of ['modern', 'legacy', 'both'] as const) {
    for (const streams of [false, true]) {
      const server = await listingMcpServer(t, { ...desk, era, streams, page: 2 })
      const { code, out, err } = await list(server.url, '--base-url', 'https://gate.example')
      t.same([code, err], [0, ''], `${era}, ${streams}`)
      t.match(out, /^ {8}list_tickets: help-desk\.read$/m)
      t.match(out, /^ {8}"desk:\/\/tickets\/\{id\}": help-desk\.read$/m)
      const settings = await checked(t, out)
      const [route] = settings.routes
      t.equal(route?.path, '/help-desk/mcp')
      t.equal(route?.resource, 'https://gate.example/help-desk/mcp')
      t.same(route?.prefix, { from: '/help-desk/mcp', to: '/mcp' })
      const { mcp } = route ?? {}
      t.same(mcp?.first.anyOf, [['help-desk.read']])
      const needs = (of: ReadonlyMap<string, { needs: { anyOf: unknown } }> = new Map()) =>
        Object.fromEntries([...of].map(([name, operation]) => [name, operation.needs.anyOf]))
      t.same(needs(mcp?.tools), {
        list_tickets: [['help-desk.read']],
        add_note: [['help-desk.write']],
        close_ticket: [['help-desk.destroy']],
        unsaid: [['help-desk.destroy']],
        both: [['help-desk.destroy']],
      })
      t.same(needs(mcp?.prompts), { greet: [['help-desk.read']] })
      t.same(needs(mcp?.resources), {
        'desk://tickets/{id}': [['help-desk.read']],
        'desk://about': [['help-desk.read']],
      })
      const versions = { modern: ['2026-07-28'], legacy: ['2025-11-25', '2025-06-18'] } as const
      t.same([...(mcp?.versions ?? [])], era === 'both' ? [...versions.modern, ...versions.legacy] : versions[era])
      t.same(settings.upstreams.get('help-desk')?.targets, [
        { kind: 'url', origin: server.origin, basePath: '', weight: 1 },
      ])
      t.match(out, /# Which tool needs which permission is a proposal from what the server says/)
      t.match(out, /# - the resource "desk:\/\/Odd\/..\/one" was left out: it is not a URI in its canonical form/)
      t.match(out, /# - "both" both only read and destroy/)
      t.same(server.ended, era === 'legacy' ? ['session-1'] : [], 'a session is ended again')
    }
  }
})

t.test('names are chosen by options, and a server with tools that only read has one permission', async (t) => {
  const server = await listingMcpServer(t, { tools: [{ name: 'look', annotations: { readOnlyHint: true } }] })
  const { out } = await list(server.url, '--name', 'desk', '--path', '/mcp')
  const settings = await checked(t, out)
  const [route] = settings.routes
  t.same([route?.path, route?.upstream, route?.prefix], ['/mcp', 'desk', undefined])
  t.equal(route?.resource, 'https://localhost:8443/mcp', 'the configuration says the public address')
  const own = settings.catalogue.permissions.filter(({ resource }) => resource === route?.resource)
  t.same(
    own.map(({ id }) => id),
    ['desk.read'],
  )
})

t.test('what a server says becomes no more than text', async (t) => {
  const names = ['${HOME}', '__proto__', 'a: b', '# x', '"', '<<', 'x\u2028y', 'null', 'é', '\u0007', '\ud800', '']
  const evil = 'file:/etc/passwd\nroutes: {} ${HOME} \u202e\ud800'
  const server = await listingMcpServer(t, { title: evil, tools: names.map((name) => ({ name })) })
  const { code, out } = await list(server.url, '--name', 'desk', '--path', '/desk/mcp')
  t.equal(code, 0)
  const settings = await checked(t, out)
  const [route] = settings.routes
  t.same([...(route?.mcp?.tools.keys() ?? [])], ['${HOME}', 'a: b', '# x', '"', '<<', 'x\u2028y', 'null', 'é'])
  t.equal((out.match(/# - a tool was left out, because the file cannot name it/g) ?? []).length, 4)
  const texts = settings.catalogue.permissions.filter(({ id }) => id.startsWith('desk.')).map((one) => one.describe)
  t.ok(texts.length > 0 && texts.every((text) => text.includes('${HOME}') && text.includes('file /etc/passwd')))
  t.notMatch(out, /[\u202e\u2028\ud800]/)
})

t.test('a token and fields reach the server, and nobody else', async (t) => {
  const server = await listingMcpServer(t, { ...desk, wants: 'Bearer secret-1' })
  t.match(await list(server.url), { code: 4, out: '', err: /wants to know who asks \(401\).*--token-file/ })
  const folder = t.testdir({ token: 'secret-1\n', empty: '\n' })
  const run = (...words: string[]) => runCommand(['mcp', 'list', ...words], { cwd: folder, input: 'secret-1' })
  t.match(await run(server.url, '--token-file', 'token'), { code: 0 })
  t.match(await run(server.url, '--token-file', '-', '-H', 'X-Team: desk'), { code: 0 })
  t.match(await run(server.url, '-H', 'Authorization: Bearer secret-1'), { code: 0 })
  t.match(server.requests.at(-1)?.headers, { authorization: 'Bearer secret-1' })
  t.ok(server.requests.some(({ headers }) => headers['x-team'] === 'desk'))
  t.match(await run(server.url, '--token-file', 'empty'), { code: 2, err: /no token in it/ })
  t.match(await run(server.url, '--token-file', 'absent'), { code: 2, err: /the token cannot be read: ENOENT/ })
  const elsewhere = await run('http://desk.example/mcp', '--token-file', 'token')
  t.match(elsewhere, { code: 2, err: /neither https nor this machine/ })
})

t.test('a gateway that is not served over plain HTTP is named, and no token is wished for', async (t) => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(403, { 'content-type': 'application/json' })
    response.end('{"error":{"code":"HttpsRequired","message":"Use HTTPS: https://localhost:8443"}}')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { code, err } = await list(`http://127.0.0.1:${(server.address() as AddressInfo).port}/desk/mcp`)
  t.equal(code, 1)
  t.match(err, /is not served over plain HTTP: Use HTTPS: https:\/\/localhost:8443\n$/)
})

t.test('an address that is none, and options that name nothing, are one sentence and exit code 2', async (t) => {
  const server = await listingMcpServer(t, desk)
  const refused = async (words: string[], expected: RegExp) => t.match(await list(...words), { code: 2, err: expected })
  await refused(['desk'], /no address of an MCP server/)
  await refused(['ftp://127.0.0.1/mcp'], /no address of an MCP server/)
  await refused(['http://a:b@127.0.0.1/mcp'], /holds a password/)
  await refused(['http://127.0.0.1/mcp?key=1'], /no query/)
  await refused([server.url, '--name', 'Desk'], /--name is lower-case/)
  await refused([server.url, '--path', 'desk'], /--path: the path of a route begins with a slash/)
  await refused([server.url, '--path', '/desk/{id}'], /--path is a plain path/)
  await refused([server.url, '--path', '/portal/mcp'], /--path could reach \/portal/)
  await refused([server.url, '--base-url', 'http://gate.example'], /--base-url is an https origin/)
  await refused([server.url, '--timeout', 'long'], /Write a duration/)
  await refused([server.url, '-H', 'X'], /not a header field/)
  await refused([server.url, '--config', 'nowhere.yaml'], /nowhere\.yaml/)
})

t.test('a server that is none, that is silent, or that has no end is one sentence', async (t) => {
  const plain = (status: number, type: string, body: string, more: object = {}) =>
    listingMcpServer(t, {
      instead(_request, response) {
        response.writeHead(status, { 'content-type': type, ...more })
        response.end(body)
        return true
      },
    })
  const fails = async ({ url }: { url: string }, code: number, expected: RegExp, ...more: string[]) =>
    t.match(await list(url, ...more), { code, out: '', err: expected })
  await fails(
    await plain(404, 'text/html', '<h1>no</h1>'),
    1,
    /did not answer initialize as an MCP server does \(404\)\. Is that the path .*, such as \/mcp\?/,
  )
  await fails(await plain(200, 'text/html', '<h1>hello</h1>'), 1, /\(200\)\. Is that the path/)
  await fails(await plain(502, 'text/plain', ''), 5, /\(502\)$/m)
  await fails(await plain(200, 'application/json', '{"jsonrpc":"2.0","id":9,"result":{}}'), 1, /did not answer/)
  await fails(
    await plain(307, 'text/plain', '', { location: 'http://x/' }),
    1,
    /leads elsewhere \(307\), and nothing is followed: http/,
  )
  await fails(await plain(200, 'application/json', 'x'.repeat(4 * 1024 * 1024 + 1)), 5, /larger than 4 MiB/)
  await fails(await plain(200, 'text/event-stream', `data: ${'x'.repeat(4 * 1024 * 1024 + 1)}`), 5, /larger than 4/)
  const old = { jsonrpc: '2.0', id: 1, result: { protocolVersion: '2024-11-05', capabilities: {} } }
  await fails(
    await plain(200, 'application/json', JSON.stringify(old)),
    1,
    /serves the revisions 2024-11-05; carried are/,
  )
  const newer = { jsonrpc: '2.0', id: 2, error: { code: -32022, message: 'no', data: { supported: ['2030-01-01'] } } }
  await fails(await plain(400, 'application/json', JSON.stringify(newer)), 1, /serves the revisions 2030-01-01/)
  const strict = { jsonrpc: '2.0', id: null, error: { code: -32020, message: 'bad\u001b[0m' } }
  await fails(
    await plain(400, 'application/json', JSON.stringify(strict)),
    1,
    /refused the header fields of MCP: bad\\u/,
  )
  const silent = await listingMcpServer(t, { instead: () => true })
  await fails(silent, 5, /did not answer in time: see --timeout/, '--timeout', '1s')
  const half = await listingMcpServer(t, {
    instead(_request, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': hello\n\n')
      return true
    },
  })
  await fails(half, 5, /did not answer in time/, '--timeout', '1s')
  await fails({ url: 'http://127.0.0.1:1/mcp' }, 5, /cannot be reached: nobody listens there/)
  await fails({ url: 'http://desk.invalid/mcp' }, 5, /cannot be reached: there is no host of that name/)
  const withoutTls = (await listingMcpServer(t, desk)).url.replace('http:', 'https:')
  await fails({ url: withoutTls }, 5, /cannot be reached: it does not answer in TLS; .* begins with http:\/\//)
  const many = Array.from({ length: 2_001 }, (_, i) => ({ name: `tool_${i}` }))
  await fails(await listingMcpServer(t, { tools: many }), 1, /tools\/list of .* does not end/)
  await fails(await listingMcpServer(t, { tools: many.slice(0, 150), page: 1 }), 1, /does not end/)
})

t.test('the certificate of a server is verified, by the authorities that were named', async (t) => {
  const { ca, ...certificate } = await ownCertificate()
  const server = await listingMcpServer(t, { ...desk, certificate, wants: 'Bearer secret-1' })
  const folder = t.testdir({ 'ca.pem': ca, token: 'secret-1' })
  const run = (...words: string[]) => runCommand(['mcp', ...words], { cwd: folder })
  const untrusted = await run('list', server.url, '--token-file', 'token')
  t.match(untrusted, { code: 5, out: '', err: /cannot be reached: .*trust its authority with --ca/ })
  t.equal(server.requests.length, 0, 'no token was sent')
  const { code, out, err } = await run('list', server.url, '--token-file', 'token', '--ca', 'ca.pem')
  t.equal(code, 0, err)
  writeFileSync(join(folder, 'portcullis.yaml'), out)
  const checked = await run('check', '-c', 'portcullis.yaml', '--token-file', 'token')
  t.match(checked, { code: 1, err: /1 not in the file/ }, 'by the authorities of the upstream')
  t.match(checked.out, /desk:\/\/Odd\/\.\.\/one +cannot be named in the file/)
})

t.test('authorities that were named for the server stand in the file', async (t) => {
  const server = await listingMcpServer(t, desk)
  const folder = t.testdir({ 'ca.pem': 'not read over plain HTTP' })
  const { code, out } = await runCommand(['mcp', 'list', server.url, '--ca', 'ca.pem'], { cwd: folder })
  t.equal(code, 0)
  t.ok(out.includes(nameText(`file:${join(folder, 'ca.pem')}`)))
  writeFileSync(join(folder, 'portcullis.yaml'), out)
  t.match(await runCommand(['mcp', 'list', server.url, '--ca', 'none.pem'], { cwd: folder }), {
    code: 2,
    err: /ENOENT/,
  })
})
