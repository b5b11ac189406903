// run: apart

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, connect as dial } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import t from 'tap'
import { closeGracefully } from '../../src/http/connections/closing.js'
import { listenOn } from '../../src/http/connections/listening.js'
import { isLocalSocketAlive, listenOnLocalSocket } from '../../src/http/connections/local-socket.js'
import { createOperatorServer } from '../../src/http/operator.js'
import { requestContext } from '../../src/http/requests/request-context.js'
import { ensureDevelopmentCertificate } from '../../src/http/tls/development-ca.js'
import { loadTls, watchTls } from '../../src/http/tls/tls.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { type Certificates, makeCertificates } from '../support/databases/postgresql-certificates.js'
import { listening, testLimits, testServer } from '../support/rooms/http-server.js'
import { rawConnection, rawRequest } from '../support/traffic/http-raw.js'

const day = 86_400_000

type Made = Certificates & { certFile: string; keyFile: string }

t.test('the development authority is made once, the leaf is renewed before it ends', async (t) => {
  const folder = join(t.testdir(), 'tls')
  const files = await ensureDevelopmentCertificate(folder)
  const ca = new X509Certificate(readFileSync(files.caFile))
  const leaf = new X509Certificate(readFileSync(files.certFile))
  t.ok(leaf.verify(ca.publicKey))
  t.ok(ca.ca)
  t.ok(readFileSync(files.caFile, 'utf8').endsWith('-----END CERTIFICATE-----\n'), 'another one can be added behind it')
  t.notOk(leaf.ca)
  t.equal(leaf.checkHost('localhost'), 'localhost')
  t.match(leaf.subjectAltName, /DNS:localhost, DNS:\*\.localhost/)
  for (const address of ['127.0.0.1', '::1']) t.equal(leaf.checkIP(address), address)
  t.equal(leaf.checkHost('example.com'), undefined)
  for (const file of [files.caFile, files.certFile, files.keyFile, join(folder, 'ca.key')]) {
    t.equal(statSync(file).mode & 0o777, 0o600, file)
  }
  await ensureDevelopmentCertificate(folder)
  t.equal(new X509Certificate(readFileSync(files.certFile)).serialNumber, leaf.serialNumber, 'nothing to do')
  await ensureDevelopmentCertificate(folder, Date.now() + 380 * day)
  t.not(new X509Certificate(readFileSync(files.certFile)).serialNumber, leaf.serialNumber, 'a new leaf')
  t.equal(new X509Certificate(readFileSync(files.caFile)).serialNumber, ca.serialNumber, 'the same authority')
  await ensureDevelopmentCertificate(folder, Date.now() + 3_640 * day)
  t.not(new X509Certificate(readFileSync(files.caFile)).serialNumber, ca.serialNumber, 'a new authority at its end')
  t.ok(
    new X509Certificate(readFileSync(files.certFile)).verify(new X509Certificate(readFileSync(files.caFile)).publicKey),
  )
})

t.test('a development key that belongs to another certificate is made anew with its certificate', async (t) => {
  const folder = t.testdir()
  const other = await ensureDevelopmentCertificate(join(folder, 'other'))
  const files = await ensureDevelopmentCertificate(join(folder, 'tls'))
  copyFileSync(other.keyFile, files.keyFile)
  t.ok(loadTls(await ensureDevelopmentCertificate(join(folder, 'tls'))), 'the leaf')

  const caKey = join(folder, 'tls', 'ca.key')
  copyFileSync(join(folder, 'other', 'ca.key'), caKey)
  await ensureDevelopmentCertificate(join(folder, 'tls'))
  const ca = new X509Certificate(readFileSync(files.caFile))
  t.ok(ca.checkPrivateKey(createPrivateKey(readFileSync(caKey))), 'the authority')
  t.ok(new X509Certificate(readFileSync(files.certFile)).verify(ca.publicKey))
})

