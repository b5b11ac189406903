// F10: PostgreSQL takes no more connections, because others hold all of them.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { newCast } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

/**
 * Places for ordinary users that are not ours. To see nobody else is not enough: a place may be free for anyone who is
 * next.
 */
const free = `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
  - count(*) as places from pg_stat_activity where application_name = 'holder'`
/** Who holds a place and is not ours; one that is still being let in has no user yet. */
const others = `from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'
  and application_name is distinct from 'holder'`

export const postgresqlWithoutRoom: FaultStory = {
  name: 'postgresql-without-room',
  faults: ['F10'],
  expected:
    'management answers 503 with Retry-After, soon; proxying goes on while the view is fresh; instances live on and recover',
  cluster: proxiedCluster,
  async run(scene) {
    const { instances, postgres } = scene.cluster
    const [first] = instances
    const { next, tokens } = await newCast(instances)
    const good = tokens[0]
    if (first === undefined || good === undefined) throw new Error('no instance')
    const traffic = scene.traffic({ targets: scene.direct, perSecond: 60, next })
    const holders: Client[] = []
    try {
      const stale = scene.allow({ statuses: [503] })
      const refusedMs = performance.now()
      // A connection may come back between the two steps; then both are done again.
      await until('every place is taken by others', async () => {
        await postgres.admin(`select pg_terminate_backend(pid) ${others}`)
        await takeAllPlaces(postgres.url, holders)
        const [ours] = await postgres.admin(free)
        return Number(ours?.['places']) <= 0
      })
      const refusal = await first.manage('POST', '/tenants', { name: 'No room' })
      equal(refusal.status, 503)
      ok(refusal.headers['retry-after'] !== undefined)
      const refused = performance.now() - refusedMs
      const started = performance.now()
      const answer = await first.manage('POST', '/tenants', { name: 'No room' })
      const tookMs = performance.now() - started
      equal(answer.status, 503)
      ok(tookMs < 6_000, `a refusal took ${tookMs.toFixed(0)} ms`)
      equal((await first.operator('/livez')).status, 200)
      await Promise.all(holders.splice(0).map((holder) => holder.end()))
      const recoveryMs = await scene.untilServed(good)
      await until(
        'management writes',
        async () => (await first.manage('POST', '/tenants', { name: 'Room' })).status === 201,
      )
      stale.toMs = performance.now()
      await wait(500)
      await traffic.stop()
      const text = `refused after ${refused.toFixed(0)} ms, each then within ${tookMs.toFixed(0)} ms; proxying ${statuses(traffic.exchanges)}`
      return { text, recoveryMs }
    } finally {
      await Promise.all(holders.map((holder) => holder.end().catch(() => {})))
    }
  },
}

/** Connects until the server refuses. */
async function takeAllPlaces(url: string, holders: Client[]): Promise<void> {
  for (let at = 0; at < 200; at += 1) {
    const holder = new Client({ connectionString: url, application_name: 'holder', connectionTimeoutMillis: 5_000 })
    holder.on('error', () => {})
    try {
      await holder.connect()
      holders.push(holder)
    } catch {
      await holder.end().catch(() => {})
      return
    }
  }
}
