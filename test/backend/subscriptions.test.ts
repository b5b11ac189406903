// One subscription with its resource group, over both sources: every way to read and to change it, and who may not.

import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import type { SubscriptionState } from '../../src/backend/subscription-states.js'
import { StoreUnavailable } from '../../src/storage/sql/store.js'
import { baseUrl, sources, subscriptionPair, tenantA, tenantB, testBackend } from '../support/rooms/backend-app.js'

const root = '/api/v2/subscriptions'

interface Row {
  id: string
  subscriptionId: string
  displayName: string
  state: string
}

for (const { name, open } of sources) {
  t.test(`a subscription from its creation to its deletion (${name})`, async (t) => {
    const { call } = await testBackend(t, await open(t))
    const made = await call({ path: root, method: 'POST', body: { displayName: 'Production 😀' } })
    const row = made.json as Row
    t.equal(made.status, 201)
    t.equal(made.headers.location, `${baseUrl}${root}/${row.id}`)
    t.equal(made.headers.etag, '"1"')
    t.same(Object.keys(row), ['id', 'subscriptionId', 'displayName', 'state'])
    t.match(row, { displayName: 'Production 😀', state: 'Enabled' })
    t.not(row.id, row.subscriptionId)

    const path = `${root}/${row.id}`
    const read = await call({ path })
    t.same(
      [read.status, read.json, read.headers.etag, read.headers['content-type']],
      [200, row, '"1"', 'application/json'],
    )
    t.same((await call({ path: `${root}/${row.id.toUpperCase()}` })).json, row, 'a GUID in upper case is the same GUID')
    t.equal(
      (await call({ path: `${root}/${row.subscriptionId}` })).status,
      404,
      'the path has the record’s id, not subscriptionId',
    )
    const unchanged = await call({ path, headers: { 'if-none-match': 'W/"1"' } })
    t.same([unchanged.status, unchanged.text, unchanged.headers.etag], [304, '', '"1"'], 'M5')

    const put = await call({ path, method: 'PUT', body: { displayName: 'Renamed' } })
    const group = put.json as { id: string }
    t.equal(put.status, 200)
    t.same(put.json, {
      id: group.id,
      name: 'Renamed',
      location: 'global',
      properties: { provisioningState: 'Succeeded' },
    })
    t.equal(put.headers['content-type'], 'application/json')
    t.equal(put.headers['content-location'], `${baseUrl}/api/v2/resourceGroups/${group.id}`)
    t.equal(put.headers.etag, undefined, 'RFC 9110 §9.3.4: no validator for what was not sent')
    t.same((await call({ path })).json, { ...row, displayName: 'Renamed' })
    const found = await call({ path: `/api/v2/resourceGroups/${group.id}` })
    t.same([found.json, found.headers.etag], [put.json, '"2"'])
    t.equal(
      (await call({ path: `/api/v2/resourceGroups/${group.id}`, headers: { 'if-none-match': '"2"' } })).status,
      304,
    )
    t.same((await call({ path: '/api/v2/resourceGroups' })).json, [put.json])

    const gone = await call({ path, method: 'DELETE' })
    t.same([gone.status, gone.text], [204, ''])
    t.equal((await call({ path })).status, 404)
    t.equal((await call({ path, method: 'DELETE' })).status, 404, 'the second time')
    t.equal((await call({ path, method: 'PUT', body: { displayName: 'x' } })).status, 404)
    t.equal(
      (await call({ path: `${path}/state`, method: 'POST', body: { state: 'Enabled' } })).status,
      404,
      'Deleted is the end',
    )
    t.equal((await call({ path: `/api/v2/resourceGroups/${group.id}` })).status, 404, 'the group went along')
    t.same((await call({ path: root })).json, [])
  })

  t.test(`bodies that are not {displayName} are refused (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    const pair = subscriptionPair({})
    await source.addSubscription(tenantA, pair)
    const path = `${root}/${pair.subscription.id}`
    const wrong: [string, unknown, string][] = [
      ['nothing in it', {}, 'MissingProperty'],
      ['an empty name', { displayName: '' }, 'InvalidProperty'],
      ['257 characters', { displayName: 'x'.repeat(257) }, 'InvalidProperty'],
      ['one grapheme of 300 code points', { displayName: `e${'\u0301'.repeat(299)}` }, 'InvalidProperty'],
      ['a number', { displayName: 1 }, 'InvalidProperty'],
      ['null', { displayName: null }, 'InvalidProperty'],
      ['a NUL', { displayName: 'admin\0x' }, 'InvalidProperty'],
      ['a line break', { displayName: 'a\nb' }, 'InvalidProperty'],
      ['half a surrogate pair', { displayName: 'a\udc00' }, 'InvalidProperty'],
      ['a read-only field', { displayName: 'x', id: pair.subscription.id }, 'ReadOnlyProperty'],
      ['the state', { displayName: 'x', state: 'Enabled' }, 'ReadOnlyProperty'],
      ['an unknown field', { displayName: 'x', tenantId: tenantB }, 'UnknownProperty'],
      ['__proto__', JSON.parse('{"displayName":"x","__proto__":{"state":"x"}}'), 'UnknownProperty'],
      ['a list', [], 'InvalidBody'],
      ['a text', '"x"', 'InvalidBody'],
      ['no JSON', '{', 'InvalidJson'],
      ['nothing at all', '', 'InvalidJson'],
    ]
    for (const [title, body, code] of wrong) {
      for (const [method, where] of [
        ['PUT', path],
        ['POST', root],
      ] as const) {
        const answer = await call({ path: where, method, body })
        t.equal(answer.status, 400, `${method} ${title}`)
        t.match(answer.json, { error: { code } }, `${method} ${title}`)
      }
    }
    t.equal(
      (await call({ path, method: 'PUT', body: { displayName: '😀'.repeat(256) } })).status,
      200,
      '256 characters',
    )
    t.equal((await call({ path, method: 'PUT', body: { displayName: 'x' } })).status, 200, 'one character')
    t.equal(((await call({ path: root })).json as Row[]).length, 1, 'none was created')
  })

  t.test(`PUT needs application/json (415) and Content-Length (411) (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    const pair = subscriptionPair({})
    await source.addSubscription(tenantA, pair)
    const path = `${root}/${pair.subscription.id}`
    const body = { displayName: 'never' }
    for (const type of [
      'text/plain',
      'application/xml',
      'application/json; charset=utf-16',
      'application/merge-patch+json',
    ]) {
      t.equal((await call({ path, method: 'PUT', body, headers: { 'content-type': type } })).status, 415, type)
      t.equal(
        (await call({ path: root, method: 'POST', body, headers: { 'content-type': type } })).status,
        415,
        `POST ${type}`,
      )
    }
    t.equal((await call({ path, method: 'PUT' })).status, 415, 'neither')
    const unsized = await call({ path, method: 'PUT', body, chunked: true })
    t.equal(unsized.status, 411)
    t.match(unsized.json, { error: { code: 'LengthRequired' } })
    t.equal((await call({ path: root, method: 'POST', body, chunked: true })).status, 201, 'POST takes it')
    t.equal((await call({ path, method: 'PUT', body: 'x'.repeat(1_100_000) })).status, 413)
    t.same(
      (await call({ path })).json,
      { ...((await call({ path })).json as Row), displayName: 'Production' },
      'nothing was written',
    )
    t.equal(
      (await call({ path, method: 'PUT', body, headers: { 'content-type': 'Application/JSON;charset="utf-8"' } }))
        .status,
      200,
    )
  })

  t.test(`M5 If-Match protects every write, 412 (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    const pair = subscriptionPair({})
    await source.addSubscription(tenantA, pair)
    const path = `${root}/${pair.subscription.id}`
    const writes = [
      { path, method: 'PUT', body: { displayName: 'x' } },
      { path: `${path}/state`, method: 'POST', body: { state: 'Warned' } },
      { path, method: 'DELETE' },
    ]
    for (const write of writes) {
      for (const [header, value, status] of [
        ['if-match', '"9"', 412],
        ['if-match', 'W/"1"', 412],
        ['if-none-match', '*', 412],
        ['if-match', 'nonsense', 400],
      ] as const) {
        t.equal(
          (await call({ ...write, headers: { [header]: value } })).status,
          status,
          `${write.method} ${header} ${value}`,
        )
      }
    }
    t.same((await call({ path })).headers.etag, '"1"', 'nothing was written')
    t.equal(
      (await call({ path: `${root}/${randomUUID()}`, method: 'DELETE', headers: { 'if-match': '*' } })).status,
      404,
      'what is not there is 404 (RFC 9110 §13.2.1)',
    )
    let version = 1
    for (const write of writes) {
      const { status } = await call({ ...write, headers: { 'if-match': `"${version}"` } })
      t.ok(status === 200 || status === 204, `${write.method} at the version`)
      version += 1
    }
  })

  t.test(
    `of parallel PUTs with the same If-Match one wins; without it all do, one after the other (${name})`,
    async (t) => {
      const source = await open(t)
      const { call } = await testBackend(t, source)
      const pair = subscriptionPair({})
      await source.addSubscription(tenantA, pair)
      const path = `${root}/${pair.subscription.id}`
      const put = (index: number, headers = {}) =>
        call({ path, method: 'PUT', body: { displayName: `N${index}` }, headers })
      const guarded = await Promise.all([1, 2, 3, 4, 5, 6].map((index) => put(index, { 'if-match': '"1"' })))
      t.same(guarded.map((answer) => answer.status).sort(), [200, 412, 412, 412, 412, 412])
      const winner = guarded.find((answer) => answer.status === 200)
      const { id } = (winner?.json ?? {}) as { id: string }
      const free = await Promise.all([1, 2, 3].map((index) => put(index)))
      t.same(
        free.map((answer) => answer.status),
        [200, 200, 200],
      )
      const [record, group] = [await call({ path }), await call({ path: `/api/v2/resourceGroups/${id}` })]
      t.equal(
        (record.json as Row).displayName,
        (group.json as { name: string }).name,
        'both halves are of the same change',
      )
      t.equal(record.headers.etag, '"5"')
    },
  )

  t.test(`states: what may be written, what may be moved (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    const add = async (state: SubscriptionState) => {
      const pair = subscriptionPair({ state })
      await source.addSubscription(tenantA, pair)
      return `${root}/${pair.subscription.id}`
    }
    const move = (path: string, state: unknown) => call({ path: `${path}/state`, method: 'POST', body: { state } })
    for (const state of ['Enabled', 'Warned', 'PastDue'] as const) {
      t.equal(
        (await call({ path: await add(state), method: 'PUT', body: { displayName: 'x' } })).status,
        200,
        `${state} is writable`,
      )
    }
    for (const state of ['Disabled', 'Expired'] as const) {
      const path = await add(state)
      const put = await call({ path, method: 'PUT', body: { displayName: 'x' } })
      t.match([put.status, put.json], [409, { error: { code: 'SubscriptionReadOnly' } }], `${state} is not`)
      t.equal(
        (await call({ path, method: 'PUT', body: { displayName: 'x' }, headers: { 'if-match': '"9"' } })).status,
        409,
        'and 409 comes before 412',
      )
      t.equal((await call({ path })).status, 200, 'it can be read')
      t.equal((await call({ path, method: 'DELETE' })).status, 204, 'and deleted')
    }

    const path = await add('Enabled')
    const moved = await move(path, 'Disabled')
    t.equal(moved.status, 200)
    t.match(moved.json, { state: 'Disabled' })
    t.same([moved.headers.etag, moved.headers['content-location']], ['"2"', `${baseUrl}${path}`])
    const again = await move(path, 'Disabled')
    t.same([again.status, again.headers.etag], [200, '"2"'], 'staying changes nothing')
    t.equal((await move(path, 'Enabled')).status, 200, 'Disabled can be lifted')
    t.equal((await move(path, 'Expired')).status, 200)
    for (const state of ['Enabled', 'Warned', 'PastDue', 'Disabled']) {
      const refused = await move(path, state)
      t.match(
        [refused.status, refused.json],
        [409, { error: { code: 'StateTransitionRefused' } }],
        `Expired cannot become ${state}`,
      )
    }
    t.equal((await move(path, 'Deleted')).status, 409, 'deleting is DELETE')
    for (const state of ['enabled', 'Nonsense', '', 5, null, ['Enabled'], 'constructor']) {
      t.equal((await move(path, state)).status, 400, `${String(state)} is no state`)
    }
    t.equal((await call({ path: `${path}/state`, method: 'POST', body: { state: 'Warned', force: true } })).status, 400)
    t.match((await call({ path })).json, { state: 'Expired' })
  })

  t.test(`nothing begins while the resource group is in the middle of something (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    for (const provisioningState of ['Accepted', 'Creating', 'Updating', 'Deleting'] as const) {
      const pair = subscriptionPair({ provisioningState })
      await source.addSubscription(tenantA, pair)
      const path = `${root}/${pair.subscription.id}`
      for (const write of [
        { path, method: 'PUT', body: { displayName: 'x' } },
        { path, method: 'DELETE' },
      ]) {
        const answer = await call(write)
        t.match(
          [answer.status, answer.json],
          [409, { error: { code: 'OperationInProgress' } }],
          `${write.method} while ${provisioningState}`,
        )
      }
      t.equal((await call({ path: `/api/v2/resourceGroups/${pair.group.id}` })).status, 200)
    }
    for (const provisioningState of ['Failed', 'Canceled'] as const) {
      const pair = subscriptionPair({ provisioningState })
      await source.addSubscription(tenantA, pair)
      const put = await call({ path: `${root}/${pair.subscription.id}`, method: 'PUT', body: { displayName: 'x' } })
      t.match(
        put.json,
        { properties: { provisioningState: 'Succeeded' } },
        `after ${provisioningState} it can be tried again`,
      )
    }
  })

  t.test(`random walks through the states end where the table says (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    const next: Record<string, string> = {
      Enabled: 'WPDX',
      Warned: 'EPDX',
      PastDue: 'EWDX',
      Disabled: 'EX',
      Expired: '',
    }
    const letters: Record<string, string> = { E: 'Enabled', W: 'Warned', P: 'PastDue', D: 'Disabled', X: 'Expired' }
    const held = await fc.check(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'EWPDX'), maxLength: 8 }), async (steps) => {
        const pair = subscriptionPair({})
        await source.addSubscription(tenantA, pair)
        const path = `${root}/${pair.subscription.id}`
        let state = 'Enabled'
        for (const step of steps) {
          const target = letters[step] as string
          const allowed = target === state || next[state]?.includes(step) === true
          const { status } = await call({ path: `${path}/state`, method: 'POST', body: { state: target } })
          if (status !== (allowed ? 200 : 409)) return false
          if (allowed) state = target
        }
        return ((await call({ path })).json as Row).state === state
      }),
      { numRuns: 15 },
    )
    t.equal(held.failed, false, fc.defaultReportMessage(held) ?? 'the property holds')
  })

  t.test(`T22 U2 another tenant's records do not exist, whatever is tried (${name})`, async (t) => {
    const source = await open(t)
    const { call } = await testBackend(t, source)
    const pair = subscriptionPair({ displayName: 'secret' })
    await source.addSubscription(tenantA, pair)
    const paths = { own: pair.subscription.id, unknown: randomUUID() }
    const tries = (id: string, group: string) => [
      { path: `${root}/${id}` },
      { path: `${root}/${id}`, method: 'HEAD' },
      { path: `${root}/${id}`, headers: { 'if-none-match': '*' } },
      { path: `${root}/${id}`, method: 'PUT', body: { displayName: 'x' } },
      { path: `${root}/${id}`, method: 'PUT', body: { displayName: 'x' }, headers: { 'if-match': '"1"' } },
      { path: `${root}/${id}`, method: 'DELETE' },
      { path: `${root}/${id}/state`, method: 'POST', body: { state: 'Warned' } },
      { path: `/api/v2/resourceGroups/${group}` },
      { path: `/api/v2/resourceGroups/${group}`, headers: { 'if-none-match': '*' } },
    ]
    const texts = (text: string) => text.replaceAll(/"(?:date|request-id)":"[^"]*"/g, '')
    const otherTenant = tries(paths.own, pair.group.id)
    const missing = tries(paths.unknown, paths.unknown)
    for (const [index, request] of otherTenant.entries()) {
      for (const claims of [{ tid: tenantB }, { tid: tenantB, idtyp: 'user' as const, sub: 'ada' }]) {
        const there = await call({ ...request, headers: { 'x-tenant-id': tenantA, ...request.headers } }, claims)
        const nowhere = await call(missing[index] ?? { path: '/' }, claims)
        t.equal(there.status, 404, `${request.method ?? 'GET'} ${request.path}`)
        t.equal(texts(there.text), texts(nowhere.text), 'and it cannot be distinguished from what never was')
      }
    }
    t.same((await call({ path: root }, { tid: tenantB })).json, [])
    t.same((await call({ path: '/api/v2/resourceGroups' }, { tid: tenantB })).json, [])
    t.same(await source.findSubscription(tenantA, pair.subscription.id), pair, 'and nothing happened to it')
    for (const id of ['x', '..', '%2e%2e', "'", 'null', '00000000', `${pair.subscription.id}x`]) {
      const answer = await call({ path: `${root}/${id}` })
      t.ok(answer.status === 404 || answer.status === 400, `${id} names nothing: ${answer.status}`)
    }
  })
}

