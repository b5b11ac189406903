// What every source must do, whatever it is made of. Run over each by sources.test.ts; run it over your own as well.

import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Test } from 'tap'
import type { SubscriptionPair } from '../../src/backend/source.js'
import type { SubscriptionState } from '../../src/backend/subscription-states.js'
import type { SortKey, SubscriptionCondition } from '../../src/storage/sql/resources/subscription-lists.js'
import { now, profile, subscriptionPair, type TestSource, tenantA, tenantB } from '../support/rooms/backend-app.js'

const byId: SortKey = { field: 'id', direction: 'asc' }

/** Defines the suite as subtests of `t`; `open` gives an empty source for each. */
export function sourceContract(t: Test, open: (t: Test) => TestSource | Promise<TestSource>): void {
  profiles(t, open)
  records(t, open)
  races(t, open)
  conditions(t, open)
  paging(t, open)
  groups(t, open)
}

type Open = Parameters<typeof sourceContract>[1]

async function names(source: TestSource, tenantId: string, filter?: SubscriptionCondition): Promise<string[]> {
  const order: SortKey[] = [{ field: 'displayName', direction: 'asc' }, byId]
  const rows = await source.listSubscriptions(tenantId, { filter, order, after: undefined, limit: 1000 })
  return rows.map((row) => row.displayName)
}

async function addNamed(source: TestSource, tenantId: string, displayNames: readonly string[]): Promise<void> {
  for (const displayName of displayNames) await source.addSubscription(tenantId, subscriptionPair({ displayName }))
}

function profiles(t: Test, open: Open): void {
  t.test('a profile belongs to a user in a tenant, or to the tenant', async (t) => {
    const source = await open(t)
    const [ownA, userA, ownB] = [profile(), profile(), profile()]
    await source.addProfile({ tenantId: tenantA, userId: null }, ownA)
    await source.addProfile({ tenantId: tenantA, userId: 'ada' }, userA)
    await source.addProfile({ tenantId: tenantB, userId: null }, ownB)
    t.same(await source.findProfile({ tenantId: tenantA, userId: null }), ownA)
    t.same(await source.findProfile({ tenantId: tenantA, userId: 'ada' }), userA)
    t.same(await source.findProfile({ tenantId: tenantB, userId: null }), ownB)
    t.equal(await source.findProfile({ tenantId: tenantB, userId: 'ada' }), undefined, 'U2 not in the other tenant')
    t.equal(await source.findProfile({ tenantId: tenantA, userId: 'bob' }), undefined)
    t.equal(await source.changeProfile({ tenantId: tenantB, userId: 'ada' }, { publicName: 'x' }, now), undefined)
    t.same(await source.findProfile({ tenantId: tenantA, userId: 'ada' }), userA, 'nothing changed')
  })

  t.test('a change sets the named fields only, and simultaneous changes of different fields keep both', async (t) => {
    const source = await open(t)
    const owner = { tenantId: tenantA, userId: null }
    const before = profile()
    await source.addProfile(owner, before)
    t.same(await source.changeProfile(owner, {}, now), before, 'no field')
    await Promise.all([
      source.changeProfile(owner, { publicName: 'Ada L.' }, now),
      source.changeProfile(owner, { currencyID: 'GBP.GB' }, now),
      source.changeProfile(owner, { avatarURL: 'data:a' }, now),
      source.changeProfile(owner, { coverURL: 'data:c' }, now),
    ])
    const changed = { publicName: 'Ada L.', currencyID: 'GBP.GB', avatarURL: 'data:a', coverURL: 'data:c' }
    t.same(await source.findProfile(owner), { ...before, ...changed })
  })
}

