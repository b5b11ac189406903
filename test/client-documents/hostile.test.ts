// Hosts of documents that mean harm (decision 152): what an untrusted party can have this server wait for, hold in memory, believe or
// call by naming a URL.

import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { createClientDocuments } from '../../src/client-documents/client-documents.js'
import { DocumentRefused } from '../../src/client-documents/document-refused.js'
import { documentFetch } from '../../src/client-documents/fetch-document.js'
import { isPublicAddress, publicLookup } from '../../src/egress/public-address.js'
import type { ResolveAll } from '../../src/egress/tenant-names.js'
import { clientIdentifierUrlProblem } from '../../src/oauth/requests/client-identifier-url.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'
import { type DocumentHost, startDocumentHost } from '../support/providers/document-host.js'
import { until } from '../support/traffic/until.js'

interface Opening {
  allow?: string[]
  timeoutMs?: number
  resolve?: ResolveAll
}

async function open(t: Parameters<typeof startDocumentHost>[0], { allow = ['localhost'], ...more }: Opening = {}) {
  const host = await startDocumentHost(t)
  const outcomes: string[] = []
  const { resolve, ...bounds } = more
  const documents = createClientDocuments({
    trust: 'any',
    fetch: documentFetch({
      ...{ allow, ca: host.ca, ...bounds },
      ...(resolve === undefined ? {} : { names: () => resolve }),
    }),
    counters: createInProcessCounters(),
    monotonic: () => 0,
    now: () => 1_000_000,
    onFetched: (outcome) => void outcomes.push(outcome),
  })
  /** Why the document at a path, or a URL, is not taken. Each comes from another address. */
  const reasonOf = async (at: string) => {
    try {
      await documents.find(at.startsWith('/') ? host.origin + at : at, at)
      return 'taken'
    } catch (error) {
      return error instanceof DocumentRefused ? error.reason : String(error)
    }
  }
  return { host, documents, outcomes, reasonOf }
}

const plainOf = (host: DocumentHost, path: string) =>
  JSON.stringify({ client_id: host.origin + path, redirect_uris: ['https://a.test/'] })

t.test(
  'identity: a document that comes a byte at a time ends with the deadline, and so does its connection',
  async (t) => {
    const { host, reasonOf, outcomes } = await open(t, { timeoutMs: 300 })
    let sent = 0
    let isOver = false
    host.answer('/trickle', (response) => {
      const text = plainOf(host, '/trickle')
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
      const timer = setInterval(() => response.write(text[sent++] ?? ' '), 20)
      response.on('close', () => {
        clearInterval(timer)
        isOver = true
      })
    })
    t.equal(await reasonOf('/trickle'), 'document_unreachable')
    await until('the connection is over', () => isOver)
    t.ok(sent < plainOf(host, '/trickle').length, 'and not because it was whole')
    host.answer('/half', (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000_000_000 })
      response.write('{')
    })
    t.equal(await reasonOf('/half'), 'document_unreachable')
    t.same(outcomes, ['unreachable', 'unreachable'])
  },
)

t.test('identity: a host that takes the connection and says nothing is not waited for', async (t) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { reasonOf } = await open(t, { timeoutMs: 200 })
  const { port } = server.address() as { port: number }
  t.equal(await reasonOf(`https://localhost:${port}/client.json`), 'document_unreachable', 'not even TLS')
})

t.test('identity: no more of an answer is held than fits, however it comes', async (t) => {
  const { host, reasonOf, outcomes } = await open(t)
  const whole = (path: string, pad: number) => `${plainOf(host, path).slice(0, -1)},"x":"${'a'.repeat(pad)}"}`
  const json = { 'content-type': 'application/json' }
  host.answer('/endless', (response) => {
    response.writeHead(200, json)
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(4_096))) {}
    }
    response.on('drain', more)
    more()
  })
  t.equal(await reasonOf('/endless'), 'document_large', 'in chunks without an end')
  const gzip = { ...json, 'content-encoding': 'gzip' }
  host.answer('/bomb', { body: gzipSync(whole('/bomb', 5_000_000)), headers: gzip })
  host.answer('/small-gzip', { body: gzipSync(plainOf(host, '/small-gzip')), headers: gzip })
  t.equal(await reasonOf('/bomb'), 'document_wrong', 'what is packed is never unpacked')
  t.equal(await reasonOf('/small-gzip'), 'document_wrong')
  host.answer('/fields', { body: plainOf(host, '/fields'), headers: { ...json, 'x-large': 'a'.repeat(40_000) } })
  t.equal(await reasonOf('/fields'), 'document_unreachable', 'nor in its header fields')
  const exact = 10_240 - whole('/exact', 0).length
  host.answer('/exact', { body: whole('/exact', exact), headers: json })
  host.answer('/one-more', { body: whole('/one-more', exact), headers: json })
  t.equal(await reasonOf('/exact'), 'taken')
  t.equal(await reasonOf('/one-more'), 'document_large')
  t.same(outcomes, ['large', 'wrong', 'wrong', 'unreachable', 'taken', 'large'])
})

