// F32: the instance that deletes what is dead is killed in the middle of it, again and again, with requests beside it.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../support/traffic/until.js'
import { percentile, statuses } from '../scene/measure.js'
import { managed, newCast } from '../scene/provision.js'
import type { FaultStory } from '../story.js'

const hurryMs = 400
const dayMs = 86_400_000

export const cleanerKilled: FaultStory = {
  name: 'cleaner-killed',
  faults: ['F32'],
  expected:
    'all dead rows go, whichever instance is killed; no row that a token may still need goes; writes beside it do not wait (its ten minutes are shortened by a hook)',
  cluster: { env: { INSTANCE_HURRY: String(hurryMs) } },
  ownCluster: true,
  async run(scene) {
    const { instances, postgres } = scene.cluster
    const { next } = await newCast(instances)
    const now = Date.now()
    const dead = scene.full ? 20_000 : 4_000
    const kept = 400
    await insertRevocations(postgres.admin, { prefix: 'dead', count: dead, expiresAt: now - 10 * dayMs })
    await insertRevocations(postgres.admin, { prefix: 'live', count: kept, expiresAt: now + dayMs })
    await insertRevocations(postgres.admin, { prefix: 'fresh', count: kept, expiresAt: now - 3_600_000 })
    const left = async (prefix: string) =>
      Number((await postgres.admin(`select count(*) as n from revocations where id like '${prefix}-%'`))[0]?.['n'])
    const traffic = scene.traffic({ targets: [scene.balancer], perSecond: 60, next })
    scene.allow({ statuses: [0, 502, 503], most: 60 })
    const writesMs: number[] = []
    let kills = 0
    const startedMs = performance.now()
    while ((await left('dead')) > 0 && performance.now() - startedMs < 120_000) {
      const victim = instances[kills % instances.length]
      const other = instances[(kills + 1) % instances.length]
      if (victim === undefined || other === undefined) throw new Error('too few instances')
      if (kills < (scene.full ? 6 : 3) && (await left('dead')) < dead) {
        scene.mayEnd(victim)
        await victim.stop('SIGKILL')
        kills += 1
        await victim.start()
      }
      const beganMs = performance.now()
      await managed(other, 'POST', '/tenants', { name: 'Beside' })
      writesMs.push(performance.now() - beganMs)
      await wait(100)
    }
    await until('all dead rows are gone', async () => (await left('dead')) === 0, 60_000)
    const goneMs = performance.now() - startedMs
    equal(await left('live'), kept)
    equal(await left('fresh'), kept)
    await traffic.stop()
    const p99 = percentile(writesMs, 0.99)
    ok(p99 < 1_500, `a write beside it took ${p99.toFixed(0)} ms`)
    return {
      text: `${dead} dead rows gone after ${(goneMs / 1000).toFixed(1)} s and ${kills} kills, ${2 * kept} others kept; writes beside it p99 ${p99.toFixed(0)} ms; ${statuses(traffic.exchanges)}`,
    }
  },
}

/** Rows as an earlier year would have left them. */
async function insertRevocations(
  admin: (sql: string) => Promise<unknown>,
  rows: { prefix: string; count: number; expiresAt: number },
): Promise<void> {
  const { prefix, count, expiresAt } = rows
  await admin(`insert into revocations (what, id, seq, at, expires_at)
    select 'token', '${prefix}-' || n, 1, ${expiresAt - dayMs}, ${expiresAt} from generate_series(1, ${count}) as n`)
}
