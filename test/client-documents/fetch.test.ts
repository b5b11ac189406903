// Documents of clients that nobody registered (decision 152): the form of a URL, the fetch, how long a copy is believed,
// and how often anybody may have one fetched.

import t from 'tap'
import { createClientDocuments, type DocumentTrust } from '../../src/client-documents/client-documents.js'
import { DocumentRefused } from '../../src/client-documents/document-refused.js'
import { documentFetch } from '../../src/client-documents/fetch-document.js'
import { clientIdentifierUrlProblem } from '../../src/oauth/requests/client-identifier-url.js'
import { applicationIdOf, documentApplicationId } from '../../src/oauth/secrets/document-application-id.js'
import { parseGuid } from '../../src/oauth/secrets/guid.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'
import { type DocumentHost, startDocumentHost } from '../support/providers/document-host.js'

const minuteMs = 60_000

interface Opening {
  trust?: DocumentTrust
  allow?: string[]
  timeoutMs?: number
}

async function open(t: Parameters<typeof startDocumentHost>[0], { trust = 'any', allow, timeoutMs }: Opening = {}) {
  const host = await startDocumentHost(t)
  const clock = { ms: 0 }
  const documents = createClientDocuments({
    trust,
    fetch: documentFetch({
      allow: allow ?? ['localhost'],
      ca: host.ca,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }),
    counters: createInProcessCounters(),
    monotonic: () => clock.ms,
    now: () => 1_000_000 + clock.ms,
  })
  return { host, clock, documents }
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'taken'
  } catch (error) {
    return error instanceof DocumentRefused ? error.reason : String(error)
  }
}

t.test(
  'identity: a client_id that is a URL has one spelling, and whatever else it could be read as is refused',
  async (t) => {
    const right = [
      'https://agent.example/client.json',
      'https://xn--bcher-kva.example:8443/a/b',
      'https://a.example/%C3%A4',
    ]
    for (const url of right) t.equal(clientIdentifierUrlProblem(url), undefined, url)
    const wrong = [
      'http://agent.example/client.json',
      'https://agent.example',
      'https://agent.example/',
      'https://agent.example//..//client',
      'https://agent.example/a/../client.json',
      'https://agent.example/a/./client.json',
      'https://agent.example/a/%2e%2E/client.json',
      'https://agent.example/a%2Fclient.json',
      'https://agent.example/a%5cclient.json',
      'https://agent.example/client.json?a=b',
      'https://agent.example/client.json?',
      'https://agent.example/client.json#a',
      'https://user@agent.example/client.json',
      'https://agent.example:443/client.json',
      'https://Agent.example/client.json',
      'HTTPS://agent.example/client.json',
      'https:/agent.example/client.json',
      'https:\\\\agent.example/client.json',
      'https://agent.example\\@evil.example/client.json',
      'https://agent.example/a b',
      'https://bücher.example/client.json',
      'https://127.1/client.json',
      'https://2130706433/client.json',
      'https://agent.example./../x',
      `https://agent.example/${'a'.repeat(512)}`,
    ]
    for (const url of wrong) t.type(clientIdentifierUrlProblem(url), 'string', url)
  },
)

t.test('identity: the application of a URL is another one in each tenant, and a GUID', async (t) => {
  const url = 'https://agent.example/client.json'
  const [one, other] = ['a', 'b'].map((tenantId) => documentApplicationId(url, tenantId))
  t.equal(parseGuid(one), one)
  t.not(one, other)
  t.equal(applicationIdOf(url, 'a'), one)
  t.equal(applicationIdOf(other as string, 'a'), other, 'an identifier stays itself')
})

t.test('identity: a document is fetched as nobody in particular, once for all who wait', async (t) => {
  const { host, documents } = await open(t)
  const url = host.host('/client.json')
  const all = await Promise.all(Array.from({ length: 20 }, () => documents.find(url, '192.0.2.1')))
  t.equal(host.requests.length, 1)
  t.match(all[7], { url, clientName: 'Agent', type: 'native', fetchedAt: 1_000_000 })
  t.equal(host.lastHeaders['accept'], 'application/json')
  for (const name of ['cookie', 'referer', 'authorization', 'user-agent', 'x-forwarded-for'])
    t.equal(host.lastHeaders[name], undefined, name)
})

