// What doctor finds about names, certificates and what ends or piles up: each fault is planted once.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { httpsExchange } from '../../../src/cli/calls/https-exchange.js'
import { createLocalClient } from '../../../src/cli/calls/local-client.js'
import { withinTime } from '../../../src/cli/commands/doctor/doctor-deadline.js'
import {
  checkNames,
  checkOwnCertificates,
  checkServiceCertificates,
} from '../../../src/cli/commands/doctor/doctor-names.js'
import {
  checkNodeSupport,
  checkSecrets,
  checkSpace,
  checkWebhooks,
} from '../../../src/cli/commands/doctor/doctor-upkeep.js'
import { ensureDevelopmentCertificate } from '../../../src/http/tls/development-ca.js'
import { commandsAgainst } from '../../support/rooms/cli.js'

const dayMs = 86_400_000
const now = Date.parse('2026-06-01T00:00:00.000Z')

t.test('Node.js: no more fixes, soon no more, and far from it', async (t) => {
  t.match(checkNodeSupport('v20.19.0', now), [{ state: 'warn', message: /no fixes any more, since 2026-04-30/ }])
  t.match(checkNodeSupport('v22.1.0', Date.parse('2027-03-01')), [{ state: 'warn', message: /fixes until 2027-04-30/ }])
  t.same(checkNodeSupport('v24.1.0', now), [])
  t.same(checkNodeSupport('v99.1.0', now), [])
})

t.test('a disk that is full, one that is nearly, and one that has room', async (t) => {
  const space = (free: number, all: number) =>
    checkSpace({ data: { folder: 'data' } }, { cwd: '/' }, () => ({ bavail: free, blocks: all, bsize: 2 ** 20 }))
  t.match(space(50, 100_000), [
    {
      state: 'fail',
      message: '50 MiB are free where /data lies (0 %)',
      advice: /make room: .* revocations, sign-in and management fail.*client credentials go on/,
    },
  ])
  t.match(space(900, 100_000), [{ state: 'warn' }])
  t.match(space(4_000, 1_000_000), [{ state: 'warn' }], 'less than a twentieth')
  t.match(space(50_000, 100_000), [{ state: 'ok', message: /48\.8 GiB are free/ }])
  const absent = () => {
    throw new Error('ENOENT')
  }
  t.same(checkSpace({ data: { folder: 'x' } }, { cwd: '/' }, absent), [])
})

type Named = Parameters<typeof checkNames>[0]
type Upstreams = Named['upstreams']

const service = (name: string, origin: string, tls: object = {}) =>
  [name, { name, connectMs: 5_000, tls, targets: [{ kind: 'url', origin, basePath: '', weight: 1 }] }] as const
const upstreams = (...all: (readonly [string, object])[]) => new Map(all) as unknown as Upstreams

t.test('a name that DNS does not know is said with its place', async (t) => {
  const server = { baseUrl: 'https://api.example', apiHosts: ['apps.example'] }
  const services = upstreams(
    service('posts', 'http://posts.internal:80'),
    service('here', 'http://127.0.0.1:80'),
    service('local', 'http://localhost:80'),
  )
  const requested: string[] = []
  const settings = { server, upstreams: services } as unknown as Named
  const found = await checkNames(settings, async (name) => {
    requested.push(name)
    if (name === 'posts.internal') throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
  })
  t.same(requested, ['api.example', 'apps.example', 'posts.internal'])
  t.match(found, [{ state: 'fail', message: 'posts.internal is not found (ENOTFOUND)', advice: /upstreams\.posts/ }])
  t.equal(found.length, 1)
  t.match(await checkNames(settings, async () => undefined), [{ state: 'ok', message: 'DNS knows all 3 names' }])
})

t.test('the certificates of the server: ended, ending, and for another name', async (t) => {
  const { certFile: cert } = await ensureDevelopmentCertificate(t.testdir())
  const check = (baseUrl: string, at = Date.now()) => {
    const server = { tls: { kind: 'files', cert, key: '' }, certificates: [], baseUrl, apiHosts: [] }
    return checkOwnCertificates({ server } as unknown as Parameters<typeof checkOwnCertificates>[0], at)
  }
  t.match(check('https://localhost'), [{ state: 'ok', message: /ends in 39\d days/ }])
  t.match(check('https://localhost', Date.now() + 385 * dayMs), [{ state: 'warn', message: /ends in 1\d days/ }])
  t.match(check('https://localhost', Date.now() + 500 * dayMs), [{ state: 'fail', message: /has ended, on / }])
  t.match(check('https://api.example'), [
    { state: 'ok' },
    { state: 'fail', message: 'no certificate is for api.example' },
  ])
})