t.test('X7 TLS 1.2 and later only; plain HTTP on the TLS port gets 403 HttpsRequired', async (t) => {
  const files = await ensureDevelopmentCertificate(t.testdir())
  const app = testServer({ tls: loadTls(files), trustedProxies: [] })
  app.get('/hello', async () => 'hello')
  t.teardown(() => app.close())
  const port = await listening(app)
  const ca = readFileSync(files.caFile, 'utf8')
  const bytes = 'GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const secure = await rawRequest({ port, tls: { ca } }, bytes)
  t.equal(secure.status, 200)
  const plain = await rawRequest({ port }, bytes)
  t.equal(plain.status, 403)
  t.equal(JSON.parse(plain.body).error.code, 'HttpsRequired')
  t.match(JSON.parse(plain.body).error.message, 'https://localhost:8443')
  t.equal((await rawRequest({ port }, 'nonsense\r\n\r\n')).status, 400, 'not even HTTP')
  const page = await rawRequest({ port }, "GET /portal/a'b&c HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n")
  t.equal(page.status, 403)
  t.same(page.headers.get('content-type'), ['text/html; charset=utf-8'])
  t.match(page.body, 'href="https://localhost:8443/portal/a&#39;b&amp;c"')
  t.equal(page.headers.get('location'), undefined)
  const offering = (ciphers: string) =>
    new Promise<string | undefined>((resolve, reject) => {
      const where = { port, host: '127.0.0.1', ca, servername: 'localhost' } as const
      const socket = connectTls({ ...where, maxVersion: 'TLSv1.2', ciphers }, () => {
        resolve(socket.getCipher().standardName)
        socket.destroy()
      }).on('error', reject)
    })
  // RFC 9325 §4.2; the key of the development certificate is an ECDSA key.
  for (const good of ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384']) {
    t.match(await offering(good), /^TLS_ECDHE_ECDSA_WITH_AES_\d+_GCM_SHA\d+$/)
  }
  for (const weak of [
    'ECDHE-ECDSA-AES128-SHA256',
    'ECDHE-ECDSA-AES256-SHA',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-ECDSA-AES128-CCM',
  ]) {
    await t.rejects(offering(`${weak}:@SECLEVEL=0`), { code: /ERR_SSL_|ECONNRESET/ }, weak)
  }
  const old = connectTls({
    port,
    host: '127.0.0.1',
    ca,
    servername: 'localhost',
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  })
  await t.rejects(new Promise((resolve, reject) => old.once('secureConnect', resolve).once('error', reject)))
  await t.rejects(rawConnection({ port, tls: { servername: 'localhost' } }), 'not trusted without the authority')
})

t.test('F29 plain connections on the TLS port have the time and the answers of the others', async (t) => {
  const files = await ensureDevelopmentCertificate(t.testdir())
  const patient = testServer({ tls: loadTls(files), trustedProxies: [] })
  const limits = { ...testLimits, headersTimeoutMs: 500 }
  const app = testServer({ tls: loadTls(files), trustedProxies: [], limits })
  t.teardown(() => Promise.all([patient.close(), app.close()]))
  const port = await listening(app)
  const malformed = await rawRequest({ port: await listening(patient) }, 'GET / HTTP/1.1\r\nHost : localhost\r\n\r\n')
  t.equal(malformed.status, 400)
  t.equal(JSON.parse(malformed.body).error.code, 'MalformedRequest')
  t.equal(malformed.headers.get('request-id')?.length, 1)

  const dripping = await rawConnection({ port })
  dripping.send('GET / HTTP/1.1\r\n')
  const drip = setInterval(() => dripping.send('a: b\r\n'), 100)
  t.teardown(() => clearInterval(drip))
  t.equal((await dripping.answer()).status, 408, 'however busily it drips')

  const half = await rawConnection({ port })
  half.send(Buffer.from([22, 3, 1]))
  t.equal(await half.closed(), '', 'nor may a handshake take longer')
})

t.test('P9 the end of the TLS port ends what is silent, in its handshake or plain on it', async (t) => {
  const files = await ensureDevelopmentCertificate(t.testdir())
  const limits = { ...testLimits, headersTimeoutMs: 60_000 }
  const app = testServer({ tls: loadTls(files), trustedProxies: [], limits })
  app.get('/hello', async () => 'hello')
  const port = await listening(app)
  const open = [await rawConnection({ port }), await rawConnection({ port }), await rawConnection({ port })]
  open[1]?.send(Buffer.from([22, 3, 1]))
  open[2]?.send('GET /hello HTTP/1.1\r\n')
  const bytes = 'GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n'
  t.equal((await rawRequest({ port, tls: { ca: readFileSync(files.caFile, 'utf8') } }, bytes)).status, 200)
  const started = performance.now()
  await closeGracefully(app, 300)
  t.ok(performance.now() - started < 20_000, 'in the time of the drain, not in theirs')
  for (const connection of open) await connection.closed()
})

