// What is counted of calls and said of secrets, on both engines: sums that lose nothing and count nothing twice.
// run: apart

import { randomBytes } from 'node:crypto'
import t from 'tap'
import type { TokenPrincipal } from '../../../src/access/principal.js'
import { createUsage } from '../../../src/access/usage.js'
import { reportEndingSecrets } from '../../../src/directory/credentials/ending-secrets.js'
import { sweepDead } from '../../../src/instance/sweep.js'
import { createLedger } from '../../../src/ledger/chain.js'
import { createLedgerKeys } from '../../../src/ledger/ledger-keys.js'
import { listLedger } from '../../../src/storage/sql/ledger/ledger-entries.js'
import { insertSecret } from '../../../src/storage/sql/registrations/application-secrets.js'
import { insertApplication } from '../../../src/storage/sql/registrations/applications.js'
import { insertTenant } from '../../../src/storage/sql/registrations/tenants.js'
import type { Store } from '../../../src/storage/sql/store.js'
import { sumPermissionUsage, sumRouteUsage } from '../../../src/storage/sql/usage/usage-reads.js'
import { answersOfUsageQueries, usageApplication, usageSecret } from '../../contract/usage-queries.js'
import { startPostgres } from '../../support/databases/postgresql.js'
import { openPostgresTestStore } from '../../support/databases/postgresql-store.js'
import { shakyStore } from '../../support/storage/shaky-store.js'
import { openTemporaryStore, tenantRow } from '../../support/storage/temporary-store.js'

t.setTimeout(120_000)
const server = await startPostgres(t)
const dayMs = 86_400_000
const unavailable = { code: 'store_unavailable' }
const me = { id: 'me' }
const route = (id: string) => ({ id })

/** A caller as the authenticator remembers it: one object for each token. */
function caller(applicationId = 'a1', tenantId = 't1'): TokenPrincipal {
  const ids = { applicationId, tenantId, jti: 'j', credentialId: 'c', keyId: 'k' }
  const held = { resource: 'r', permissions: new Set(['read']), issuedAt: 0, expiresAt: 1, seq: 1 }
  return { kind: 'application', ...ids, ...held }
}

async function usesOf(store: Store, applicationId = 'a1') {
  const sums = await sumPermissionUsage(store.reader, { applicationId, recentFrom: 0, quarterFrom: 0 })
  return Object.fromEntries(sums.map(({ permission_id, recent }) => [permission_id, recent]))
}

async function callsOf(store: Store, applicationId = 'a1') {
  const sums = await sumRouteUsage(store.reader, { applicationId, from: 0, to: 1_000_000 }, 'route', 1000)
  return Object.fromEntries(sums.map(({ key, ...counts }) => [key, counts]))
}

t.test('every query of usage answers as on SQLite', async (t) => {
  const { store } = await openTemporaryStore(t)
  const expected = await answersOfUsageQueries(store)
  const sum = (permission_id: string, tenant_id: string, rest: object) =>
    JSON.stringify({ kind: 'application', resource: 'r', permission_id, tenant_id, ...rest })
  t.same(expected.slice(0, 6), ['true', 'false', 'true', 'true', 'false', 'true'], 'a batch is added once')
  t.equal(
    expected[6],
    `[${[
      sum('read', 't1', { first_used_at: 1_500, last_used_at: 2_100, recent: 13, quarter: 13 }),
      sum('read', 't2', { first_used_at: 1, last_used_at: 1, recent: 1, quarter: 1 }),
      sum('write', 't1', { first_used_at: 900, last_used_at: 900, recent: 0, quarter: 0 }),
    ].join(',')}]`,
  )
  t.same(expected.slice(-10), [
    '[{"key_id":"k1","application_id":"a1","tenant_id":"t1","label":"of k1","starts_at":1,"ends_at":100}]',
    'true',
    'false',
    'true',
    '[{"key_id":"k1","days":7},{"key_id":"k1","days":30}]',
    '[]',
    '[{"numDeletedRows":1}]',
    '[]',
    expected.at(-2),
    '[]',
  ])
  t.ok(
    expected.includes(
      '[{"resource":"r","permission_id":"read","people":3,"since":5},{"resource":"r","permission_id":"write","people":1,"since":8}]',
    ),
    'how many people, and since when',
  )
  const { store: postgres } = await openPostgresTestStore(t, server)
  t.same(await answersOfUsageQueries(postgres), expected)
})

