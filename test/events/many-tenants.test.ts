// Days of usage, and events that all hear of, where there are many tenants and long days: the work grows as they do, and
// is done in short steps, whatever there is.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { dayOf } from '../../src/access/usage-sums.js'
import { type FollowDependencies, followLedger } from '../../src/events/follow-ledger.js'
import { createUsageDays } from '../../src/events/usage-days.js'
import { createLedger } from '../../src/ledger/chain.js'
import { createLedgerKeys } from '../../src/ledger/ledger-keys.js'
import type { Store } from '../../src/storage/sql/store.js'
import { noteWritten } from '../../src/storage/sql/usage/usage-written.js'
import { countingStore } from '../support/storage/counting-store.js'
import { quickFolder } from '../support/storage/quick-folder.js'
import { openNewStore, tenantRow } from '../support/storage/temporary-store.js'

const dayMs = 86_400_000
const noon = Date.UTC(2026, 10, 21, 12)
const idOf = (n: number) => `t${String(n).padStart(5, '0')}`

/** A store in which a day has ended, with a webhook for each tenant; every fifth one does not hear of days. */
async function open(t: Test, tenants: number) {
  const file = await openNewStore(join(quickFolder(t), 'portcullis.db'))
  t.teardown(() => file.close())
  await file.transaction(async (tx) => {
    for (let n = 0; n < tenants; n += 1)
      await tx
        .insertInto('tenants')
        .values(tenantRow(idOf(n)))
        .execute()
    const rows = Array.from({ length: tenants }, (_, n) => webhookRow(n))
    for (let from = 0; from < rows.length; from += 500) {
      await tx
        .insertInto('webhooks')
        .values(rows.slice(from, from + 500))
        .execute()
    }
  })
  const { store, count } = countingStore(file)
  const clock = { nowMs: noon }
  const now = () => clock.nowMs
  const ledger = createLedger({ keys: createLedgerKeys([randomBytes(32)]), now })
  const onError = (error: unknown) => void t.fail(String(error))
  const leader = { isLeader: () => true }
  const { turn } = createUsageDays({ store, ledger, instanceId: 'one', leader, now, onError })
  await turn()
  clock.nowMs += dayMs
  await file.transaction((tx) => noteWritten(tx, 'one', dayOf(clock.nowMs)))
  const deps: FollowDependencies = { store, baseUrl: 'https://gate.test', now, onError, planOf: () => undefined }
  return { file, store, count, ledger, turn, deps, follow: () => followAll(deps) }
}

async function followAll(deps: FollowDependencies): Promise<void> {
  while ((await followLedger(deps)) > 0);
}

function webhookRow(n: number) {
  return {
    ...{ id: `w${String(n).padStart(5, '0')}`, tenant_id: idOf(n), url: 'https://hooks.test/', secret: '' },
    ...{ events: n % 5 === 4 ? '["application.*","key.*"]' : '["usage.*","key.*"]', enabled: 1, created_by: '' },
    ...{ disabled_because: null, created_at: 1, updated_at: 1, failing_since: null },
    ...{ earlier_secret: null, earlier_until: null },
  }
}

/** Webhooks by how many deliveries of the type each has. */
async function deliveries(store: Store, type: string): Promise<number[]> {
  const rows = await store.reader
    .selectFrom('event_deliveries')
    .select(({ fn }) => ['webhook_id', fn.countAll<number>().as('n'), fn.count('event_id').distinct().as('ids')])
    .where('type', '=', type)
    .groupBy('webhook_id')
    .execute()
  return rows.map(({ n }) => Number(n))
}

const few = await open(t, 150)
const many = await open(t, 600)

t.test('four times the tenants cost four times the work, in steps of the same length', async (t) => {
  const [small, large] = [await few.count(few.turn), await many.count(many.turn)]
  t.ok(large.rows <= small.rows * 6, `rows read: ${small.rows} and ${large.rows}`)
  t.ok(large.statements <= small.statements * 5, `statements: ${small.statements} and ${large.statements}`)
  t.ok(large.mostAtOnce.statements <= 80, `${large.mostAtOnce.statements} statements at once`)
  const [followed, longer] = [await few.count(few.follow), await many.count(many.follow)]
  t.ok(longer.rows <= followed.rows * 5, `rows read: ${followed.rows} and ${longer.rows}`)
  t.ok(longer.mostAtOnce.statements <= 80, `${longer.mostAtOnce.statements} statements at once`)
  t.ok(longer.mostAtOnce.rows <= 300, `${longer.mostAtOnce.rows} rows at once`)
  t.same(await deliveries(many.file, 'usage.day_ended'), Array(480).fill(1), 'each that hears of it once')
  t.same((await few.count(few.turn)).statements, 2, 'when all were told there is nothing to do')
})

