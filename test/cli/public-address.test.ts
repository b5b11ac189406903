// token, call and doctor against a stand-in for the public address, over real TLS with a development authority.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import t, { type Test } from 'tap'
import { checkAddress, checkNode } from '../../src/cli/commands/doctor/doctor-checks.js'
import type { Finding } from '../../src/cli/output/finding.js'
import { processTerminal } from '../../src/cli/output/terminal.js'
import { ensureDevelopmentCertificate } from '../../src/http/tls/development-ca.js'
import { apiError, runCommand, type SocketAnswer, socketServer } from '../support/rooms/cli.js'

interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  rawHeaders: string[]
  body: string
}

const secret = 'pcl_sk_k1_secretpart_000000'

async function build(t: Test, respond: (request: ReceivedRequest, response: ServerResponse) => void) {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  mkdirSync(join(cwd, 'data'), { mode: 0o700 })
  const files = await ensureDevelopmentCertificate(join(cwd, 'data', 'tls'))
  const received: ReceivedRequest[] = []
  const server = createServer(
    { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) },
    (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { method = '', url = '', headers, rawHeaders } = request
        received.push({ method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString('utf8') })
        respond(received.at(-1) as ReceivedRequest, response)
      })
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`
  const env = { PORTCULLIS_BASE_URL: origin, PORTCULLIS_DATA: './data' }
  const run = (argv: readonly string[], more: NodeJS.ProcessEnv = {}, input?: string) =>
    runCommand(argv, { cwd, env: { ...env, ...more }, ...(input === undefined ? {} : { input }) })
  return { cwd, origin, env, run, received, caFile: files.caFile }
}

const json = (response: ServerResponse, status: number, value: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

t.test('token goes to the token endpoint with identifier and secret in the body', async (t) => {
  const { cwd, run, received } = await build(t, (_request, response) =>
    json(response, 200, { access_token: 'the-token', token_type: 'Bearer', expires_in: 3599 }),
  )
  writeFileSync(join(cwd, 'secret'), `${secret}\n`)
  const scope = ['--scope', 'User.Read.All,assets_read', '--tenant', 'T']
  const { code, out, err } = await run(['token', '--client-id', 'C', '--client-secret-file', 'secret', ...scope])
  t.same({ code, out, err }, { code: 0, out: 'the-token\n', err: '' })
  t.equal(received[0]?.url, '/api/v2/oauth2/v2.0/token')
  t.equal(received[0]?.method, 'POST')
  t.equal(received[0]?.headers['content-type'], 'application/x-www-form-urlencoded')
  t.same(Object.fromEntries(new URLSearchParams(received[0]?.body)), {
    grant_type: 'client_credentials',
    client_id: 'C',
    client_secret: secret,
    scope: 'User.Read.All,assets_read',
    requested_enrollment: 'T',
  })
  t.equal(
    (await run(['token', '--client-id', 'C', '--client-secret-file', '-'], {}, secret)).code,
    0,
    'from standard input',
  )
  const fromEnvironment = { PORTCULLIS_CLIENT_ID: 'E', PORTCULLIS_CLIENT_SECRET: secret }
  t.equal((await run(['token'], fromEnvironment)).code, 0)
  t.match(received.at(-1)?.body, 'client_id=E')
})

t.test('token says what is missing, and never sends half of it', async (t) => {
  const { run, received } = await build(t, (_request, response) => json(response, 200, {}))
  const nobody = await run(['token'])
  t.equal(nobody.code, 2)
  t.match(nobody.err, /say whose token: --app NAME/)
  t.equal((await run(['token', '--client-id', 'C'])).code, 2)
  t.equal((await run(['token', '--client-id', 'C', '--client-secret-file', 'absent'])).code, 1)
  t.equal((await run(['token', '--client-id', 'C', '--client-secret', secret])).code, 2, 'a secret is no argument')
  t.equal(received.length, 0)
})

t.test('token shows the description and the page of a refusal', async (t) => {
  const refusals: [number, string, number][] = [
    [400, 'invalid_scope', 4],
    [401, 'invalid_client', 4],
    [429, 'temporarily_unavailable', 1],
    [503, 'temporarily_unavailable', 5],
  ]
  let next: [number, string, number] = [400, '', 4]
  const { run } = await build(t, (_request, response) =>
    json(response, next[0], {
      error: next[1],
      error_description: 'Not\u001b[2J this one.',
      error_uri: 'https://x/errors/1',
    }),
  )
  for (next of refusals) {
    const { code, out, err } = await run(['token', '--client-id', 'C'], { PORTCULLIS_CLIENT_SECRET: secret })
    t.same({ code, out }, { code: next[2], out: '' }, next[1])
    t.equal(err, 'portcullis: no token: Not\\u{1b}[2J this one.\n  https://x/errors/1\n')
  }
})

t.test('call sends a real request with the token and prints the body as it came', async (t) => {
  const body = Buffer.from([0x7b, 0x7d, 0x0a])
  const { run, received } = await build(t, (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json;odata.metadata=minimal', 'request-id': 'R' }).end(body),
  )
  const token = { PORTCULLIS_ACCESS_TOKEN: 'ready' }
  const plain = await run(['call', 'get', '/api/v2/me?x=1'], token)
  t.same(plain, { code: 0, out: '{}\n', err: '' })
  t.match(received[0], { method: 'GET', url: '/api/v2/me?x=1', headers: { authorization: 'Bearer ready' } })
  const head = await run(['call', 'GET', '/api/v2/me', '-i'], token)
  t.match(head.out, /^HTTP\/1\.1 200 OK\ncontent-type: application\/json;odata\.metadata=minimal\nrequest-id: R\n/)
  t.match(head.out, /\n\n\{\}\n$/)
})

t.test('call sends bodies and header fields', async (t) => {
  const { cwd, run, received } = await build(t, (_request, response) => response.writeHead(201).end())
  const token = { PORTCULLIS_ACCESS_TOKEN: 'ready' }
  await run(['call', 'PUT', '/x', '-d', '{"a":"é"}', '-H', 'If-Match: "1"', '-H', 'x-two: b'], token)
  t.match(received[0], {
    body: '{"a":"é"}',
    headers: { 'content-type': 'application/json', 'content-length': '10', 'if-match': '"1"', 'x-two': 'b' },
  })
  writeFileSync(join(cwd, 'body.txt'), 'from a file')
  await run(['call', 'POST', '/x', '-d', '@body.txt', '-H', 'Content-Type: text/plain'], token)
  t.match(received[1], { body: 'from a file', headers: { 'content-type': 'text/plain' } })
  await run(['call', 'POST', '/x', '-d', '-'], token, 'from input')
  t.equal(received[2]?.body, 'from input')
  await run(['call', 'GET', '/x', '--anonymous'], token)
  t.equal(received[3]?.headers.authorization, undefined)
  await run(['call', 'GET', '/x', '-H', 'Authorization: Basic x'], token)
  t.equal(received[4]?.headers.authorization, 'Basic x')
  t.equal(received[4]?.rawHeaders.filter((name) => name.toLowerCase() === 'authorization').length, 1, 'said once')
})

t.test('call takes both kinds of answer to a message for an MCP server, and any to everything else', async (t) => {
  const { run, received } = await build(t, (_request, response) => response.end())
  const token = { PORTCULLIS_ACCESS_TOKEN: 'ready' }
  const message = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
  await run(['call', 'POST', '/mcp', '-d', message], token)
  t.equal(received[0]?.headers.accept, 'application/json, text/event-stream, */*;q=0.1')
  await run(['call', 'POST', '/mcp', '-d', message, '-H', 'accept: text/plain'], token)
  t.equal(received[1]?.headers.accept, 'text/plain')
  for (const body of [
    '{"a":1}',
    '{"about":"jsonrpc"}',
    '{"jsonrpc":"1.0"}',
    '{"jsonrpc":"2.0"',
    'null',
    '["jsonrpc"]',
  ]) {
    await run(['call', 'POST', '/mcp', '-d', body], token)
    t.equal(received.at(-1)?.headers.accept, '*/*', body)
  }
})

t.test('call gets its own token when none is ready', async (t) => {
  const { cwd, run, received } = await build(t, ({ url }, response) =>
    url.endsWith('/token')
      ? json(response, 200, { access_token: 'fresh', token_type: 'Bearer', expires_in: 1 })
      : response.end('ok'),
  )
  t.equal((await run(['call', 'GET', '/x', '--client-id', 'C'], { PORTCULLIS_CLIENT_SECRET: secret })).out, 'ok')
  t.equal(received.at(-1)?.headers.authorization, 'Bearer fresh')
  const socket = await socketServer(join(cwd, 'data', 'admin.sock'), () => ({
    json: { access_token: 'local', token_type: 'Bearer', expires_in: 1 },
  }))
  t.teardown(() => socket.close())
  t.equal((await run(['call', 'GET', '/x', '--app', 'hello'], { PORTCULLIS_ACCESS_TOKEN: 'ready' })).out, 'ok')
  t.equal(received.at(-1)?.headers.authorization, 'Bearer local', '--app wins over a token that is there')
  t.equal((await run(['call', 'GET', '/x'])).code, 2)
})

t.test('call ends with the code that the status means, and prints the body in any case', async (t) => {
  let status = 200
  const { run } = await build(t, (_request, response) => response.writeHead(status).end('body'))
  const token = { PORTCULLIS_ACCESS_TOKEN: 'ready' }
  for (const [given, code] of [
    [204, 0],
    [304, 0],
    [400, 2],
    [401, 4],
    [403, 4],
    [404, 3],
    [409, 1],
    [429, 1],
    [500, 1],
    [503, 5],
  ] as const) {
    status = given
    const result = await run(['call', 'GET', '/x'], token)
    t.equal(result.code, code, `${given}`)
    if (given > 400) t.match(result, { out: 'body', err: /^portcullis: HTTP \d+ / })
  }
})

t.test('on a terminal call ends the last line of a body, on standard error; a pipe gets the body alone', async (t) => {
  let body = 'body'
  const { cwd, env } = await build(t, (_request, response) => response.writeHead(404).end(body))
  const ask = (interactive: boolean) =>
    runCommand(['call', 'GET', '/x', '--anonymous'], { cwd, env: { ...env }, interactive })
  t.match(await ask(true), { out: 'body', err: /^\nportcullis: HTTP 404/ })
  t.match(await ask(false), { out: 'body', err: /^portcullis: HTTP 404/ })
  body = 'a line\n'
  t.match(await ask(true), { out: 'a line\n', err: /^portcullis: HTTP 404/ })
})

t.test('the token is sent to the base URL and nowhere else', async (t) => {
  const { origin, run, received } = await build(t, (_request, response) => response.end())
  const token = { PORTCULLIS_ACCESS_TOKEN: 'ready' }
  const { host } = new URL(origin)
  const elsewhere = [
    'https://evil.example/x',
    '//evil.example/x',
    '\\\\evil.example/x',
    `http://${host}/x`,
    `https://u:p@${host}/x`,
    'https://[',
  ]
  for (const path of elsewhere) t.equal((await run(['call', 'GET', path], token)).code, 2, path)
  t.equal((await run(['call', 'GE T', '/x'], token)).code, 2, 'a method is a token')
  t.equal((await run(['call', 'GET', '/x', '-H', 'a: b\r\nc: d'], token)).code, 2, 'a field is one line')
  t.equal((await run(['call', 'GET', '/x', '-H', 'nothing'], token)).code, 2)
  t.equal(received.length, 0)
  t.equal((await run(['call', 'GET', `${origin}/x`], token)).code, 0, 'the whole URL of the base is fine')
})