t.test('what tokens count is added up by application, tenant, permission, route and day', async (t) => {
  const { store } = await openTemporaryStore(t)
  const clock = { nowMs: 20_000 * dayMs }
  const usage = createUsage({ store, instanceId: 'i', now: () => clock.nowMs, onDropped: () => t.fail() })
  const [one, other, elsewhere] = [caller(), caller(), caller('a1', 't2')]
  for (let i = 0; i < 5; i += 1) usage.allowed(one, me, ['read'])
  usage.allowed(other, me, ['read'])
  usage.allowed(one, route('things'), ['read', 'write'])
  usage.allowed(elsewhere, me, ['read'])
  const call = usage.allowed(one, me, ['read'])
  call.failed(404)
  call.failed(502)
  for (const status of [401, 403, 403, 429]) usage.refused(other, 'me', status)
  t.same(await usesOf(store), {}, 'nothing is written before its time')
  await usage.flush()
  t.same(await usesOf(store), { read: 1, write: 1 }, 'the last tenant of two')
  const sums = await sumPermissionUsage(store.reader, { applicationId: 'a1', recentFrom: 20_000, quarterFrom: 20_001 })
  t.match(
    sums.map((row) => [row.tenant_id, row.permission_id, row.recent, row.quarter, row.last_used_at]),
    [
      ['t1', 'read', 8, 0, clock.nowMs],
      ['t2', 'read', 1, 0, clock.nowMs],
      ['t1', 'write', 1, 0, clock.nowMs],
    ],
  )
  const refused = { not_permitted: 2, limited: 1, token_refused: 1 }
  t.match((await callsOf(store)).me, { allowed: 8, ...refused, client_errors: 1, server_errors: 1 })
  clock.nowMs += dayMs
  call.failed(500)
  usage.allowed(one, me, ['read'])
  await usage.flush()
  const days = await sumRouteUsage(store.reader, { tenantId: 't1', from: 20_000, to: 20_001 }, 'day', 10)
  t.same(
    days.map(({ key, allowed, server_errors }) => [key, allowed, server_errors]),
    [
      ['20000', 8, 1],
      ['20001', 1, 1],
    ],
    'an answer that comes after midnight counts for its own day',
  )
  await usage.flush()
  t.equal((await callsOf(store)).me?.allowed, 9, 'and writing nothing changes nothing')
})

t.test('nothing is lost and nothing doubled when the Store does not answer, or its answer is lost', async (t) => {
  const { store } = await openTemporaryStore(t)
  const shaky = shakyStore(store)
  const usage = createUsage({ store: shaky, instanceId: 'i', now: () => 5 * dayMs, onDropped: () => t.fail() })
  const principal = caller()
  const count = (times: number) => {
    for (let i = 0; i < times; i += 1) usage.allowed(principal, me, ['read'])
  }
  count(3)
  await t.rejects(usage.flush(), unavailable)
  count(4)
  await t.rejects(usage.flush(), unavailable)
  t.same(await usesOf(store), {})
  shaky.fails = 'after'
  await t.rejects(usage.flush(), unavailable)
  t.same(await usesOf(store), { read: 3 }, 'it was written, but nobody knows')
  count(1)
  await t.rejects(usage.flush(), unavailable)
  t.same(await usesOf(store), { read: 3 })
  shaky.fails = 'never'
  await Promise.all([usage.flush(), usage.flush()])
  t.same(await usesOf(store), { read: 8 })
  t.equal((await callsOf(store)).me?.allowed, 8)
})

t.test('what is too much to be distinguished is counted as other, then dropped, and said', async (t) => {
  const { store } = await openTemporaryStore(t)
  let dropped = 0
  const onDropped = (calls: number) => {
    dropped += calls
  }
  const usage = createUsage({ store, instanceId: 'i', now: () => 5 * dayMs, onDropped, mostRows: 20 })
  const principal = caller()
  for (let i = 0; i < 50; i += 1) usage.allowed(principal, route(`r${i}`), ['read'])
  for (let i = 0; i < 10; i += 1) usage.allowed(caller(`b${i}`), me, ['read'])
  await usage.flush()
  const calls = await callsOf(store)
  t.equal(Object.keys(calls).length, 21)
  t.equal(calls._other?.allowed, 30)
  t.same(await usesOf(store), { read: 50 }, 'uses of permissions go first')
  t.same(await callsOf(store, 'b0'), { _other: { ...calls._other, allowed: 1 } })
  t.equal(dropped, 9)
  for (let i = 0; i < 30_000; i += 1) usage.allowed(caller(), me, ['read'])
  await usage.flush()
  t.equal((await callsOf(store)).me?.allowed, 30_000, 'many tokens of one application are one row')
  t.equal(dropped, 9)
})