t.test('G14 identity: a redirect leads nowhere, also to itself', async (t) => {
  const { host, reasonOf } = await open(t)
  for (const status of [301, 302, 303, 307, 308]) {
    const path = `/moved-${status}`
    host.answer(path, {
      status,
      headers: { location: path, 'content-type': 'application/json' },
      body: plainOf(host, path),
    })
    t.equal(await reasonOf(path), 'document_status', String(status))
  }
  t.equal(host.requests.length, 5, 'once each')
})

t.test('identity: what two readers could read differently is no document', async (t) => {
  const { host, reasonOf } = await open(t)
  const mine = (path: string) => JSON.stringify(host.origin + path)
  const uris = '"redirect_uris":["https://a.test/"]'
  const cases: [string, (path: string) => string | Buffer][] = [
    ['/escaped', (path) => `{"client_id":${mine(path)},"client\\u005fid":${mine('/other')},${uris}}`],
    ['/first', (path) => `{"client_id":${mine('/other')},"client_id":${mine(path)},${uris}}`],
    ['/nested', (path) => `{"client_id":${mine(path)},${uris},"jwks":{"keys":[],"keys":[{}]}}`],
    ['/two', (path) => `{"client_id":${mine(path)},${uris}}{}`],
    ['/mark', (path) => `\ufeff{"client_id":${mine(path)},${uris}}`],
    ['/utf-16', (path) => Buffer.from(`{"client_id":${mine(path)},${uris}}`, 'utf16le')],
    ['/latin-1', (path) => Buffer.from(`{"client_id":${mine(path)},${uris},"client_name":"Zürich"}`, 'latin1')],
    ['/deep', () => '['.repeat(10_000)],
    ['/list', (path) => `[{"client_id":${mine(path)},${uris}}]`],
    ['/prototype', (path) => `{"__proto__":{"client_id":${mine(path)},${uris}}}`],
    ['/upper', (path) => `{"Client_Id":${mine(path)},${uris}}`],
  ]
  for (const [path, body] of cases) {
    host.answer(path, { body: body(path), headers: { 'content-type': 'application/json' } })
    t.equal(await reasonOf(path), 'document_wrong', path)
  }
})

t.test('G14 identity: addresses inside are called by no spelling', async (t) => {
  const { host, reasonOf, outcomes } = await open(t, { allow: [] })
  const inside = [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::a00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fc00::1]',
    '[ff02::1]',
    '[::]',
    '0.0.0.0',
    '100.64.0.1',
    '198.18.0.1',
    '192.0.0.192',
    '224.0.0.1',
    '255.255.255.255',
  ]
  for (const address of inside) {
    const url = `https://${address}/client.json`
    const canonical = new URL(url).href
    t.equal(await reasonOf(canonical), 'document_unreachable', canonical)
    t.equal(isPublicAddress(new URL(url).hostname.replace(/[[\]]/g, '')), false, address)
    if (canonical !== url) t.equal(await reasonOf(url), 'document_url', url)
  }
  for (const spelled of ['0177.0.0.1', '0x7f.1', '127.1', '2130706433', '０.0.0.0', '127。0。0。1']) {
    t.type(clientIdentifierUrlProblem(`https://${spelled}/client.json`), 'string', spelled)
    t.equal(await reasonOf(`https://${spelled}/client.json`), 'document_url', spelled)
  }
  t.same(host.requests, [])
  t.same([...new Set(outcomes)], ['unreachable'])
})

t.test(
  'identity: a name that turns inward between two look-ups is judged in the one that is connected to',
  async (t) => {
    const answers = [['192.0.32.7'], ['127.0.0.1'], ['192.0.32.7', '10.0.0.1'], ['::ffff:127.0.0.1'], ['::1']]
    let lookups = 0
    const resolve: ResolveAll = (_name, _options, callback) => {
      const now = answers[lookups++ % answers.length] ?? []
      callback(
        null,
        now.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    }
    const look = () =>
      new Promise<unknown>((done) => {
        const lookup = publicLookup('rebinding.test', { allowed: new Set(), tenant: 'x', resolve })
        lookup('rebinding.test', { all: true }, (error, found) => done(error === null ? found : error.name))
      })
    t.same(await look(), [{ address: '192.0.32.7', family: 4 }], 'what is answered is what is connected to')
    for (let i = 1; i < answers.length; i += 1) t.equal(await look(), 'AddressNotPublic', String(answers[i]))
    lookups = 1
    const { host, reasonOf } = await open(t, { allow: [], resolve })
    const { port } = new URL(host.origin)
    t.equal(await reasonOf(`https://rebinding.test:${port}/client.json`), 'document_unreachable')
    t.equal(lookups, 2, 'one look-up for one connection: there is none before it')
    t.same(host.requests, [])
  },
)

t.test('identity: hosts that look alike have one spelling, in which their letters are seen', async (t) => {
  const { reasonOf, host } = await open(t, { allow: [] })
  for (const name of [
    'аррӏе.example',
    'agent.еxample',
    'ａgent.example',
    'agent\u00ad.example',
    'agent\u200b.example',
  ]) {
    t.equal(await reasonOf(`https://${name}/client.json`), 'document_url', name)
  }
  t.equal(
    clientIdentifierUrlProblem('https://xn--80ak6aa92e.example/client.json'),
    undefined,
    'as it is called, in ASCII',
  )
  t.same(host.requests, [])
})