t.test('a certificate that is not trusted ends the call, before anything is sent', async (t) => {
  const { caFile, cwd, run, received } = await build(t, (_request, response) => response.end('ok'))
  const other = await ensureDevelopmentCertificate(join(cwd, 'other'))
  const token = { PORTCULLIS_ACCESS_TOKEN: 'ready' }
  const wrong = await run(['call', 'GET', '/x', '--ca', other.caFile], token)
  t.equal(wrong.code, 5)
  t.match(wrong.err, /cannot be reached: .*--ca/)
  t.equal(received.length, 0)
  t.equal((await run(['call', 'GET', '/x', '--ca', caFile], token)).out, 'ok')
  rmSync(caFile)
  const none = await run(['call', 'GET', '/x'], token)
  t.equal(none.code, 5)
  t.match(none.err, /portcullis serve/)
})

t.test('nobody at the base URL: code 5 and how to start', async (t) => {
  const { run } = await build(t, (_request, response) => response.end())
  const away = { PORTCULLIS_ACCESS_TOKEN: 'ready', PORTCULLIS_BASE_URL: 'https://localhost:1' }
  const { code, err } = await run(['call', 'GET', '/x'], away)
  t.equal(code, 5)
  t.match(err, /^portcullis: https:\/\/localhost:1 cannot be reached: .*portcullis serve\n$/)
})

