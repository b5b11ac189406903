// F33, as far as it is there: three instances start at the same moment on an empty database. There is no earlier
// version on PostgreSQL to migrate from; migrations from one version to the next are tested in test/storage/.

import { deepEqual, equal } from 'node:assert/strict'
import { newApplication, newTenant, newToken } from '../scene/provision.js'
import { type FaultStory, plainCluster } from '../story.js'

export const startsAtOnce: FaultStory = {
  name: 'starts-at-once',
  faults: ['F33'],
  expected: 'one of them migrates and makes the keys, the others wait for it; all serve, with one set of keys',
  cluster: { ...plainCluster, started: false },
  ownCluster: true,
  async run(scene) {
    const { instances, postgres } = scene.cluster
    const startMs = await Promise.all(instances.map((instance) => instance.start()))
    const [first] = instances
    if (first === undefined) throw new Error('no instance')
    const versions = await postgres.admin(
      'select version, count(*) as n from schema_migrations group by version order by version',
    )
    for (const { n } of versions) equal(Number(n), 1)
    const active = await postgres.admin(
      "select purpose, alg, count(*) as n from signing_keys where state = 'active' group by purpose, alg",
    )
    for (const { purpose, alg, n } of active) equal(Number(n), 1, `${n} active ${purpose} keys of ${alg}`)
    const token = await newToken(first.port, await newApplication(first, await newTenant(first)))
    const answers = await Promise.all(scene.direct.map(async (target) => (await scene.probe(target, token)).status))
    deepEqual(answers, [200, 200, 200])
    return {
      text: `${versions.length} migrations once each, ${active.length} kinds of keys once each`,
      recoveryMs: Math.max(...startMs),
    }
  },
}
