// Names that tenants choose are looked up so that nobody else waits for them.

import { createSocket, type Socket } from 'node:dgram'
import dns, { lookup } from 'node:dns'
import t from 'tap'
import { operatorLookup, systemLookup } from '../../src/egress/operator-names.js'
import { createTenantNames, type ResolveAll } from '../../src/egress/tenant-names.js'
import { issuerEgress } from '../../src/tokens/external/issuer-egress.js'
import { createIssuerKeys } from '../../src/tokens/external/issuer-keys.js'

type Test = Pick<typeof t, 'teardown'>

/** A DNS server that answers `known.*` with an address, `none.*` with nothing, and all else never. */
async function nameServer(t: Test): Promise<{ servers: string[]; queries: string[] }> {
  const socket: Socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (question, { port, address }) => {
    const name = nameIn(question)
    if (question.readUInt16BE(question.length - 4) === 1) queries.push(name)
    if (name.startsWith('known.') || name.startsWith('none.')) socket.send(answerTo(question, name), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  t.teardown(() => socket.close())
  return { servers: [`127.0.0.1:${socket.address().port}`], queries }
}

function nameIn(question: Buffer): string {
  const labels: string[] = []
  for (let at = 12; (question[at] ?? 0) > 0; at += (question[at] ?? 0) + 1) {
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)))
  }
  return labels.join('.').toLowerCase()
}

/** 192.0.2.1 to a question for A; no record else. */
function answerTo(question: Buffer, name: string): Buffer {
  const end = 12 + name.length + 2 + 4
  const isA = question.readUInt16BE(end - 4) === 1 && name.startsWith('known.')
  const head = Buffer.from([question[0] ?? 0, question[1] ?? 0, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0])
  const record = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1])
  return Buffer.concat([head, question.subarray(12, end), ...(isA ? [record] : [])])
}

/** The addresses, or the code of the mistake. */
function asking(resolve: ResolveAll, name: string): Promise<unknown> {
  return new Promise((settle) =>
    resolve(name, {}, (error, found) => settle(error === null ? found.map(({ address }) => address) : error.code)),
  )
}

t.test(
  'gateway M3: silent names of tenants keep neither the system’s look-ups nor another tenant waiting',
  async (t) => {
    const { servers, queries } = await nameServer(t)
    const names = createTenantNames({ servers, timeoutMs: 60_000, tries: 1, wholeMs: 60_000 })
    const silent = Array.from({ length: 24 }, (_, i) => asking(names('one'), `silent-${i}.example.com`))
    // What upstreams, PostgreSQL and Redis use. With the silent names in its threads this would wait for all of them.
    const local = await new Promise((resolve) => lookup('localhost', (_error, address) => resolve(address)))
    t.match(String(local), /^(127\.|::1)/)
    t.same(await asking(names('other'), 'KNOWN.example.com'), ['192.0.2.1'])
    t.same(
      new Set(queries),
      new Set(['silent-0.example.com', 'silent-1.example.com', 'known.example.com']),
      'two at a time',
    )
    t.equal(silent.length, 24)
  },
)

t.test('gateway M3: a silent name ends in time, and what is known of a name is remembered for a moment', async (t) => {
  const { servers, queries } = await nameServer(t)
  const names = createTenantNames({ servers, timeoutMs: 100, tries: 1, wholeMs: 60_000, rememberMs: 60_000 })
  t.equal(await asking(names('one'), 'silent.example.com'), 'EAI_AGAIN')
  t.equal(await asking(names('one'), 'none.example.com'), 'ENOTFOUND')
  t.same(await asking(names('one'), 'known.example.com'), ['192.0.2.1'])
  const before = queries.length
  t.equal(await asking(names('two'), 'Silent.example.com'), 'EAI_AGAIN')
  t.equal(await asking(names('two'), 'none.example.com'), 'ENOTFOUND')
  t.equal(queries.length, before, 'no second query')
  const late = createTenantNames({ servers, timeoutMs: 60_000, tries: 1, wholeMs: 50 })
  t.equal(await asking(late('one'), 'silent.example.com'), 'EAI_AGAIN', 'whatever the name server does')
})