t.test('the certificates of services: trusted, ending, not trusted, no TLS, nobody there', async (t) => {
  const folder = t.testdir()
  const { caFile, certFile, keyFile } = await ensureDevelopmentCertificate(folder)
  const ca = readFileSync(caFile, 'utf8')
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`
  const check = (at: string, tls: object, time = Date.now()) =>
    checkServiceCertificates(upstreams(service('s', at, tls)), time)
  t.same(await check(origin, { ca }), [])
  t.match(await check(origin, { ca }, Date.now() + 385 * dayMs), [
    { state: 'warn', message: /^the certificate of s at / },
  ])
  t.match(await check(origin, {}), [{ state: 'fail', advice: /upstreams\.s\.tls\.ca/ }])
  t.match(await check(origin, { ca, serverName: 'other.example' }), [
    { state: 'fail', message: /ALTNAME/, advice: /serverName/ },
  ])
  t.match(await check('https://127.0.0.1:1', { ca }), [
    { state: 'fail', message: /ECONNREFUSED/, advice: /does it run/ },
  ])
  const plain = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  t.teardown(() => plain.close())
  const spoken = await check(`https://127.0.0.1:${(plain.address() as AddressInfo).port}`, { ca })
  t.match(spoken, [{ state: 'fail', advice: /speak TLS/ }])
  t.same(await check('http://127.0.0.1:1', {}), [], 'without TLS there is none')
})

t.test('a certificate of a service that has ended', async (t) => {
  const folder = t.testdir()
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' })
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  try {
    openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'k',
      '-out',
      'c',
      '-not_before',
      '20200101000000Z',
      '-not_after',
      '20210101000000Z',
      ...subject,
    )
  } catch {
    return t.comment('this openssl cannot date a certificate back')
  }
  const cert = readFileSync(join(folder, 'c'))
  const server = createServer({ cert, key: readFileSync(join(folder, 'k')) })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`
  const found = await checkServiceCertificates(upstreams(service('s', origin, { ca: cert.toString() })), Date.now())
  t.match(found, [{ state: 'fail', message: /CERT_HAS_EXPIRED/, advice: 'have its certificate renewed' }])
})

t.test('secrets that end soon, and events that were given up', async (t) => {
  const secret = (name: string, days: number, replaced = false) => ({
    ...{ applicationId: `id-${name}`, name, keyId: 'k', label: '', replaced },
    endsAt: new Date(now + days * dayMs).toISOString(),
  })
  const value = [secret('reports', 3), secret('other', 2, true), secret('later', 20)]
  const answers: Record<string, object> = {
    'GET /api/v2/overview/applications': { endingSecrets: { count: 3, value } },
    'GET /api/v2/overview/server': { events: { waiting: 1, oldestAt: null, deadLetters: 7 } },
  }
  const { cwd } = await commandsAgainst(t, answers)
  const client = createLocalClient(join(cwd, 'admin.sock'))
  const found = await checkSecrets(client, now)
  t.match(found, [{ state: 'warn', message: /reports \(id-reports\) ends in 3 days/, advice: /app rotate id-reports/ }])
  t.equal(found.length, 1)
  t.match(await checkWebhooks(client), [{ state: 'warn', message: /^7 events were given up/, advice: /--state dead/ }])
  const many = Array.from({ length: 9 }, (_, at) => secret(`a${at}`, 1))
  answers['GET /api/v2/overview/applications'] = { endingSecrets: { count: 9, value: many } }
  answers['GET /api/v2/overview/server'] = { events: { waiting: 0, oldestAt: null, deadLetters: 0 } }
  t.match((await checkSecrets(client, now)).at(-1), { message: '4 further secrets end within 14 days' })
  t.match(await checkWebhooks(client), [{ state: 'ok' }])
  const nobody = createLocalClient(join(cwd, 'nobody.sock'))
  t.same([await checkSecrets(nobody, now), await checkWebhooks(nobody)], [[], []])
})

t.test('a look that does not end, and one that cannot be made, are findings', async (t) => {
  t.match(await withinTime('mail', () => new Promise(() => undefined), 1), [
    { check: 'mail', state: 'fail', message: /no answer within/ },
  ])
  const broken = async () => {
    throw new Error('broken')
  }
  t.match(await withinTime('mail', broken), [{ state: 'warn', message: /could not be looked at: broken/ }])
})

t.test('of a certificate that has expired it is the date that is said, and no other authority', async (t) => {
  const made = await ensureDevelopmentCertificate(t.testdir(), Date.now() - 10 * 365 * dayMs)
  const server = createServer({ cert: readFileSync(made.certFile), key: readFileSync(made.keyFile) })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}/`)
  await t.rejects(httpsExchange({ method: 'GET', url, headers: [], ca: readFileSync(made.caFile, 'utf8') }), {
    message: /cannot be reached: its certificate has expired: renew it, and see the clock of this machine$/,
  })
})
