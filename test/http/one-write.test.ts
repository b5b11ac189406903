import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { endWith } from '../../src/http/answers/one-write.js'
import { ensureDevelopmentCertificate } from '../../src/http/tls/development-ca.js'
import { rawConnection } from '../support/traffic/http-raw.js'

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
const bodies = new Map([
  ['/every-byte', everyByte],
  ['/empty', Buffer.alloc(0)],
  ['/large', Buffer.alloc(300_000, 'é')],
])

const finished: string[] = []
const answer: RequestListener = (request, response) => {
  const [path = '', when] = (request.url ?? '').split('?')
  const body = bodies.get(path) ?? Buffer.alloc(0)
  response.once('finish', () => finished.push(path))
  response.writeHead(200, ['content-length', String(body.length)])
  if (when === 'head-first') response.flushHeaders()
  if (when === 'in-two') {
    response.write(body.subarray(0, 100))
    return endWith(response, body.subarray(100))
  }
  endWith(response, body)
}

for (const isTls of [false, true]) {
  t.test(`an answer in one write has the bytes that it was given${isTls ? ', over TLS' : ''}`, async (t) => {
    const files = isTls ? await ensureDevelopmentCertificate(t.testdir()) : undefined
    const server =
      files === undefined
        ? createServer(answer)
        : createTlsServer({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) }, answer)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const { port } = server.address() as AddressInfo
    const connection = await rawConnection({
      port,
      ...(files === undefined ? {} : { tls: { ca: readFileSync(files.caFile, 'utf8') } }),
    })
    finished.length = 0
    for (const path of bodies.keys()) {
      for (const when of ['', '?head-first', '?in-two']) {
        connection.send(`GET ${path}${when} HTTP/1.1\r\nHost: a\r\n\r\n`)
        const { status, body } = await connection.answer()
        t.equal(status, 200)
        t.equal(body, bodies.get(path)?.toString('latin1'), `${path}${when}`)
      }
    }
    t.same(
      finished,
      [...bodies.keys()].flatMap((path) => [path, path, path]),
      'each answer ends, and the connection goes on',
    )
    connection.end()
  })
}

t.test('a connection that has gone is left alone', async (t) => {
  const server = createServer((request, response) => {
    request.socket.destroy()
    response.once('close', () => {
      endWith(response, everyByte)
      server.close()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const connection = await rawConnection({ port: (server.address() as AddressInfo).port })
  connection.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  t.equal(await connection.closed(), '')
})