const status = {
  version: '1',
  mode: 'development',
  baseUrl: '',
  uptimeSeconds: 5,
  seq: 1,
  viewAgeMs: 300,
  viewStale: false,
  revocationEntries: 0,
  store: { kind: 'sqlite', available: true },
  redis: null,
  instance: 'a1b2c3d4',
  leader: true,
  instances: [{ id: 'a1b2c3d4', name: 'host:1', startedAt: '2026-01-01T00:00:00.000Z', seq: 1 }],
  routes: 1,
  upstreams: [],
}
const states = (findings: readonly Finding[]) => Object.fromEntries(findings.map(({ check, state }) => [check, state]))

t.test('doctor finds nothing where all is well', async (t) => {
  const { cwd, run } = await build(t, (_request, response) => json(response, 200, {}))
  const socket = await socketServer(join(cwd, 'data', 'admin.sock'), ({ path }) => ({
    json: path.startsWith('/api/v2/tenants') ? { value: [] } : status,
  }))
  t.teardown(() => socket.close())
  const { code, out, err } = await run(['doctor'])
  t.equal(code, 0, out + err)
  t.match(out, /^ok {4}node +Node\.js v/)
  // Node.js and the disk are those of the machine that the test runs on.
  t.notMatch(out, /^(warn|fail) {2}(?!node |disk )/m)
  for (const check of [
    'configuration',
    'data folder',
    'server',
    'store',
    'revocation view',
    'address',
    'certificate',
    'clock',
  ]) {
    t.match(out, new RegExp(`^ok {4}${check} `, 'm'))
  }
  const { node, disk, ...found } = states(JSON.parse((await run(['doctor', '-o', 'json'])).out))
  t.ok(node && disk)
  t.same(found, {
    configuration: 'ok',
    'data folder': 'ok',
    server: 'ok',
    store: 'ok',
    'revocation view': 'ok',
    address: 'ok',
    certificate: 'ok',
    clock: 'ok',
  })
})

