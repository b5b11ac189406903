// Lists of subscriptions and resource groups over both sources: pages, filters, orders, and tokens that were not
// issued.

import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import type { SubscriptionState } from '../../src/backend/subscription-states.js'
import {
  now,
  sources,
  subscriptionPair,
  type TestBackend,
  tenantA,
  tenantB,
  testBackend,
} from '../support/rooms/backend-app.js'

const root = '/api/v2/subscriptions'

interface Row {
  id: string
  subscriptionId: string
  displayName: string
  state: string
}

/** Follows the next links from `path` to the end. */
async function walk(call: TestBackend['call'], path: string): Promise<{ pages: Row[][]; links: string[] }> {
  const pages: Row[][] = []
  const links: string[] = []
  let next: string | undefined = path
  while (next !== undefined) {
    const answer = await call({ path: next })
    if (answer.status !== 200) throw new Error(`${next} is ${answer.status}: ${answer.text}`)
    pages.push(answer.json as Row[])
    const link = answer.headers.link as string | undefined
    if (link !== undefined) links.push(link)
    next = link === undefined ? undefined : /^<https:\/\/api\.example\.com(\/[^>]*)>; rel="next"$/.exec(link)?.[1]
  }
  return { pages, links }
}

for (const { name, open } of sources) {
  t.test(`the list is a bare array of the tenant's subscriptions (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    const empty = await call({ path: root })
    t.equal(empty.text, '[]')
    t.equal(empty.headers['content-type'], 'application/json', 'to the letter')
    t.equal(empty.headers.link, undefined)

    const pairs = ['b', 'a', 'c'].map((displayName, index) => subscriptionPair({ displayName, createdAt: now + index }))
    for (const pair of pairs) await source.addSubscription(tenantA, pair)
    await source.addSubscription(tenantB, subscriptionPair({ displayName: 'other' }))
    const expected = pairs.map(({ subscription: { id, subscriptionId, displayName, state } }) => ({
      id,
      subscriptionId,
      displayName,
      state,
    }))
    const answer = await call({ path: root })
    t.same(answer.json, expected, 'four fields each, the oldest first')
    t.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.text)))
    const others = (await call({ path: root }, { tid: tenantB })).json as Row[]
    t.same(
      others.map((row) => row.displayName),
      ['other'],
      'T22 the tenant is that of the assertion',
    )
  })

  t.test(`pages chained by Link hold every row exactly once (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    const rows = fc.array(
      fc.record({
        displayName: fc.constantFrom('a', 'b', 'é', '😀', "O'N"),
        state: fc.constantFrom<SubscriptionState>('Enabled', 'Warned'),
      }),
      { maxLength: 9 },
    )
    const order = fc.constantFrom(
      '',
      '&$orderby=displayName',
      '&$orderby=state desc,displayName',
      '&$orderby=displayName desc',
    )
    const filter = fc.constantFrom(
      '',
      "&$filter=state eq 'Enabled'",
      "&$filter=not (displayName eq 'O''N') or startswith(displayName,'😀')",
    )
    const held = await fc.check(
      fc.asyncProperty(rows, order, filter, fc.integer({ min: 1, max: 4 }), async (rows, order, filter, top) => {
        const tid = randomUUID()
        for (const row of rows) await source.addSubscription(tid, subscriptionPair(row))
        const inTenant: TestBackend['call'] = (wanted) => call(wanted, { tid })
        const query = encodeURI(`${order}${filter}`)
        const whole = (await call({ path: `${root}?$top=200${query}` }, { tid })).json as Row[]
        const { pages } = await walk(inTenant, `${root}?$top=${top}${query}`)
        const sizes = pages.slice(0, -1).every((page) => page.length === top)
        return (
          sizes &&
          JSON.stringify(pages.flat()) === JSON.stringify(whole) &&
          (filter !== '' || whole.length === rows.length)
        )
      }),
      { numRuns: 15 },
    )
    t.equal(held.failed, false, fc.defaultReportMessage(held) ?? 'the property holds')
  })

  t.test(`$top, $filter, $orderby and the next link (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    for (let index = 0; index < 201; index += 1) {
      const state = index % 2 === 0 ? 'Enabled' : 'Warned'
      await source.addSubscription(
        tenantA,
        subscriptionPair({ displayName: `S${String(index).padStart(3, '0')}`, state, createdAt: now + index }),
      )
    }
    const { pages, links } = await walk(call, root)
    t.same(
      pages.map((page) => page.length),
      [100, 100, 1],
      '100 a page by default',
    )
    t.match(
      links[0],
      /^<https:\/\/api\.example\.com\/api\/v2\/subscriptions\?\$skiptoken=[\w.-]+>; rel="next"$/,
      'built from the public address',
    )
    t.equal(((await call({ path: `${root}?$top=200` })).json as Row[]).length, 200)
    const whole = await walk(call, `${root}?$top=67`)
    t.same(
      whole.pages.map((page) => page.length),
      [67, 67, 67],
      'no link to an empty page',
    )

    const query = `$filter=${encodeURIComponent("state eq 'Warned' and startswith(displayName,'S00')")}&$orderby=displayName%20desc&$top=2`
    const filtered = await walk(call, `${root}?${query}`)
    t.same(
      filtered.pages.map((page) => page.map((row) => row.displayName)),
      [['S009', 'S007'], ['S005', 'S003'], ['S001']],
    )
    t.match(filtered.links[0], /\$filter=.*\$orderby=displayName%20desc/, 'the link repeats the query')
    const head = await call({ path: root, method: 'HEAD' })
    t.same([head.status, head.text, head.headers.link !== undefined], [200, '', true])

    for (const query of [
      '$top=0',
      '$top=201',
      '$top=x',
      '$top=1&$top=2',
      '$filter=id eq 1',
      '$orderby=id',
      '$skip=5',
      '$count=true',
      '$filter=',
      '$skiptoken=x',
      '$filter=%27%00',
    ]) {
      const answer = await call({ path: `${root}?${encodeURI(decodeURI(query))}` })
      t.equal(answer.status, 400, query)
      t.match(answer.json, { error: { code: /Option|Filter|OrderBy|SkipToken|Target/ } }, query)
    }
  })

  t.test(`U3 a $skiptoken that this tenant's query did not get is 400 (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    for (const displayName of ['a', 'b', 'c']) {
      await source.addSubscription(tenantA, subscriptionPair({ displayName }))
      await source.addSubscription(tenantB, subscriptionPair({ displayName }))
    }
    const link = String((await call({ path: `${root}?$top=1` })).headers.link)
    const token = /skiptoken=([\w.-]+)>/.exec(link)?.[1] ?? ''
    t.equal((await call({ path: `${root}?$top=2&$skiptoken=${token}` })).status, 200, '$top may change')
    const [payload = '', mac = ''] = token.split('.')
    const forged = Buffer.from(JSON.stringify([0, '00000000-0000-4000-8000-000000000000'])).toString('base64url')
    const refused: [string, string, string][] = [
      ['another tenant', `$skiptoken=${token}`, tenantB],
      ['another filter', `$filter=state%20eq%20'Enabled'&$skiptoken=${token}`, tenantA],
      ['another order', `$orderby=state&$skiptoken=${token}`, tenantA],
      ['a made-up position', `$skiptoken=${forged}.${mac}`, tenantA],
      ['a cut signature', `$skiptoken=${payload}.${mac.slice(0, -1)}`, tenantA],
      ['no signature', `$skiptoken=${payload}`, tenantA],
      ['SQL', `$skiptoken=${encodeURIComponent("' or '1'='1")}`, tenantA],
    ]
    for (const [title, query, tid] of refused) {
      const answer = await call({ path: `${root}?${query}` }, { tid })
      t.equal(answer.status, 400, title)
      t.match(answer.json, { error: { code: 'InvalidSkipToken', target: '$skiptoken' } }, title)
    }
    t.equal((await call({ path: `/api/v2/resourceGroups?$skiptoken=${token}` })).status, 400, 'another list')
  })

  t.test(`resource groups in pages (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    for (const displayName of ['a', 'b', 'c', 'd', 'e'])
      await source.addSubscription(tenantA, subscriptionPair({ displayName }))
    const { pages, links } = await walk(call, '/api/v2/resourceGroups?$top=2')
    t.same(
      pages.map((page) => page.length),
      [2, 2, 1],
    )
    t.equal(new Set(pages.flat().map((group) => group.id)).size, 5)
    const token = /skiptoken=([\w.-]+)>/.exec(links[0] ?? '')?.[1] ?? ''
    t.equal(
      (await call({ path: `/api/v2/resourceGroups?$skiptoken=${token}` }, { tid: tenantB })).status,
      400,
      'U3 another tenant',
    )
    t.equal(
      (await call({ path: `/api/v2/resourceGroups?$skiptoken=${token.slice(1)}` })).status,
      400,
      'U3 a changed one',
    )
    for (const query of ['$filter=name%20eq%20%27a%27', '$orderby=name', '$top=0']) {
      t.equal((await call({ path: `/api/v2/resourceGroups?${query}` })).status, 400, query)
    }
  })
}

t.test('M5 two instances with one key answer alike and take each other’s page links', async (t) => {
  const source = await (sources[0] as (typeof sources)[number]).open(t)
  const pairs = ['a', 'b', 'c'].map((displayName) => subscriptionPair({ displayName }))
  for (const pair of pairs) await source.addSubscription(tenantA, pair)
  const [first, second] = [await testBackend(t, source), await testBackend(t, source)]
  const [one, two] = [await first.call({ path: `${root}?$top=1` }), await second.call({ path: `${root}?$top=1` })]
  t.same([one.text, one.headers.link], [two.text, two.headers.link])
  const next = /^<https:\/\/api\.example\.com(\/[^>]*)>/.exec(String(one.headers.link))?.[1] ?? ''
  t.equal((await second.call({ path: next })).status, 200)
  const path = `${root}/${pairs[0]?.subscription.id}`
  t.equal((await first.call({ path })).headers.etag, (await second.call({ path })).headers.etag)
  const other = await testBackend(t, source, { skipTokenKey: new Uint8Array(32) })
  t.equal((await other.call({ path: next })).status, 400, 'another key does not')
})
