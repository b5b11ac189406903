// What the calls of a tenant are added up from: a few days a statement, however long the span.

import { sql } from 'kysely'
import t from 'tap'
import { sumRouteUsage } from '../../src/storage/sql/usage/usage-reads.js'
import { countingStore } from '../support/storage/counting-store.js'
import { openTemporaryStore } from '../support/storage/temporary-store.js'

t.test('gateway M8: usage of a year is added up in slices, with the turns of others between', async (t) => {
  const { store } = await openTemporaryStore(t)
  await store.transaction(async (tx) => {
    await sql`insert into route_usage (application_id, tenant_id, day, route, allowed, not_permitted, limited,
        token_refused, client_errors, server_errors)
      with recursive n (i) as (select 0 union all select i + 1 from n where i < 99999)
      select 'a' || (i % 25), 't', 20000 + (i / 25) % 400, 'GET /r' || (i / 10000), 1, 2, 3, 4, 5, 6 from n`.execute(tx)
  })
  const year = { tenantId: 't', from: 20_000, to: 20_399 }
  const routes = await sumRouteUsage(store.reader, year, 'route', 9)
  t.equal(routes.length, 9, 'no more lines than requested')
  t.same(routes[0], {
    ...{ key: 'GET /r0', allowed: 10_000, not_permitted: 20_000, limited: 30_000 },
    ...{ token_refused: 40_000, client_errors: 50_000, server_errors: 60_000 },
  })
  const counting = countingStore(store)
  const { statements, mostAtOnce } = await counting.count(() => sumRouteUsage(counting.store.reader, year, 'day', 1000))
  t.ok(statements > 50, `${statements} statements`)
  t.ok(mostAtOnce.statements <= 3, `${mostAtOnce.statements} statements before the turn of others`)
  t.ok(mostAtOnce.rows <= 9, `${mostAtOnce.rows} days before the turn of others`)
  const ages = { ...year, from: -700_000, to: 2_900_000 }
  t.same(await sumRouteUsage(store.reader, ages, 'route', 9), routes, 'ten thousand years cost what is kept')
  t.same(await sumRouteUsage((await openTemporaryStore(t)).store.reader, ages, 'day', 9), [], 'nothing is kept')
  const days = await sumRouteUsage(store.reader, year, 'day', 1000)
  t.equal(days.length, 400)
  t.match(days[0], { key: '20000', allowed: 250 })
  t.match(await sumRouteUsage(store.reader, { ...year, from: 20_399 }, 'day', 9), [{ key: '20399', allowed: 250 }])
})