t.test('doctor says what is wrong and what to do about it', async (t) => {
  const { cwd, run } = await build(t, (_request, response) =>
    response.writeHead(404, { date: new Date(Date.now() - 90_000).toUTCString() }).end(),
  )
  let answer: SocketAnswer = {
    json: { ...status, viewStale: true, viewAgeMs: 9000, store: { kind: 'sqlite', available: false } },
  }
  const socket = await socketServer(join(cwd, 'data', 'admin.sock'), () => answer)
  writeFileSync(join(cwd, 'data', 'portcullis.db'), '', { mode: 0o644 })
  chmodSync(join(cwd, 'data'), 0o755)
  const ill = await run(['doctor'])
  t.equal(ill.code, 1)
  t.match(ill.out, /^fail {2}data folder +.* is open to other users\n +→ close it: chmod 700 /m)
  t.match(ill.out, /^fail {2}store +sqlite does not answer\n +→ /m)
  t.match(ill.out, /^fail {2}store file +.* is open to other users\n +→ close it: chmod 600 /m)
  t.match(ill.out, /^fail {2}revocation view +.*9\.0 s ago/m)
  t.match(ill.out, /^fail {2}address +.* answered 404\n +→ /m)
  t.match(ill.out, /^fail {2}clock +.*differ by (?:89|9\d|1[01]\d) s\n +→ /m)
  t.match(ill.err, /^portcullis: 6 of \d+ checks failed\n$/)
  answer = { json: { ...status, degraded: ['store_not_writable'] } }
  t.match((await run(['doctor'])).out, /^fail {2}store +store_not_writable \(a write failed.*\n +→ make room/m)
  answer = apiError(500, 'InternalError', 'inside')
  t.match((await run(['doctor'])).out, /^fail {2}server +inside/m)
  await socket.close()
  t.match(
    (await run(['doctor'])).out,
    /^fail {2}server +no server: .*admin\.sock is not there\n +→ start it: portcullis serve/m,
  )
  t.equal(statSync(join(cwd, 'data')).mode & 0o777, 0o755, 'it only looks')
})

t.test('doctor knows a socket that a dead server left behind', async (t) => {
  const { cwd, run } = await build(t, (_request, response) => json(response, 200, {}))
  const socketPath = join(cwd, 'data', 'admin.sock')
  const { spawnSync } = await import('node:child_process')
  const die = `require('net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`
  t.equal(spawnSync(process.execPath, ['-e', die]).signal, 'SIGKILL')
  t.match(
    (await run(['doctor'])).out,
    /^fail {2}server +.*admin\.sock is left over from a server that has ended\n +→ /m,
  )
})

t.test('doctor with a configuration that does not load says so, and with code 1', async (t) => {
  const { cwd, run } = await build(t, (_request, response) => response.end())
  writeFileSync(join(cwd, 'bad.yaml'), 'version: 1\nservr: {}\n')
  const { code, out } = await run(['doctor', '--config', 'bad.yaml'])
  t.equal(code, 1)
  t.match(out, /^fail {2}configuration +the configuration is wrong:\n +.*bad\.yaml:2:1/m)
})

t.test('the marks of doctor have colours where the terminal takes them, and only there', async (t) => {
  const { cwd, env } = await build(t, (_seen, response) => response.end())
  writeFileSync(join(cwd, 'bad.yaml'), 'version: 1\nservr: {}\n')
  const argv = ['doctor', '--config', 'bad.yaml']
  const { out } = await runCommand(argv, { cwd, env, colours: true })
  t.ok(out.includes('\u001b[32mok  \u001b[39m  node'), out)
  t.ok(out.includes('\u001b[31mfail\u001b[39m  configuration'), out)
  const plain = await runCommand(argv, { cwd, env: { ...env, FORCE_COLOR: '1' } })
  t.equal(plain.out, stripVTControlCharacters(out))
})

t.test('no colours without a terminal, on a dumb one, or where NO_COLOR says so', async (t) => {
  const { isTTY } = process.stdout
  const before = { NO_COLOR: process.env['NO_COLOR'], TERM: process.env['TERM'] }
  const put = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  t.teardown(() => {
    process.stdout.isTTY = isTTY
    for (const [name, value] of Object.entries(before)) put(name, value)
  })
  for (const [terminal, noColor, term, expected] of [
    [true, undefined, 'xterm', true],
    [true, '', 'xterm', true],
    [true, '1', 'xterm', false],
    [true, undefined, 'dumb', false],
    [false, undefined, 'xterm', false],
  ] as const) {
    process.stdout.isTTY = terminal
    put('NO_COLOR', noColor)
    put('TERM', term)
    t.equal(processTerminal().colours, expected, `${terminal} ${noColor} ${term}`)
  }
})

t.test('doctor warns of an end of the certificate that is near, and of clocks that drift', async (t) => {
  const { loadSettings } = await import('../../src/config/read/load.js')
  const { defaultConfigFile } = await import('../../src/config/read/package-root.js')
  const { cwd, env } = await build(t, (_request, response) => json(response, 200, {}))
  const settings = loadSettings({ file: defaultConfigFile(), env, cwd })
  const terminal = { out: () => {}, say: () => {}, env, cwd, interactive: false, colours: false, input: async () => '' }
  const at = async (ms: number) => states(await checkAddress(settings, undefined, terminal, () => Date.now() + ms))
  t.same(await at(0), { address: 'ok', certificate: 'ok', clock: 'ok' })
  t.same(await at(30_000), { address: 'ok', certificate: 'ok', clock: 'warn' })
  t.same(await at(390 * 86_400_000), { address: 'ok', certificate: 'warn', clock: 'fail' })
})

t.test('doctor knows which Node.js is too old', async (t) => {
  for (const version of ['v20.19.0', 'v20.20.2', 'v22.1.0', 'v24.0.0']) t.equal(checkNode(version).state, 'ok', version)
  for (const version of ['v20.18.9', 'v18.20.0', 'nonsense']) t.equal(checkNode(version).state, 'fail', version)
})
