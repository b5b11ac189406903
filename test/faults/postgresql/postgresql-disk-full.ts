// F11: the disk under PostgreSQL is full.

import { equal, ok } from 'node:assert/strict'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { whileRevoking } from '../../support/cluster/token-ledger.js'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { managed, newCast, newToken } from '../scene/provision.js'
import type { FaultStory } from '../story.js'

const diskBytes = 192 << 20

export const postgresqlDiskFull: FaultStory = {
  name: 'postgresql-disk-full',
  faults: ['F11'],
  expected:
    'a write is 503 or it is there; proxying goes on while the view is fresh; with room again everything works (root only: the disk is a mount)',
  cluster: { postgres: { diskBytes } },
  ownCluster: true,
  async run(scene) {
    const { instances, postgres } = scene.cluster
    const [first] = instances
    const { application, next } = await newCast(instances)
    if (first === undefined) throw new Error('no instance')
    const traffic = scene.traffic({ targets: scene.direct, perSecond: 45, next })
    scene.allow({ statuses: [503] })
    const filler = join(postgres.disk(), 'filler')
    const fill = (): void => {
      const { bavail, bsize } = statfsSync(postgres.disk())
      try {
        writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize)), { flag: 'a' })
      } catch {}
    }
    fill()
    const counts = { answered: 0, refused: 0 }
    const fullMs = performance.now()
    while ((counts.refused < 5 || performance.now() - fullMs < 3_000) && performance.now() - fullMs < 40_000) {
      fill()
      const name = `Tenant ${counts.answered + counts.refused}`
      const answer = await first.manage('POST', '/tenants', { name: name.padEnd(100, 'x') })
      if (answer.status === 201) {
        counts.answered += 1
        const { tenantId } = JSON.parse(answer.body) as { tenantId: string }
        scene.acknowledged({
          what: name,
          count: async () =>
            Number((await postgres.admin(`select count(*) as n from tenants where id = '${tenantId}'`))[0]?.['n']),
        })
      } else {
        equal(answer.status, 503, answer.body)
        ok(answer.headers['retry-after'] !== undefined)
        counts.refused += 1
      }
    }
    ok(counts.refused > 0, `nothing was refused; ${counts.answered} writes found room`)
    rmSync(filler)
    // A server that could not write its log has ended, as PostgreSQL does; somebody starts it again.
    await postgres.admin('select 1').catch(async () => {
      await postgres.stop('SIGKILL')
      await postgres.start()
    })
    const recoveryMs = await until(
      'a token can be revoked',
      async () => {
        const token = await newToken(first.port, application)
        const answer = await whileRevoking([token], () =>
          first.manage('POST', '/revocations', { what: 'token', token: token.text }),
        )
        return answer.status === 200
      },
      30_000,
    )
    await managed(first, 'POST', '/tenants', { name: 'After' })
    await wait(500)
    await traffic.stop()
    return {
      text: `${counts.answered} writes found room, ${counts.refused} answered 503; proxying ${statuses(traffic.exchanges)}`,
      recoveryMs,
    }
  },
}