t.test('identity: only a 200 of JSON that fits and comes in time is a document', async (t) => {
  const { host, documents } = await open(t)
  const url = (path: string) => `${host.origin}${path}`
  const body = (path: string) => JSON.stringify({ client_id: url(path), redirect_uris: ['https://a.test/'] })
  const cases: [string, Parameters<DocumentHost['answer']>[1] | undefined, string][] = [
    ['/absent', undefined, 'document_status'],
    ['/moved', { status: 302, headers: { location: url('/right') } }, 'document_status'],
    ['/moved-for-good', { status: 308, headers: { location: url('/right') } }, 'document_status'],
    ['/created', { status: 201, body: body('/created') }, 'document_status'],
    ['/broken', { status: 500 }, 'document_status'],
    ['/html', { body: body('/html'), headers: { 'content-type': 'text/html' } }, 'document_type'],
    ['/like', { body: body('/like'), headers: { 'content-type': 'application/jsonp' } }, 'document_type'],
    ['/large', { body: body('/large') + ' '.repeat(10_240) }, 'document_large'],
    ['/other', { body: body('/right') }, 'document_wrong'],
    ['/twice', { body: `{"client_id":"https://evil.example/c",${body('/twice').slice(1)}` }, 'document_wrong'],
  ]
  host.host('/right')
  for (const [path, hosted, reason] of cases) {
    if (hosted !== undefined) host.answer(path, hosted)
    // One address for each: the limit by address is another test's.
    t.equal(await reasonOf(documents.find(url(path), path)), reason, path)
  }
  t.notOk(host.requests.includes('/right'), 'nothing is followed')
  const suffixed = { body: body('/suffixed'), headers: { 'content-type': 'Application/CIMD+json; charset=utf-8' } }
  t.equal(await reasonOf(documents.find(host.answer('/suffixed', suffixed), 'x')), 'taken')
})

t.test('identity: who does not answer is not waited for', async (t) => {
  const { host, documents } = await open(t, { timeoutMs: 200 })
  t.equal(await reasonOf(documents.find(host.answer('/silent', 'silent'), 'x')), 'document_unreachable')
})

t.test('identity: addresses that are not public are not called, and the answer does not say why', async (t) => {
  const { host, documents } = await open(t, { allow: [] })
  const paths = [`${host.origin}/client.json`, 'https://127.0.0.1/client.json', 'https://10.0.0.1/client.json']
  for (const url of [...paths, 'https://169.254.169.254/latest', 'https://[::1]/client.json']) {
    const error = await documents.find(url, '192.0.2.1').catch((error: unknown) => error)
    t.match(error, { reason: 'document_unreachable' }, url)
    t.match((error as Error).message, 'could not be fetched')
    t.notMatch((error as Error).message, /ECONN|ENOTFOUND|not a public/)
  }
  t.same(host.requests, [])
})

t.test('identity: the configuration says whose documents are taken', async (t) => {
  const off = await open(t, { trust: 'off' })
  t.equal(off.documents.isOn, false)
  t.equal(await reasonOf(off.documents.find(off.host.host('/client.json'), 'x')), 'document_untrusted')
  const listed = await open(t, { trust: ['agent.example'] })
  t.equal(await reasonOf(listed.documents.find(listed.host.host('/client.json'), 'x')), 'document_untrusted')
  t.equal(listed.documents.isTrusted('https://agent.example/client.json'), true)
  t.equal(listed.documents.isTrusted('https://agent.example.evil.test/client.json'), false)
  t.equal(listed.documents.isTrusted('https://sub.agent.example/client.json'), false)
  t.same([...off.host.requests, ...listed.host.requests], [])
})

t.test('identity: a copy is believed for a minute at least and a day at most', async (t) => {
  const { host, clock, documents } = await open(t)
  const fetches = async (cacheControl: string | undefined, waits: number[]) => {
    const path = `/${cacheControl ?? 'nothing'}`.replace(/[^/\w-]/g, '_')
    const url = `${host.origin}${path}`
    const headers: Record<string, string> = cacheControl === undefined ? {} : { 'cache-control': cacheControl }
    host.answer(path, { body: JSON.stringify({ client_id: url, redirect_uris: ['https://a.test/'] }), headers })
    const before = host.requests.length
    const counts: number[] = []
    await documents.find(url, path)
    for (const wait of waits) {
      clock.ms += wait
      await documents.find(url, path)
      counts.push(host.requests.length - before)
    }
    return counts
  }
  t.same(await fetches('no-store', [minuteMs - 1, 1]), [1, 2])
  t.same(await fetches('max-age=1', [minuteMs - 1, 1]), [1, 2])
  t.same(await fetches('public, max-age=3600', [59 * minuteMs, minuteMs]), [1, 2])
  t.same(await fetches('max-age=99999999', [1439 * minuteMs, minuteMs]), [1, 2])
  t.same(await fetches(undefined, [4 * minuteMs, minuteMs]), [1, 2])
})

