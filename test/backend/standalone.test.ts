// The backend by itself: an address and a Store of its own, keys fetched from the gate.
// run: apart

import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { seedTenant } from '../../src/backend/seed.js'
import { type StandaloneBackend, type StandaloneOptions, startStandaloneBackend } from '../../src/backend/standalone.js'
import { ensureDevelopmentCertificate } from '../../src/http/tls/development-ca.js'
import { openStore } from '../../src/storage/sql/open-store.js'
import { call, demoToken } from '../support/programs/demo.js'
import { freePort, programWords, startProgram } from '../support/programs/program.js'
import { assertion, findKey, now, tenantA, tenantB } from '../support/rooms/backend-app.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'

interface Gate {
  origin: string
  requests: string[]
  /** What it answers with; a number is a status without keys. */
  answer: 'keys' | 'nothing' | 500
}

/** The part of a gate that publishes assertion keys. */
async function gate(t: Test): Promise<Gate> {
  const jwk = findKey('test-key')?.publicKey.export({ format: 'jwk' })
  const server = createServer((request, response) => {
    state.requests.push(request.url ?? '')
    if (state.answer === 500) return void response.writeHead(500).end()
    const keys = state.answer === 'keys' ? [{ ...jwk, kid: 'test-key', alg: 'ES256', use: 'sig' }] : []
    response.end(JSON.stringify({ keys }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const state: Gate = { origin, requests: [], answer: 'keys' }
  return state
}

function options(t: Test, gateway: string, change: Partial<StandaloneOptions> = {}): StandaloneOptions {
  return {
    settings: {
      store: { kind: 'sqlite', file: join(t.testdir({}), 'alone.db'), busyTimeoutMs: 2_000 },
      tokens: {
        lifetimeSeconds: 3600,
        leewaySeconds: 60,
        algorithm: 'ES256',
        publishBeforeMs: 0,
        rotateEveryMs: 0,
        cacheEntries: 1,
        ...{ codeLifetimeMs: 60_000, refreshIdleMs: 1, refreshMs: 1, refreshGraceMs: 0 },
      },
      upstreams: new Map(),
      quotas: { applications: 1_000, deletedApplications: 1_000, people: 1_000, subscriptions: 1_000, grants: 1_000 },
      server: { baseUrl: 'https://unused.example', tls: { kind: 'development' } },
    },
    host: '127.0.0.1',
    port: 0,
    gateway,
    logger: false,
    now: () => now,
    ...change,
  }
}

async function start(t: Test, wanted: StandaloneOptions): Promise<StandaloneBackend> {
  const standalone = await startStandaloneBackend(wanted)
  let closed = false
  const close = async () => {
    if (!closed) await standalone.close()
    closed = true
  }
  t.teardown(close)
  return { address: standalone.address, close }
}

function get(address: string, path: string, authorization: string | undefined, tls: { ca?: string } = {}) {
  const send = address.startsWith('https:') ? httpsRequest : httpRequest
  const headers = authorization === undefined ? {} : { authorization }
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const outgoing = send(`${address}${path}`, { headers, agent: false, ...tls }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    outgoing.on('error', reject).end()
  })
}

t.test('alone it answers calls whose assertion the named gate signed', async (t) => {
  const { origin, requests } = await gate(t)
  const wanted = options(t, origin)
  const store = await openStore(wanted.settings.store)
  await store.transaction((tx) => seedTenant(tx, tenantA, now))
  await store.close()
  const { address } = await start(t, wanted)
  t.match(address, /^http:\/\/127\.0\.0\.1:\d+$/)

  const bearer = (claims = {}) => assertion({ iss: origin, ...claims }).then((text) => `Bearer ${text}`)
  const me = await get(address, '/api/v2/me', await bearer())
  t.equal(me.status, 200)
  t.equal(Object.keys(JSON.parse(me.text)).length, 15)
  const list = await get(address, '/api/v2/subscriptions?$top=1', await bearer())
  t.match(list.headers.link, `<${origin}/api/v2/subscriptions?`, 'links lead to the gate')
  const other = await get(address, '/api/v2/subscriptions', await bearer({ tid: tenantB }))
  t.equal(other.text, '[]', 'T22 another tenant has nothing')
  t.same(requests, ['/api/v2/oauth2/v2.0/assertionkeys'], 'the keys were fetched once')

  t.equal((await get(address, '/api/v2/me', undefined)).status, 401)
  t.equal(
    (await get(address, '/api/v2/me', await bearer({ iss: 'https://unused.example' }))).status,
    401,
    'another gate',
  )
  t.equal((await get(address, '/api/v2/me', await bearer({ aud: 'other' }))).status, 401, 'another service')
  t.equal((await get(address, '/api/v2/me', 'Bearer nonsense')).status, 401)
})

t.test('a gate that does not answer is 503, one that does not publish the key 401', async (t) => {
  const away = await gate(t)
  away.answer = 500
  const first = await start(t, options(t, away.origin))
  const bearer = `Bearer ${await assertion({ iss: away.origin })}`
  const refused = await get(first.address, '/api/v2/me', bearer)
  t.equal(refused.status, 503)
  t.equal(refused.headers['retry-after'], '1')
  t.equal((await get(first.address, '/api/v2/me', 'Bearer nonsense')).status, 401, 'what is no assertion needs no key')

  const other = await gate(t)
  other.answer = 'nothing'
  const second = await start(t, options(t, other.origin))
  t.equal((await get(second.address, '/api/v2/me', `Bearer ${await assertion({ iss: other.origin })}`)).status, 401)
})

t.test('without a certificate it only listens on this machine', async (t) => {
  const { origin } = await gate(t)
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'backend.example', '127.backend.example']) {
    await t.rejects(startStandaloneBackend(options(t, origin, { host })), /without TLS/, host)
  }
})

t.test('with certificate files it speaks TLS, for the names of the certificate only', async (t) => {
  const { origin } = await gate(t)
  const wanted = options(t, origin)
  const { certFile, keyFile, caFile } = await ensureDevelopmentCertificate(join(t.testdir({}), 'tls'))
  wanted.settings.server = { baseUrl: origin, tls: { kind: 'files', cert: certFile, key: keyFile } }
  const { address } = await start(t, { ...wanted, gateway: undefined })
  const ca = await readFile(caFile, 'utf8')
  t.match(new X509Certificate(await readFile(certFile)).subjectAltName, /127\.0\.0\.1/)
  const bearer = `Bearer ${await assertion({ iss: origin })}`
  const { port } = new URL(address)
  t.equal((await get(`https://127.0.0.1:${port}`, '/api/v2/subscriptions', bearer, { ca })).status, 200)
  t.equal((await get(`https://localhost:${port}`, '/api/v2/subscriptions', bearer, { ca })).status, 200)
  t.equal((await get(`http://127.0.0.1:${port}`, '/api/v2/subscriptions', bearer)).status, 403, 'plain HTTP is refused')
  const misdirected = await new Promise<number>((resolve, reject) => {
    const headers = { host: 'evil.example', authorization: bearer }
    const outgoing = httpsRequest(
      { host: '127.0.0.1', port, path: '/api/v2/subscriptions', ca, headers, servername: '', agent: false },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    outgoing.on('error', reject).end()
  })
  t.equal(misdirected, 421)
})

t.test('it closes its Store, and a taken address leaves nothing open', async (t) => {
  const { origin } = await gate(t)
  const wanted = options(t, origin)
  const { address, close } = await start(t, wanted)
  await t.rejects(startStandaloneBackend({ ...wanted, port: Number(new URL(address).port) }), { code: 'EADDRINUSE' })
  await close()
  await t.rejects(get(address, '/api/v2/me', undefined), { code: 'ECONNREFUSED' })
  const store = await openStore(wanted.settings.store)
  t.equal((await store.reader.selectFrom('profiles').selectAll().execute()).length, 0)
  await store.close()
})

t.test('portcullis backend serves a gate in another process, whose keys it fetches', async (t) => {
  const port = await freePort()
  const target = `http://127.0.0.1:${port}`
  const program = await startProgram({ cwd: t.testdir({}), env: { PORTCULLIS_BACKEND: target } })
  t.teardown(() => program.stop())
  const headers = { authorization: `Bearer ${await demoToken(program)}` }
  t.equal((await call(program, '/api/v2/me', { headers })).status, 502, 'nobody is there yet')

  const [node = '', ...words] = programWords()
  const where = ['--listen', `127.0.0.1:${port}`, '--gateway', program.baseUrl]
  const child = spawn(node, [...words, 'backend', ...where, '--ca', join(program.folder, 'tls', 'ca.pem')], {
    cwd: program.cwd,
    env: { ...plainEnvironment(), PORTCULLIS_DATA: './data-of-the-backend' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`it ended early:\n${printed}`)))
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.includes('serving resources')) resolve()
    })
  })
  const me = await call(program, '/api/v2/me', { headers })
  t.equal(me.status, 200, me.body)
  t.equal(Object.keys(JSON.parse(me.body)).length, 15)
  const created = await call(program, '/api/v2/subscriptions', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"displayName":"Elsewhere"}',
  })
  t.equal(created.status, 201)
  t.match(created.headers['location'], `${program.baseUrl}/api/v2/subscriptions/`, 'links lead to the gate')
  t.equal((await get(target, '/api/v2/me', headers.authorization)).status, 401, 'a token is no assertion')
  t.equal((await get(target, '/api/v2/me', undefined)).status, 401)
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  child.kill('SIGTERM')
  t.equal(await ended, 0)
  t.notMatch(printed, /eyJ/, 'X5 no assertion is in its log')
})