t.test('F12 several instances write the same rows at once: every call is there, nobody waits for ever', async (t) => {
  const { store, another } = await openPostgresTestStore(t, server)
  const stores = [store, await another(), await another()]
  const reversed = ['r3', 'r2', 'r1']
  const instances = stores.map((one, i) => {
    const usage = createUsage({ store: one, instanceId: `i${i}`, now: () => 5 * dayMs, onDropped: () => t.fail() })
    const routes = (i === 1 ? reversed : [...reversed].reverse()).map(route)
    return { usage, routes, callers: [caller('a1'), caller('a2')] }
  })
  await Promise.all(
    instances.map(async ({ usage, routes, callers }, i) => {
      if (i === 1) callers.reverse()
      for (let round = 0; round < 40; round += 1) {
        for (const principal of callers) for (const one of routes) usage.allowed(principal, one, [one.id])
        await usage.flush()
      }
    }),
  )
  for (const applicationId of ['a1', 'a2']) {
    t.same(await usesOf(store, applicationId), { r1: 120, r2: 120, r3: 120 })
    const calls = await callsOf(store, applicationId)
    t.same(
      Object.values(calls).map(({ allowed }) => allowed),
      [120, 120, 120],
    )
  }
})

t.test('K3 several instances that find the same secrets ending say so once', async (t) => {
  const { store, another } = await openPostgresTestStore(t, server)
  const nowMs = 1_800_000_000_000
  const ledger = createLedger({ keys: createLedgerKeys([randomBytes(32)]), now: () => nowMs })
  await store.transaction(async (tx) => {
    await insertTenant(tx, tenantRow('t1'))
    await insertApplication(tx, usageApplication)
    for (const key of ['k1', 'k2', 'k3']) await insertSecret(tx, usageSecret(key, nowMs + 5 * dayMs))
  })
  const stores = [store, await another(), await another()]
  const reports = await Promise.all(
    [...stores, ...stores].map((one) => reportEndingSecrets({ store: one, ledger, actor: { kind: 'system' }, nowMs })),
  )
  for (const windows of reports)
    t.same(
      [...windows],
      [
        [7, 3],
        [30, 3],
      ],
    )
  const rows = await listLedger(store.reader, { order: 'oldest', filter: {}, limit: 100 })
  t.same(rows.map(({ event, details }) => [event, JSON.parse(details).keyId]).sort(), [
    ['secret.expiring', 'k1'],
    ['secret.expiring', 'k2'],
    ['secret.expiring', 'k3'],
  ])
})

t.test('counts leave when they are old enough, and numbers of batches with them', async (t) => {
  const { store } = await openTemporaryStore(t)
  const clock = { nowMs: 100 * dayMs }
  const usage = createUsage({ store, instanceId: 'i', now: () => clock.nowMs, onDropped: () => t.fail() })
  for (let day = 0; day < 5; day += 1) {
    usage.allowed(caller(), me, ['read'])
    await usage.flush()
    clock.nowMs += dayMs
  }
  const sweep = () => sweepDead({ store, now: () => clock.nowMs, sessionIdleMs: 1, usageKeepMs: 10 * dayMs })
  await sweep()
  t.same(await usesOf(store), { read: 5 })
  clock.nowMs = 112 * dayMs
  await sweep()
  t.same([await usesOf(store), (await callsOf(store)).me?.allowed], [{ read: 3 }, 3], 'two of five days')
  t.same(await store.reader.selectFrom('usage_flushes').select('sequence').execute(), [], 'no batch comes back now')
  clock.nowMs = 200 * dayMs
  await sweep()
  t.same([await usesOf(store), await callsOf(store)], [{}, {}])
})
