// Anyone who has tokens can revoke them: what that leaves behind is bounded for each holder, ends with the tokens, and
// never lets a token through that was revoked.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createLedger } from '../../src/ledger/chain.js'
import { createLedgerKeys } from '../../src/ledger/ledger-keys.js'
import { createGuidMap } from '../../src/revocation/guid-map.js'
import { createRevocationView } from '../../src/revocation/revocation-view.js'
import { pruneRevocations, revoke } from '../../src/revocation/revoke.js'
import { createTokenTable } from '../../src/revocation/token-table.js'
import { createEmbeddedFeed } from '../../src/storage/changes/embedded-feed.js'
import type { Store } from '../../src/storage/sql/store.js'
import { openTemporaryStore, type TestScope } from '../support/storage/temporary-store.js'

t.setTimeout(240_000)
const hourMs = 3_600_000
const startMs = 1_800_000_000_000
const [applicationId, tenantId] = [randomUUID(), randomUUID()]

async function startInstance(t: TestScope, store: Store, clock = { ms: startMs, monotonic: 0 }) {
  const now = () => clock.ms
  const monotonic = () => clock.monotonic
  const feed = createEmbeddedFeed({ store, pollMs: 20, now, monotonic: () => performance.now() })
  const lifetime = { tokenLifetimeMs: hourMs }
  const view = createRevocationView({ feed, staleAfterMs: 5_000, horizonMs: 2 * hourMs, ...lifetime, now, monotonic })
  feed.follow(view)
  await feed.start()
  t.teardown(() => feed.stop())
  const ledger = createLedger({ keys: createLedgerKeys([new Uint8Array(32)]), now })
  const actor = { kind: 'operator' } as const
  return { feed, view, deps: { ledger, actor, feed, now, tokenLifetimeMs: hourMs } }
}

type Instance = Awaited<ReturnType<typeof startInstance>>

const tokenOf = ({ view }: Pick<Instance, 'view'>, userId?: string) => ({
  ...{ jti: randomUUID(), credentialId: 'key-1', applicationId, tenantId, seq: view.seq },
  ...(userId === undefined ? {} : { userId, grantId: `grant of ${userId}` }),
})

const end = ({ deps }: Pick<Instance, 'deps'>, token: ReturnType<typeof tokenOf>) =>
  revoke(deps, {
    ...{ what: 'token', id: token.jti, tokenExpiresAt: startMs + hourMs },
    about: { applicationId, tenantId, userId: token.userId },
  })

async function rowsOf(store: Store, table: 'revocations' | 'ledger'): Promise<number> {
  const { rows } = await store.reader
    .selectFrom(table)
    .select((eb) => eb.fn.countAll().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(rows)
}

t.test('gateway H6: who revokes tokens one by one leaves so many entries and rows, and no more', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const one = await startInstance(t, store)
  const two = await startInstance(t, await another())
  const revoked = []
  const other = tokenOf(one, 'somebody else')
  const ownOfApplication = tokenOf(one)
  for (let at = 0; at < 520; at += 1) {
    const token = tokenOf(one, 'user-1')
    revoked.push(token)
    await end(one, token)
  }
  const later = tokenOf(one, 'user-1')
  t.ok((await rowsOf(store, 'revocations')) <= 501, `${await rowsOf(store, 'revocations')} rows`)
  t.ok(one.view.entries <= 501, `${one.view.entries} entries`)
  t.ok((await rowsOf(store, 'ledger')) <= 40, `${await rowsOf(store, 'ledger')} rows of the ledger`)
  await two.feed.catchUp()
  const third = await startInstance(t, await another())
  for (const { view } of [one, two, third]) {
    t.equal(revoked.filter((token) => view.refusal(token, startMs) === undefined).length, 0, 'all are refused')
    t.equal(view.refusal(other, startMs), undefined, 'nobody else is')
    t.equal(view.refusal(ownOfApplication, startMs), undefined, "nor are the application's own tokens")
    t.equal(view.refusal(later, startMs), undefined, 'nor is one that was issued later')
  }
})

t.test('gateway H6: an application that revokes its own tokens is bounded in each tenant by itself', async (t) => {
  const { store } = await openTemporaryStore(t)
  const one = await startInstance(t, store)
  const bounds = { perApplication: 4, perUser: 3 }
  const deps = { ...one.deps, bounds }
  const tokens = []
  for (let at = 0; at < 9; at += 1) {
    const token = tokenOf(one)
    tokens.push(token)
    await end({ deps }, token)
  }
  t.equal(await rowsOf(store, 'revocations'), 5)
  t.equal(tokens.filter((token) => one.view.refusal(token, startMs) === undefined).length, 0)
  const elsewhere = { ...tokenOf(one), tenantId: randomUUID(), seq: 0 }
  t.equal(one.view.refusal(elsewhere, startMs), undefined, 'another tenant')
  const person = tokenOf(one, 'user-1')
  await end({ deps }, person)
  t.equal(one.view.refusal(person, startMs), 'holder_revoked', 'the application is full: the next one ends its holder')
  t.equal(one.view.refusal({ ...person, jti: 'x', userId: 'user-2' }, startMs), undefined)
})

t.test('gateway H6: a revocation that is repeated is a change, and no further row', async (t) => {
  const { store } = await openTemporaryStore(t)
  const one = await startInstance(t, store)
  const token = tokenOf(one, 'user-1')
  await end(one, token)
  const { seq } = one.view
  for (let at = 0; at < 5; at += 1) await end(one, token)
  t.equal(one.view.seq, seq + 5, 'a caller that repeats had no confirmation that the others know')
  t.equal(await rowsOf(store, 'revocations'), 1)
  t.equal(await rowsOf(store, 'ledger'), 1)
})