function records(t: Test, open: Open): void {
  t.test('a pair is added, found, changed and deleted as one, in its tenant only', async (t) => {
    const source = await open(t)
    const pair = subscriptionPair({})
    const { id } = pair.subscription
    await source.addSubscription(tenantA, pair)
    t.same(await source.findSubscription(tenantA, id), pair)
    t.equal(await source.findSubscription(tenantB, id), undefined, 'U2 another tenant does not find it')
    t.equal(await source.findSubscription(tenantA, randomUUID()), undefined)
    t.same(await names(source, tenantB), [])

    const change = { displayName: 'Renamed', state: 'Warned', provisioningState: 'Succeeded' } as const
    const at = { tenantId: tenantA, id, version: 1 }
    t.equal(await source.changeSubscription({ ...at, tenantId: tenantB }, change, now), undefined, 'U2 nor changes it')
    t.equal(await source.deleteSubscription({ ...at, tenantId: tenantB }), false, 'U2 nor deletes it')
    t.same(await source.findSubscription(tenantA, id), pair)

    const changed = {
      subscription: { ...pair.subscription, displayName: 'Renamed', state: 'Warned', version: 2 },
      group: { ...pair.group, name: 'Renamed' },
    } satisfies SubscriptionPair
    t.same(await source.changeSubscription(at, change, now + 1), changed)
    t.same(await source.findSubscription(tenantA, id), changed)

    t.equal(await source.deleteSubscription(at), false, 'not at the old version')
    t.same(await source.findSubscription(tenantA, id), changed)
    t.equal(await source.deleteSubscription({ ...at, version: 2 }), true)
    t.equal(await source.findSubscription(tenantA, id), undefined)
    t.equal(await source.findResourceGroup(tenantA, pair.group.id), undefined, 'the group went along')
    t.equal(await source.deleteSubscription({ ...at, version: 2 }), false, 'and cannot go twice')
    t.equal(await source.changeSubscription({ ...at, version: 2 }, change, now), undefined)
  })
}

function races(t: Test, open: Open): void {
  t.test('of simultaneous changes at one version exactly one happens', async (t) => {
    const source = await open(t)
    const pair = subscriptionPair({})
    const at = { tenantId: tenantA, id: pair.subscription.id, version: 1 }
    await source.addSubscription(tenantA, pair)
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        source.changeSubscription(
          at,
          { displayName: `Name ${index}`, state: 'Enabled', provisioningState: 'Succeeded' },
          now,
        ),
      ),
    )
    const winners = results.filter((result) => result !== undefined)
    t.equal(winners.length, 1)
    t.same(await source.findSubscription(tenantA, pair.subscription.id), winners[0])
    t.equal(winners[0]?.group.name, winners[0]?.subscription.displayName, 'both halves are of the same change')
  })

  t.test('of a simultaneous change and deletion at one version exactly one happens', async (t) => {
    const source = await open(t)
    const pair = subscriptionPair({})
    const at = { tenantId: tenantA, id: pair.subscription.id, version: 1 }
    await source.addSubscription(tenantA, pair)
    const change = { displayName: 'x', state: 'Enabled', provisioningState: 'Succeeded' } as const
    const [changed, deleted, again] = await Promise.all([
      source.changeSubscription(at, change, now),
      source.deleteSubscription(at),
      source.deleteSubscription(at),
    ])
    t.equal([changed !== undefined, deleted, again].filter(Boolean).length, 1)
    const found = await source.findSubscription(tenantA, pair.subscription.id)
    t.equal(found === undefined, changed === undefined)
  })
}

function conditions(t: Test, open: Open): void {
  t.test('conditions compare text exactly: no wildcards, no case folding, whole code points', async (t) => {
    const source = await open(t)
    const all = ['100%', '100x', 'A_b', 'Axb', 'alpha', 'Alpha', 'ÄRA', "O'Neil", '😀 first', '😁 second', 'ﬀ']
    await addNamed(source, tenantA, all)
    const starts = (value: string) => names(source, tenantA, { kind: 'starts-with', field: 'displayName', value })
    t.same(await starts('100%'), ['100%'])
    t.same(await starts('A_'), ['A_b'])
    t.same(await starts('A'), ['A_b', 'Alpha', 'Axb'])
    t.same(await starts('😀'), ['😀 first'])
    t.same(await starts('Ä'), ['ÄRA'])
    t.equal((await starts('')).length, all.length)
    t.same(await starts("' or '1'='1"), [])

    const is = { kind: 'compare', field: 'displayName', operator: 'eq', value: "O'Neil" } as const
    t.same(await names(source, tenantA, is), ["O'Neil"])
    t.equal((await names(source, tenantA, { ...is, operator: 'ne' })).length, all.length - 1)
    t.equal((await names(source, tenantA, { kind: 'not', condition: is })).length, all.length - 1)
    const other = { ...is, value: 'alpha' } as const
    t.same(await names(source, tenantA, { kind: 'or', conditions: [is, other] }), ["O'Neil", 'alpha'])
    t.same(await names(source, tenantA, { kind: 'and', conditions: [is, other] }), [])
    t.same(await names(source, tenantA, { ...is, value: 'ALPHA' }), [])
    t.same(await names(source, tenantB, { kind: 'not', condition: is }), [], 'U2 a condition does not leave the tenant')
    const sorted = [...all].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    t.same(await names(source, tenantA), sorted, 'the order is that of code points')
    t.ok(sorted.indexOf('ﬀ') < sorted.indexOf('😀 first'), 'which UTF-16 units would turn round')
  })
}

