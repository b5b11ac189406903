// The examples of deploy/front-proxies, each with the real program: a service of somebody's behind nginx, Caddy or
// HAProxy, and Portcullis deciding on every request. What the service was sent is the judge.
// full: HAProxy, nginx and Caddy before the program
// run: apart

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRemoteJWKSet, customFetch, decodeJwt, jwtVerify } from 'jose'
import t from 'tap'
import { freePort, startProgram } from '../support/programs/program.js'
import { trustingFetch } from '../support/programs/trusting-fetch.js'
import { exampleFile, frontHost, makeFrontCertificate, startFrontProxies } from '../support/proxies/front-proxies.js'
import { runCommand } from '../support/rooms/cli.js'
import { recordingUpstream } from '../support/rooms/http-gate.js'
import { type RawAnswer, rawRequest } from '../support/traffic/http-raw.js'

type Fields = Record<string, string>

function head(line: string, fields: Fields): string {
  const all = Object.entries({ host: frontHost, connection: 'close', ...fields })
  return [line, ...all.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n')
}

t.test('Portcullis decides for nginx, Caddy and HAProxy', { timeout: 270_000 }, async (t) => {
  // A short path, because sockets lie in it.
  const cwd = mkdtempSync(join(tmpdir(), 'portcullis-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const service = await recordingUpstream(t)
  const ports = { public: await freePort(), operator: await freePort() }
  const askPort = await freePort()
  const file = join(cwd, 'portcullis.yaml')
  const here = `  listen: 127.0.0.1:${ports.public}\n  operator: 127.0.0.1:${ports.operator}\n  forwardAuth:`
  const text = exampleFile('portcullis.yaml')
    .replace('https://login.example.com', `https://localhost:${ports.public}`)
    .replace('  forwardAuth:', here)
    .replace('127.0.0.1:9465', `127.0.0.1:${askPort}`)
    .replace('127.0.0.1:3000', `127.0.0.1:${service.port}`)
  writeFileSync(file, text)
  const program = await startProgram({ cwd, config: file, ports })
  t.teardown(() => program.stop())
  const folder = join(cwd, 'proxies')
  const ca = makeFrontCertificate(folder)
  const proxies = await startFrontProxies(t, { folder, servicePort: service.port, askPort })

  const command = async (...words: string[]) => {
    const { code, out, err } = await runCommand(words, { cwd, env: { PORTCULLIS_CONFIG: file } })
    if (code !== 0) throw new Error(`${words.join(' ')}: ${err}`)
    return out.trim()
  }
  const tokenOf = async (name: string, permission: string) => {
    await command('app', 'create', name, '--permission', permission, '--consent')
    return `Bearer ${await command('token', '--app', name)}`
  }
  const reader = await tokenOf('reader', 'Wiki.Read')
  const writer = await tokenOf('writer', 'Wiki.Write')
  const keys = createRemoteJWKSet(new URL(`${program.baseUrl}/api/v2/oauth2/v2.0/assertionkeys`), {
    [customFetch]: trustingFetch(t, program),
    timeoutDuration: 30_000,
  })

  const askOf =
    (port: number) =>
    async (line: string, fields: Fields = {}, body = ''): Promise<RawAnswer> => {
      const length = body === '' ? {} : { 'content-length': String(body.length) }
      const bytes = head(`${line} HTTP/1.1`, { ...fields, ...length }) + body
      return rawRequest({ port, tls: { ca, servername: frontHost }, patienceMs: 30_000 }, bytes)
    }

  for (const { name, port } of proxies) {
    const ask = askOf(port)
    const takeRequests = () => service.requests.splice(0)

    await t.test(`${name}: allowed, and the service verifies who calls`, async (t) => {
      const { status } = await ask('GET /pages/1?a=%2f', { authorization: reader })
      t.equal(status, 200)
      const [got] = takeRequests()
      t.equal(got?.url, '/pages/1?a=%2f', 'the target as it came')
      const assertion = got?.headers.authorization?.replace('Bearer ', '') ?? ''
      const { payload } = await jwtVerify(assertion, keys, { issuer: program.baseUrl, audience: 'wiki' })
      t.match(payload, { scope: 'Wiki.Read', client_id: decodeJwt(reader.slice(7))['client_id'] })

      const body = 'x'.repeat(100_000)
      t.equal((await ask('PUT /pages/1', { authorization: writer }, body)).status, 200)
      t.same(
        takeRequests().map(({ method, body }) => [method, body.length]),
        [['PUT', 100_000]],
        'the question leaves the body alone',
      )
    })

    await t.test(`${name}: refused, as the gate refuses`, async (t) => {
      const nobody = await ask('GET /pages/1')
      t.equal(nobody.status, 401)
      t.match(nobody.headers.get('www-authenticate'), [/^Bearer realm="https:.*resource_metadata/])
      t.equal(nobody.headers.get('www-authenticate')?.length, 1)
      t.match(JSON.parse(nobody.body), { error: { code: 'AuthenticationRequired' } })
      const without = await ask('PUT /pages/1', { authorization: reader }, 'x')
      t.equal(without.status, 403)
      t.match(without.headers.get('www-authenticate'), [/error="insufficient_scope", scope="Wiki\.Write"/])
      t.match(JSON.parse(without.body), { error: { target: 'Wiki.Write', permission: { id: 'Wiki.Write' } } })
      t.equal((await ask('PATCH /pages/1', { authorization: writer })).status, 405)
      t.same(takeRequests(), [], 'nothing of it reached the service')
    })

    await t.test(`${name}: P19 X2 what a client says about itself or another request does not help`, async (t) => {
      const lies = [
        'X-Original-URI',
        'X-Forwarded-Uri',
        'X-Original-URL',
        'X-Rewrite-URL',
        'X_Original_URI',
        'X_Forwarded_Uri',
      ]
      const others = { 'X-Forwarded-Method': 'GET', 'X-Original-Method': 'GET', 'X-Forwarded-For': '192.0.2.1' }
      for (const lie of lies) {
        t.ok((await ask('GET /pages/1', { [lie]: '/open/1', ...others })).status >= 400, lie)
        t.ok((await ask('PUT /pages/1', { authorization: reader, [lie]: '/open/1', ...others })).status >= 400, lie)
      }
      t.ok(
        (await ask('GET /pages/1', { connection: 'close, x-original-uri, x-forwarded-uri, authorization' })).status >=
          400,
      )
      t.same(takeRequests(), [], 'nothing of it reached the service')
      const forged = { authorization: 'Bearer forged', 'X-Portcullis-User': 'forged', X_Portcullis_User: 'forged' }
      t.equal((await ask('GET /open/1', forged)).status, 200)
      t.notMatch(takeRequests()[0]?.raw.join(' '), 'forged', 'a public route tells the service nothing')
      for (const lie of ['X-Portcullis_User', 'X_Portcullis-User', 'x.portcullis.user', 'X~Portcullis-Permissions']) {
        const { status } = await ask('GET /pages/1', { authorization: reader, [lie]: 'forged' })
        const got = takeRequests()
        t.ok(got.length === 1 || status >= 400, `${lie}: ${status}`)
        t.notMatch(JSON.stringify(got.map(({ raw }) => raw)), 'forged', lie)
      }
    })

    await t.test(`${name}: D no spelling of a path reaches the service without its permission`, async (t) => {
      const targets = [
        '/open/../pages/1',
        '/open/%2e%2e/pages/1',
        '/open/..%2fpages/1',
        '//pages/1',
        '/open//../pages/1',
      ]
      targets.push(
        '/pages/./1',
        '/./pages/1',
        '/open/%252e%252e/pages/1',
        '/open;/../pages/1',
        '/open/..;/pages/1',
        '/open\\..\\pages/1',
      )
      targets.push(
        '/PAGES/1',
        '/%70ages/1',
        `https://${frontHost}/pages/1`,
        '/pages/1#/open/1',
        '/open/1#/../../pages/1',
        '/open/%00/1',
        '*',
      )
      for (const target of targets) {
        const { status } = await ask(`GET ${target}`).catch(() => ({ status: 0 }))
        if (status === 200) t.match(target, /^\/open/)
      }
      t.same(
        takeRequests().filter(({ url }) => !/^\/open\/[^.%\\;]*$/.test(url)),
        [],
        'only what is open came through',
      )
    })

    await t.test(`${name}: limits are charged, and 429 reaches the client`, async (t) => {
      const statuses = []
      let last: RawAnswer | undefined
      for (let i = 0; i < 4; i++) {
        last = await ask('GET /exports/1', { authorization: reader })
        statuses.push(last.status)
      }
      t.same(
        new Set(statuses).has(200),
        name === proxies[0]?.name,
        'one address has one budget, whichever proxy it comes by',
      )
      t.equal(last?.status, 429)
      t.ok(Number(last?.headers.get('retry-after')?.[0]) > 0)
      t.match(JSON.parse(last?.body ?? ''), { error: { code: 'TooManyRequests' } })
      t.equal(takeRequests().length, statuses.filter((status) => status === 200).length)
    })
  }

  await command('revoke', 'application', 'reader', '--yes')
  for (const { name, port } of proxies) {
    const { status, headers } = await askOf(port)('GET /pages/1', { authorization: reader })
    t.match([status, headers.get('www-authenticate')], [401, [/error="invalid_token"/]], `${name}: revoked`)
  }
  await program.stop()
  for (const { name, port } of proxies) {
    const { status } = await askOf(port)('GET /open/1', { authorization: writer })
    t.ok(status >= 500, `${name}: nobody to ask, nobody let through (${status})`)
  }
  t.same(service.requests, [], 'none of it reached the service')
})