t.test('gateway H6: entry and row of a token go with the token, not a day later', async (t) => {
  const { store } = await openTemporaryStore(t)
  const clock = { ms: startMs, monotonic: 0 }
  const one = await startInstance(t, store, clock)
  const token = tokenOf(one, 'user-1')
  await end(one, token)
  await revoke(one.deps, { what: 'application', id: applicationId })
  const prune = () => pruneRevocations({ store, view: one.view, now: () => clock.ms })
  const pass = (ms: number) => {
    clock.ms += ms
    clock.monotonic += ms
  }
  pass(hourMs)
  t.equal(await prune(), 0)
  t.equal(one.view.refusal(token, clock.ms), 'token_revoked', 'leeway, and clocks that differ')
  clock.ms += 400 * hourMs
  t.equal(await prune(), 0, 'a clock that is set forward ends nothing')
  clock.ms -= 400 * hourMs
  pass(hourMs + 2_000)
  t.equal(await prune(), 1)
  t.equal(await rowsOf(store, 'revocations'), 1, 'the application stays')
})

t.test('gateway H6: a hundred thousand revoked tokens take less than ten megabytes', async (t) => {
  const clock = { ms: startMs, monotonic: 0 }
  const table = createTokenTable({ now: () => clock.ms, monotonic: () => clock.monotonic })
  const ids = Array.from({ length: 100_000 }, () => randomUUID())
  for (const id of ids) table.add(id, startMs + hourMs, hourMs)
  t.equal(table.size, 100_000)
  t.ok(table.bytes <= 100 * 100_000, `${table.bytes} bytes`)
  t.equal(ids.filter((id) => !table.has(id)).length, 0)
  t.equal(table.has(randomUUID()), false)
  clock.ms += hourMs + 1_000
  clock.monotonic += hourMs + 1_000
  for (let at = 0; at < 50_000; at += 1) table.sweep()
  t.equal(table.size, 0)
  t.ok(table.bytes <= 64 * 1024, `${table.bytes} bytes are given back`)
})

t.test(
  '100,000 revoked grants or people take at most 100 bytes each, with the change that each was revoked by',
  async (t) => {
    const clock = { ms: startMs, monotonic: 0 }
    const map = createGuidMap(hourMs, { now: () => clock.ms, monotonic: () => clock.monotonic })
    const ids = Array.from({ length: 100_000 }, () => randomUUID())
    for (const [at, id] of ids.entries()) map.set(id, 2 ** 40 + at, startMs + (at % 2 === 0 ? hourMs : 3 * hourMs))
    const exact = ['grant-1', ids[0]?.toUpperCase() ?? '', `${ids[0]} `]
    for (const [at, key] of exact.entries()) map.set(key, at, startMs + 3 * hourMs)
    t.equal(map.size, 100_003)
    t.ok(map.bytes <= 100 * 100_000, `${map.bytes} bytes`)
    t.equal(ids.filter((id, at) => map.get(id) !== 2 ** 40 + at).length, 0)
    t.strictSame(
      exact.map((key) => map.get(key)),
      [0, 1, 2],
      'what is no GUID is a key of its own',
    )
    t.equal(map.get(randomUUID()), undefined)
    map.set(ids[1] ?? '', 7, startMs + 3 * hourMs)
    t.equal(map.get(ids[1] ?? ''), 7, 'the last change counts')

    clock.ms += 2 * hourMs
    for (let at = 0; at < 50_000; at += 1) map.sweep()
    t.equal(map.size, 100_003, 'a wall clock that was set forward takes none away')
    clock.monotonic += 2 * hourMs
    for (let at = 0; at < 50_000; at += 1) map.sweep()
    t.equal(ids.filter((id, at) => (map.get(id) !== undefined) !== (at % 2 === 1)).length, 0)
    t.equal(ids.filter((id, at) => at > 1 && at % 2 === 1 && map.get(id) !== 2 ** 40 + at).length, 0, 'each its own')
    const far = randomUUID()
    map.set(far, 1, Number.MAX_SAFE_INTEGER)
    clock.monotonic += 2 * hourMs
    t.ok(map.holds(far), 'an end that no place has room for is no early one')
  },
)

t.test('a table of tokens forgets exactly those that are over, whatever stands beside them', async (t) => {
  const clock = { ms: startMs, monotonic: 0 }
  const table = createTokenTable({ now: () => clock.ms, monotonic: () => clock.monotonic })
  const ids = Array.from({ length: 20_000 }, (_, at) => (at % 3 === 0 ? `no guid ${at}` : randomUUID()))
  for (const [at, id] of ids.entries()) table.add(id, startMs + (at % 2 === 0 ? hourMs : 3 * hourMs), hourMs)
  clock.ms += 2 * hourMs
  clock.monotonic += 2 * hourMs
  for (let at = 0; at < 50_000; at += 1) table.sweep()
  t.equal(ids.filter((id, at) => table.has(id) !== (at % 2 === 1)).length, 0)
  t.equal(table.size, 10_000)
  const [, kept = ''] = ids
  table.add(kept, startMs, 0)
  clock.ms += hourMs / 2
  clock.monotonic += hourMs / 2
  t.equal(table.holds(kept), true, 'an end is never moved nearer')
  for (const id of ['', 'x', ids[1]?.toUpperCase() ?? '', `${ids[1]} `, ids[1]?.replace('-', '_') ?? ''])
    t.equal(table.has(id), false, id)
})