t.test('F29 a silent connection on the TLS port is cut', async (t) => {
  const files = await ensureDevelopmentCertificate(t.testdir())
  const app = testServer({
    tls: loadTls(files),
    limits: { ...testLimits, headersTimeoutMs: 200 },
  })
  t.teardown(() => app.close())
  const port = await listening(app)
  const connection = await rawConnection({ port })
  t.equal(await connection.closed(), '')
})

t.test('a changed certificate is served without a restart, and a broken one is not', async (t) => {
  const folder = t.testdir()
  const first = await ensureDevelopmentCertificate(join(folder, 'a'))
  const second = await ensureDevelopmentCertificate(join(folder, 'b'))
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  copyFileSync(first.certFile, files.certFile)
  copyFileSync(first.keyFile, files.keyFile)
  const app = testServer({ tls: loadTls(files) })
  t.teardown(() => app.close())
  const port = await listening(app)
  const metrics = createMetrics()
  const errors: unknown[] = []
  const watch = watchTls(files, { server: app.server as never, metrics, onError: (error) => errors.push(error) })
  t.teardown(() => watch.stop())
  t.match(await metrics.registry.metrics(), /portcullis_tls_cert_not_after_seconds [1-9]\d{9}/)
  t.equal(watch.check(), false, 'nothing changed')
  writeFileSync(files.certFile, 'half a certificate')
  t.equal(watch.check(), false)
  t.equal(errors.length, 1)
  await rawRequest(
    { port, tls: { ca: readFileSync(first.caFile, 'utf8') } },
    'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
  )
  copyFileSync(second.certFile, files.certFile)
  t.equal(watch.check(), false, 'the key does not belong to it')
  copyFileSync(second.keyFile, files.keyFile)
  t.equal(watch.check(), true)
  const answer = await rawRequest(
    { port, tls: { ca: readFileSync(second.caFile, 'utf8') } },
    'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
  )
  t.equal(answer.status, 404)
})

t.test('a client gets the certificate of the name that it asks for, a renewed one too', async (t) => {
  const folder = t.testdir({ one: {}, two: {}, three: {} })
  const [one, two, three] = ['one', 'two', 'three'].map((name) => {
    const made = makeCertificates(join(folder, name), name === 'one' ? 'localhost' : '*.portcullis.test')
    return { ...made, certFile: join(folder, name, 'own.crt'), keyFile: join(folder, name, 'own.key') }
  }) as [Made, Made, Made]
  const files = { ...one, more: [two] }
  const app = testServer({ tls: loadTls(files) })
  t.teardown(() => app.close())
  const port = await listening(app)
  const servedTo = (servername: string) =>
    new Promise<string | undefined>((resolve, reject) => {
      const socket = connectTls({ port, host: '127.0.0.1', servername, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate()?.fingerprint256)
        socket.destroy()
      }).on('error', reject)
    })
  const mark = ({ certificate }: Made) => new X509Certificate(certificate).fingerprint256
  t.equal(await servedTo('localhost'), mark(one))
  t.equal(await servedTo('API.portcullis.test'), mark(two))
  t.equal(await servedTo('a.b.portcullis.test'), mark(one), 'the star is one label')
  t.equal(await servedTo('elsewhere.example'), mark(one), 'nobody’s name: the server’s own')

  const watch = watchTls(files, { server: app.server as never, onError: (error) => void t.error(error) })
  t.teardown(() => watch.stop())
  copyFileSync(three.certFile, two.certFile)
  copyFileSync(three.keyFile, two.keyFile)
  t.equal(watch.check(), true)
  t.equal(await servedTo('api.portcullis.test'), mark(three))
  t.equal(await servedTo('localhost'), mark(one))
})