const name = fc.constantFrom('a', 'b', 'B', 'é', '😀', 'ﬀ', '')
const state = fc.constantFrom<SubscriptionState>('Enabled', 'Warned', 'Disabled')
const direction = fc.constantFrom('asc' as const, 'desc' as const)
const key = (field: SortKey['field']) => direction.map((way): SortKey => ({ field, direction: way }))
const orders = fc
  .uniqueArray(fc.constantFrom('state' as const, 'displayName' as const, 'createdAt' as const), { maxLength: 3 })
  .chain((fields) => fc.tuple(...fields.map(key)))
  .map((keys): SortKey[] => [...keys, byId])

function paging(t: Test, open: Open): void {
  t.test('pages hold every row exactly once and in order, whatever the order and the size', async (t) => {
    const source = await open(t)
    const rows = fc.array(fc.record({ displayName: name, state, createdAt: fc.nat(2) }), { maxLength: 12 })
    const held = await fc.check(
      fc.asyncProperty(rows, orders, fc.integer({ min: 1, max: 5 }), async (rows, order, limit) => {
        const tenantId = randomUUID()
        for (const row of rows) await source.addSubscription(tenantId, subscriptionPair(row))
        await source.addSubscription(tenantB, subscriptionPair({}))
        const stretch = { filter: undefined, order, after: undefined }
        const whole = await source.listSubscriptions(tenantId, { ...stretch, limit: 100 })
        const listed: string[] = []
        let after: (string | number)[] | undefined
        for (;;) {
          const page = await source.listSubscriptions(tenantId, { ...stretch, after, limit })
          listed.push(...page.map((row) => row.id))
          const last = page.at(-1)
          if (last === undefined) break
          after = order.map(({ field }) => last[field])
        }
        return (
          whole.length === rows.length && isInOrder(whole, order) && listed.join() === whole.map((row) => row.id).join()
        )
      }),
      { numRuns: 25 },
    )
    t.equal(held.failed, false, fc.defaultReportMessage(held) ?? 'the property holds')
  })
}

function isInOrder(rows: readonly SubscriptionPair['subscription'][], order: readonly SortKey[]): boolean {
  const before = (a: string | number, b: string | number) =>
    typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
  return rows.slice(1).every((row, index) => {
    const previous = rows[index] as SubscriptionPair['subscription']
    const deciding = order.find(({ field }) => previous[field] !== row[field])
    if (deciding === undefined) return false
    const difference = before(previous[deciding.field], row[deciding.field])
    return deciding.direction === 'asc' ? difference < 0 : difference > 0
  })
}

function groups(t: Test, open: Open): void {
  t.test('resource groups are listed by id and found with the version of their subscription', async (t) => {
    const source = await open(t)
    const pairs = ['x', 'y', 'z', 'w', 'v'].map((displayName) => subscriptionPair({ displayName }))
    for (const pair of pairs) await source.addSubscription(tenantA, pair)
    await source.addSubscription(tenantB, subscriptionPair({}))
    const expected = pairs.map((pair) => pair.group).sort((a, b) => (a.id < b.id ? -1 : 1))
    t.same(await source.listResourceGroups(tenantA, { afterId: undefined, limit: 100 }), expected)
    t.same(await source.listResourceGroups(tenantA, { afterId: undefined, limit: 2 }), expected.slice(0, 2))
    t.same(await source.listResourceGroups(tenantA, { afterId: expected[1]?.id, limit: 2 }), expected.slice(2, 4))
    t.same(await source.listResourceGroups(tenantA, { afterId: expected[4]?.id, limit: 2 }), [])

    const [first] = pairs as [SubscriptionPair]
    t.same(await source.findResourceGroup(tenantA, first.group.id), { group: first.group, version: 1 })
    t.equal(await source.findResourceGroup(tenantB, first.group.id), undefined, 'U2 not in another tenant')
    t.equal(await source.findResourceGroup(tenantA, first.subscription.id), undefined, 'a subscription is not a group')
    const change = { displayName: 'n', state: 'Enabled', provisioningState: 'Succeeded' } as const
    await source.changeSubscription({ tenantId: tenantA, id: first.subscription.id, version: 1 }, change, now)
    const renamed = { ...first.group, name: 'n' }
    t.same(await source.findResourceGroup(tenantA, first.group.id), { group: renamed, version: 2 })
  })
}