t.test('gateway M3: who waits is bounded for each tenant', async (t) => {
  const { servers } = await nameServer(t)
  const names = createTenantNames({ servers, timeoutMs: 60_000, tries: 1, wholeMs: 60_000 })
  for (let i = 0; i < 32; i++) void asking(names('one'), `silent-${i}.example.com`)
  t.equal(await asking(names('one'), 'known.example.com'), 'EAI_AGAIN', 'one too many')
  const short = createTenantNames({ servers, timeoutMs: 60_000, tries: 1, wholeMs: 300 })
  const line = ['silent-a', 'silent-b', 'known'].map((name) => asking(short('one'), `${name}.example.com`))
  t.same(
    await asking(short('two'), 'known.example.com'),
    ['192.0.2.1'],
    'another tenant stands in no line of the first',
  )
  await Promise.all(line)
})

t.test(
  'gateway M3: silent issuers of one tenant, each under its own domain, keep no other tenant waiting',
  async (t) => {
    const { servers, queries } = await nameServer(t)
    const names = createTenantNames({ servers, timeoutMs: 60_000, tries: 1, wholeMs: 60_000 })
    const fetch = issuerEgress({ fetch: true, allow: [], ca: undefined, names })
    const keys = createIssuerKeys({ fetch, monotonic: () => 0 })
    for (let i = 0; i < 200; i += 1) void keys.find(`https://silent.domain-${i}.example`, 'k', 'one')
    // The address is no public one: no document is fetched here.
    t.equal(await keys.find('https://known.domain.example', 'k', 'other'), 'away')
    t.ok(queries.includes('known.domain.example'))
    t.equal(new Set(queries.filter((name) => name.startsWith('silent'))).size, 2)
  },
)

t.test('gateway M3: a tenant with very many issuers has those of no other forgotten', async (t) => {
  const lookups: string[] = []
  const fetch = async (url: string, tenantId: string) => {
    lookups.push(`${tenantId} ${new URL(url).host}`)
    throw new Error('nobody answers')
  }
  const keys = createIssuerKeys({ fetch, monotonic: () => 0 })
  const times = (what: string) => lookups.filter((each) => each === what).length
  await keys.find('https://issuer.example', 'k', 'other')
  for (let i = 0; i < 1_500; i += 1) await keys.find(`https://domain-${i}.example`, 'k', 'one')
  await keys.find('https://issuer.example', 'k', 'other')
  t.equal(times('other issuer.example'), 1, 'its pause is remembered')
  await keys.find('https://issuer.example', 'k', 'one')
  t.equal(times('one issuer.example'), 1, 'each tenant asks for itself')
  await keys.find('https://domain-1499.example', 'k', 'one')
  t.equal(times('one domain-1499.example'), 1)
  await keys.find('https://domain-0.example', 'k', 'one')
  t.equal(times('one domain-0.example'), 2, 'its own oldest were forgotten')
})

t.test(
  'gateway M3: a name of the operator takes one thread of the system’s resolver, however often it is looked up',
  async (t) => {
    const original = dns.lookup
    const waiting: ((error: null, found: object[]) => void)[] = []
    t.teardown(() => Object.assign(dns, { lookup: original }))
    Object.assign(dns, {
      lookup: (_name: string, _options: object, found: (typeof waiting)[0]) => void waiting.push(found),
    })
    const twice = [asking(systemLookup, 'db.example.com'), asking(systemLookup, 'db.example.com')]
    t.equal(waiting.length, 1)
    waiting[0]?.(null, [{ address: '192.0.2.7', family: 4 }])
    t.same(await Promise.all(twice), [['192.0.2.7'], ['192.0.2.7']])
    void asking(systemLookup, 'db.example.com')
    t.equal(waiting.length, 2, 'what was found is not kept')
    const one = (options: { all?: boolean }) =>
      new Promise((resolve) => operatorLookup('p.example.com', options, (error, found) => resolve(error ?? found)))
    const connections = [one({}), one({ all: true }), one({})]
    t.equal(waiting.length, 3, 'however many connections are made')
    waiting[2]?.(null, [{ address: '192.0.2.8', family: 4 }])
    t.same(await Promise.all(connections), ['192.0.2.8', [{ address: '192.0.2.8', family: 4 }], '192.0.2.8'])
  },
)