t.test('where authorities of clients are named, a client without a certificate of theirs gets nothing', async (t) => {
  const folder = t.testdir({ own: {}, other: {} })
  const own = makeCertificates(join(folder, 'own'), 'localhost')
  const other = makeCertificates(join(folder, 'other'), 'localhost')
  const files = { certFile: join(folder, 'own', 'own.crt'), keyFile: join(folder, 'own', 'own.key') }
  const app = testServer({ tls: loadTls({ ...files, clientsFile: join(folder, 'own', 'ca.crt') }), trustedProxies: [] })
  app.get('/hello', async () => 'hello')
  t.teardown(() => app.close())
  const port = await listening(app)
  const ask = (client: { cert?: string; key?: string }) =>
    new Promise<string>((resolve, reject) => {
      const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: own.ca, ...client })
      let text = ''
      socket.on('data', (bytes) => (text += String(bytes))).on('error', reject)
      socket.on('close', () => (text === '' ? reject(new Error('closed')) : resolve(text)))
      socket.write('GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    })
  t.match(await ask({ cert: own.certificate, key: own.key }), /^HTTP\/1.1 200 /)
  await t.rejects(ask({}), 'none')
  await t.rejects(ask({ cert: other.certificate, key: other.key }), 'of another authority')
})

t.test('PROXY protocol: C the announced address is the client’s, and only a named balancer may announce', async (t) => {
  const files = await ensureDevelopmentCertificate(t.testdir())
  const ca = readFileSync(files.caFile, 'utf8')
  const open = async (trustedProxies: string[]) => {
    const app = testServer({ tls: loadTls(files), trustedProxies, proxyProtocol: true })
    app.get('/hello', async (request) => requestContext(request).address)
    t.teardown(() => app.close())
    return listening(app)
  }
  const ask = (port: number, announcement: readonly Buffer[]) =>
    new Promise<string>((resolve, reject) => {
      const socket = dial(port, '127.0.0.1')
      for (const piece of announcement) socket.write(piece)
      const secure = connectTls({ socket, servername: 'localhost', ca })
      let text = ''
      secure.on('data', (bytes) => (text += String(bytes))).on('error', reject)
      secure.on('close', () => (text === '' ? reject(new Error('closed')) : resolve(text)))
      secure.write(
        'GET /hello HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.66\r\nConnection: close\r\n\r\n',
      )
    })
  const line = (text: string) => [Buffer.from(`${text}\r\n`, 'latin1')]
  const binary = (command: number, family: number, block: readonly number[]) => [
    Buffer.from([13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10, command, family, 0, block.length, ...block]),
  ]
  const four = [192, 0, 2, 7, 10, 0, 0, 1, 0, 80, 1, 187]
  const six = [0x20, 1, 0xd, 0xb8, ...Array(11).fill(0), 9, ...Array(16).fill(1), 0, 80, 1, 187]
  const port = await open(['127.0.0.0/8'])
  const addressOf = async (announcement: readonly Buffer[]) => (await ask(port, announcement)).split('\r\n\r\n')[1]
  t.equal(await addressOf(line('PROXY TCP4 192.0.2.7 10.0.0.1 56324 443')), '192.0.2.7')
  t.equal(await addressOf(line('PROXY TCP6 2001:DB8:0::9 2001:db8::1 56324 443')), '2001:db8::9')
  t.equal(
    await addressOf(line('PROXY UNKNOWN')),
    '127.0.0.1',
    'the balancer’s, and no field of an unknown sender is believed',
  )
  t.equal(await addressOf(binary(0x21, 0x11, four)), '192.0.2.7')
  t.equal(await addressOf(binary(0x21, 0x11, [...four, 4, 0, 1, 0])), '192.0.2.7', 'with more behind it')
  t.equal(await addressOf(binary(0x21, 0x21, six)), '2001:db8::9')
  t.equal(await addressOf(binary(0x20, 0, [])), '127.0.0.1')
  const slow = [...(binary(0x21, 0x11, four)[0] ?? [])].map((byte) => Buffer.from([byte]))
  t.equal(await addressOf(slow), '192.0.2.7', 'byte by byte')
  const refused = {
    none: [],
    'a broken line': line('PROXY TCP4 192.0.2.7 10.0.0.1'),
    'a name': line('PROXY TCP4 example.com 10.0.0.1 1 2'),
    'the wrong family': line('PROXY TCP4 2001:db8::9 10.0.0.1 1 2'),
    'a line without end': [Buffer.from(`PROXY TCP4 ${'1'.repeat(200)}`)],
    'another version': binary(0x11, 0x11, four),
    'an unknown command': binary(0x22, 0x11, four),
    'too short an address': binary(0x21, 0x11, four.slice(0, 8)),
    'a Unix socket': binary(0x21, 0x31, Array(216).fill(0)),
  }
  for (const [what, announcement] of Object.entries(refused)) await t.rejects(ask(port, announcement), what)
  const untrusted = await open(['192.0.2.0/24'])
  await t.rejects(ask(untrusted, line('PROXY TCP4 192.0.2.7 10.0.0.1 56324 443')), 'of a balancer that nobody named')
})

t.test('the local socket is 0600, needs no TLS, and knows a living server from a dead one', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'admin.sock')
  const make = () => {
    const app = testServer({ listener: 'local', trustedProxies: [] })
    app.get('/status', async (request) => ({
      address: (await import('../../src/http/requests/request-context.js')).requestContext(request).address,
    }))
    return app
  }
  const app = make()
  t.teardown(() => app.close())
  await listenOnLocalSocket(app, file)
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.equal(await isLocalSocketAlive(file), true)
  const { request } = await import('node:http')
  const status = await new Promise((resolve, reject) => {
    request({ socketPath: file, path: '/status', headers: { host: 'anything' } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
  t.equal(status, 200)
  const second = make()
  t.teardown(() => second.close())
  await t.rejects(listenOnLocalSocket(second, file), { code: 'local_socket_in_use' })
  t.equal(await isLocalSocketAlive(file), true, 'the first one still answers')

  // A file that a killed process leaves behind: bound, and nobody accepts.
  const stale = join(folder, 'stale.sock')
  const { spawnSync } = await import('node:child_process')
  spawnSync(process.execPath, [
    '-e',
    `require('net').createServer().listen(${JSON.stringify(stale)}, () => process.kill(process.pid, 'SIGKILL'))`,
  ])
  t.equal(await isLocalSocketAlive(stale), false)
  const third = make()
  t.teardown(() => third.close())
  await listenOnLocalSocket(third, stale)
  t.equal(await isLocalSocketAlive(stale), true)

  const precious = join(folder, 'precious')
  writeFileSync(precious, 'x')
  const fourth = make()
  t.teardown(() => fourth.close())
  await t.rejects(listenOnLocalSocket(fourth, precious), /not a socket/)
  t.equal(readFileSync(precious, 'utf8'), 'x')
  await t.rejects(listenOnLocalSocket(fourth, join(folder, 'x'.repeat(120))), /too long/)
})

t.test('the operator listener has metrics, liveness, readiness with reasons and the configuration', async (t) => {
  const metrics = createMetrics()
  let reasons: string[] = ['view_stale']
  const operator = createOperatorServer({
    metrics,
    readiness: () => ({ ready: reasons.length === 0, reasons }),
    configuration: () => ({ masterKeys: ['***'] }),
    refresh: () => metrics.revocationEntries.set(7),
    host: 'operator.internal',
    log: testServer().log,
  })
  t.teardown(() => operator.close())
  const get = (url: string, host = '127.0.0.1:9464') => operator.inject({ url, headers: { host } })
  t.equal((await get('/livez')).statusCode, 200)
  const notReady = await get('/readyz')
  t.equal(notReady.statusCode, 503)
  t.same(notReady.json(), { ready: false, reasons: ['view_stale'] })
  reasons = []
  t.equal((await get('/readyz', '[::1]:9464')).statusCode, 200)
  const text = await get('/metrics', 'operator.internal')
  t.match(text.headers['content-type'], 'text/plain')
  t.match(text.body, /portcullis_revocation_entries 7/)
  t.same((await get('/config')).json(), { masterKeys: ['***'] })
  t.equal((await get('/config', 'evil.example')).statusCode, 421, 'DNS rebinding')
  t.equal((await get('/other')).statusCode, 404)
})

t.test('an address that cannot be had is a sentence with the setting that names it', async (t) => {
  const blocker = createServer().listen(0, '127.0.0.1')
  t.teardown(() => blocker.close())
  await new Promise((resolve) => blocker.once('listening', resolve))
  const { port } = blocker.address() as { port: number }
  for (const [host, wanted, code, why] of [
    [
      '127.0.0.1',
      port,
      'EADDRINUSE',
      `cannot listen on 127.0.0.1:${port}: another process has this port. End it, or set`,
    ],
    ['203.0.113.1', 9443, 'EADDRNOTAVAIL', 'cannot listen on 203.0.113.1:9443: no network interface here has'],
    ['no-such-name.invalid', 9443, /ENOTFOUND|EAI_AGAIN/, /^cannot listen on no-such-name.invalid:9443: the name /],
  ] as const) {
    const app = testServer()
    t.teardown(() => app.close())
    const error: { code: string; message: string } = await listenOn(app, {
      host,
      port: wanted,
      setting: 'server.x (X)',
    }).then(
      () => t.fail('it listens'),
      (refusal) => refusal,
    )
    t.match(error.code, code)
    t.match(error.message, why)
    t.match(error.message, `(${error.code})`)
    t.match(error.message, /[Ss]et server\.x \(X\) to/)
  }
})