t.test('a record that keeps changing under a PUT is 409 in the end, a Store that cannot answer 503', async (t) => {
  const source = await (sources[1] as (typeof sources)[number]).open(t)
  const pair = subscriptionPair({})
  await source.addSubscription(tenantA, pair)
  let attempts = 0
  const busy = {
    ...source,
    changeSubscription: async () => {
      attempts += 1
      return undefined
    },
  }
  const path = `${root}/${pair.subscription.id}`
  const put = { path, method: 'PUT', body: { displayName: 'x' } }
  const { call } = await testBackend(t, busy)
  t.match((await call(put)).json, { error: { code: 'ConcurrentChange' } })
  t.equal(attempts, 4)

  const away = { ...source, findSubscription: () => Promise.reject(new StoreUnavailable('disk full: /var/lib/x')) }
  const { call: callAway } = await testBackend(t, away)
  const answer = await callAway(put)
  t.same([answer.status, answer.headers['retry-after']], [503, '1'])
  t.notMatch(answer.text, /disk|var/, 'X3')
})

t.test('a path segment that is no GUID never reaches the source', async (t) => {
  const source = await (sources[1] as (typeof sources)[number]).open(t)
  const queried: string[] = []
  const asking = <Result>(id: string): Promise<Result | undefined> =>
    Promise.resolve(void queried.push(id) as undefined)
  const spying = {
    ...source,
    findSubscription: (_: string, id: string) => asking<never>(id),
    findResourceGroup: (_: string, id: string) => asking<never>(id),
  }
  const { call } = await testBackend(t, spying)
  for (const id of [
    'x',
    "'",
    'null',
    '%E2%80%A8',
    '%F0%9F%98%80',
    `${randomUUID()}x`,
    randomUUID().replaceAll('-', ''),
  ]) {
    t.equal((await call({ path: `${root}/${id}` })).status, 404, id)
    t.equal((await call({ path: `/api/v2/resourceGroups/${id}` })).status, 404, id)
  }
  t.same(queried, [])
  const id = randomUUID()
  await call({ path: `${root}/${id.toUpperCase()}` })
  t.same(queried, [id], 'a GUID does, in its one spelling')
})