t.test('an event that all hear of reaches each once, in short steps, also when the process ends between', async (t) => {
  const { file, store, count, ledger, deps, follow } = many
  const rotate = (kid: string) =>
    store.transaction((tx) =>
      ledger.append(tx, {
        event: 'key.activated',
        actor: { kind: 'system' },
        details: { kid, purpose: 'access', alg: 'RS256' },
      }),
    )
  await rotate('k1')
  await rotate('k2')
  let left = 2
  const dying: Store = {
    ...store,
    transaction(work, separation) {
      left -= 1
      if (left < 0) throw new Error('killed')
      return store.transaction(work, separation)
    },
  }
  await t.rejects(followLedger({ ...deps, store: dying }), { message: 'killed' })
  t.equal((await deliveries(file, 'key.rotated')).length, 400, 'two steps were made')
  const { mostAtOnce } = await count(follow)
  t.same(await deliveries(file, 'key.rotated'), Array(600).fill(2))
  t.ok(mostAtOnce.rows <= 300, `${mostAtOnce.rows} rows at once`)
  const ids = await file.reader
    .selectFrom('event_deliveries')
    .innerJoin('ledger', 'ledger.position', 'event_deliveries.position')
    .select(['ledger.details', 'webhook_id'])
    .where('type', '=', 'key.rotated')
    .orderBy('webhook_id')
    .orderBy('event_deliveries.position')
    .execute()
  t.ok(
    ids.every(({ details }, at) => JSON.parse(details).kid === `k${1 + (at % 2)}`),
    'each in their order',
  )
})

t.test('a day of twelve thousand lines is told of whole, in short steps, also by two processes', async (t) => {
  const { file, count, turn, deps, follow } = await open(t, 2)
  const none = { not_permitted: 0, limited: 0, token_refused: 1, client_errors: 0, server_errors: 0 }
  const rows = Array.from({ length: 12_050 }, (_, n) => ({
    ...{ application_id: `a${n % 60}`, tenant_id: idOf(0), day: dayOf(noon), route: `GET /${n}`, allowed: n, ...none },
  }))
  await file.transaction(async (tx) => {
    for (let from = 0; from < rows.length; from += 1_000) {
      await tx
        .insertInto('route_usage')
        .values(rows.slice(from, from + 1_000))
        .execute()
    }
  })
  const work = await count(turn)
  t.ok(work.mostAtOnce.statements <= 80, `${work.mostAtOnce.statements} statements at once`)
  t.ok(work.rows <= 1_000, `${work.rows} rows are read to tell of it`)
  const killed = { left: 3 }
  const transaction: Store['transaction'] = (work, separation) => {
    killed.left -= 1
    if (killed.left < 0) throw new Error('killed')
    return deps.store.transaction(work, separation)
  }
  await t.rejects(followLedger({ ...deps, store: { reader: file.reader, transaction } }), { message: 'killed' })
  const followed = await count(follow)
  t.ok(followed.mostAtOnce.rows <= 800, `${followed.mostAtOnce.rows} rows at once`)
  t.ok(followed.rows <= 20_000, `${followed.rows} rows are read for the lines`)
  const bodies = await file.reader.selectFrom('event_deliveries').select('body').orderBy('position').execute()
  const events = bodies.map(({ body }) => JSON.parse(body).data).filter(({ tenantId }) => tenantId === idOf(0))
  t.same(
    events.map(({ part, parts }) => [part, parts]),
    Array.from({ length: 121 }, (_, n) => [n + 1, 121]),
  )
  const lines = events.flatMap(({ value }) => value)
  const keyOf = (application: string, route: string, allowed: number) => `${application} ${route} ${allowed}`
  t.same(
    new Set(lines.map(({ applicationId, route, allowed }) => keyOf(applicationId, route, allowed))),
    new Set(rows.map(({ application_id, route, allowed }) => keyOf(application_id, route, allowed))),
  )
  t.equal(lines.length, rows.length)
  const sum = rows.reduce((all, { allowed }) => all + allowed, 0)
  t.ok(events.every(({ totals }) => totals.allowed === sum && totals.refused.token === rows.length))
})