t.test(
  'identity: a failure is known for some seconds and is no document; a copy outlives its host by a day',
  async (t) => {
    const { host, clock, documents } = await open(t)
    const url = `${host.origin}/client.json`
    for (let i = 0; i < 5; i += 1) t.equal(await reasonOf(documents.find(url, 'x')), 'document_status')
    t.equal(host.requests.length, 1, 'fetched once')
    host.host('/client.json')
    clock.ms += 10_000
    t.equal(await reasonOf(documents.find(url, 'x')), 'taken')
    await host.stop()
    clock.ms += 60 * minuteMs
    t.equal(await reasonOf(documents.find(url, 'x')), 'taken', 'the last good copy')
    t.equal(documents.known(url)?.url, url)
    clock.ms += 1440 * minuteMs
    t.equal(await reasonOf(documents.find(url, 'x')), 'document_unreachable', 'a day later')
    t.equal(documents.known(url), undefined)
    await host.start()
    clock.ms += minuteMs
    t.equal(await reasonOf(documents.find(url, 'x')), 'taken')
    clock.ms += 60 * minuteMs
    host.answer('/client.json', { status: 404 })
    t.equal(await reasonOf(documents.find(url, 'x')), 'document_status', 'its host says that there is none')
    t.equal(documents.known(url), undefined)
  },
)

t.test(
  'G13 identity: slow hosts of a few addresses do not keep the documents of others from being fetched',
  async (t) => {
    const late: { at: number; end: () => void }[] = []
    let [ms, isSlow] = [0, false]
    const documents = createClientDocuments({
      trust: 'any',
      fetch: (url) => {
        const bytes = Buffer.from(JSON.stringify({ client_id: url, redirect_uris: ['http://127.0.0.1/cb'] }))
        if (!isSlow || url.includes('other')) return Promise.resolve({ bytes, cacheControl: 'no-store' })
        return new Promise((_, reject) => {
          const error = new DocumentRefused('document_unreachable', 'It is slow.', { isPassing: true })
          late.push({ at: ms + 5_000, end: () => reject(error) })
        })
      },
      counters: createInProcessCounters(),
      monotonic: () => ms,
      now: () => 1_800_000_000_000 + ms,
    })
    const pages = [0, 1, 2, 3].flatMap((who) =>
      Array.from({ length: 12 }, (_, i) => ({
        address: `198.18.0.${who}`,
        url: `https://h${i % 6}.slow${who}.example/c${i}.json`,
      })),
    )
    for (const { url, address } of pages) t.equal(await reasonOf(documents.find(url, address)), 'taken')
    ms += minuteMs
    isSlow = true
    let taken = 0
    for (let second = 0; second < 300; second += 1) {
      ms += 1_000
      for (const one of late.splice(0)) {
        if (one.at <= ms) one.end()
        else late.push(one)
      }
      await new Promise(setImmediate)
      for (const { url, address } of pages) documents.find(url, address).catch(() => undefined)
      await new Promise(setImmediate)
      const reason = await reasonOf(
        documents.find(`https://other${second}.example/c.json`, `203.0.113.${second % 250}`),
      )
      if (reason === 'taken') taken += 1
    }
    t.ok(taken > 240, `${taken} of 300`)
    isSlow = false
    ms += 1_000
    t.equal(
      await reasonOf(documents.find('https://h0.slow0.example/else.json', '203.0.113.77')),
      'taken',
      'nor those of such a host',
    )
  },
)

t.test(
  'G13 identity: a flood of invented URLs is bounded by address, by domain and by what is under way',
  async (t) => {
    const { host, documents } = await open(t)
    const invented = (i: number) => `${host.origin}/invented-${i}`
    const known = host.host('/client.json')
    await documents.find(known, 'somebody')
    for (let i = 0; i < 100; i += 1) await reasonOf(documents.find(invented(i), '192.0.2.1'))
    t.equal(host.requests.length, 1 + 20, 'by address')
    for (let i = 100; i < 300; i += 1) await reasonOf(documents.find(invented(i), `192.0.2.${i % 200}`))
    t.equal(host.requests.length, 120, 'by domain')
    t.equal(await reasonOf(documents.find(invented(999), '198.51.100.1')), 'document_busy')
    t.equal(await reasonOf(documents.find(known, '192.0.2.1')), 'taken', 'a client that is known is not held up')
  },
)

t.test('identity: two documents of one host, and sixteen of all, are fetched at once', async (t) => {
  const waiting: (() => void)[] = []
  const documents = createClientDocuments({
    trust: 'any',
    fetch: async (url) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      const document = { client_id: url, redirect_uris: ['https://a.test/'] }
      return { bytes: Buffer.from(JSON.stringify(document)), cacheControl: '' }
    },
    counters: createInProcessCounters(),
    monotonic: () => 0,
    now: () => 0,
  })
  const fetchAll = (domains: number, each: number) =>
    Array.from({ length: domains * each }, (_, i) =>
      reasonOf(documents.find(`https://d${i % domains}.test/${each}-${i}`, `${i}`)),
    )
  const ofOne = fetchAll(1, 5)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(waiting.length, 2)
  const ofMany = fetchAll(20, 1)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(waiting.length, 16)
  for (const go of waiting) go()
  t.same((await Promise.all(ofOne)).sort(), ['document_busy', 'document_busy', 'document_busy', 'taken', 'taken'])
  t.equal((await Promise.all(ofMany)).filter((each) => each === 'taken').length, 14)
})
