// F8 and F13: PostgreSQL and instances are killed (kill -9) while writes of every kind are answered.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../support/traffic/until.js'
import { newClient, newPerson } from '../scene/people.js'
import { managed, newApplication, newTenant, verifyLedger } from '../scene/provision.js'
import type { Scene } from '../scene/scene.js'
import { writeKinds } from '../scene/writes-of-every-kind.js'
import { type PeopleContext, peopleWriteKinds } from '../scene/writes-of-people.js'
import { type FaultStory, plainCluster } from '../story.js'

export const acknowledgedWrites: FaultStory = {
  name: 'acknowledged-writes',
  faults: ['F8', 'F13'],
  expected:
    'of the acknowledged writes of every kind none is missing and none is there twice, and the ledger has one line for each',
  cluster: plainCluster,
  ownCluster: true,
  async run(scene) {
    const { instances, postgres } = scene.cluster
    const [first] = instances
    if (first === undefined) throw new Error('no instance')
    for (const instance of instances) scene.mayEnd(instance)
    const tenantId = await newTenant(first)
    const application = await newApplication(first, tenantId)
    await managed(first, 'PUT', `/applications/${application.applicationId}/permissions`, {
      permissions: [{ kind: 'application', id: 'Subscription.ReadWrite.All' }],
    })
    await managed(first, 'POST', `/applications/${application.applicationId}/consents`, {})
    const query = (sql: string) => postgres.admin(sql)
    const wanted = scene.full ? 800 : 64
    const tally = { acknowledged: 0, failed: 0 }
    const [person, client] = [await newPerson(first, tenantId, 'grace'), await newClient(first, tenantId)]
    const kinds = Object.entries({ ...writeKinds, ...peopleWriteKinds })
    const done = new Set<string>()
    let turn = 0
    const isEnough = () => turn > 10_000 || (tally.acknowledged >= wanted && done.size === kinds.length)
    const writer = async (): Promise<void> => {
      while (!isEnough()) {
        const instance = instances[turn % instances.length]
        const [kindName, kind] = kinds[turn % kinds.length] ?? ['']
        const name = `Write ${turn}`
        turn += 1
        if (instance === undefined || kind === undefined) return
        const passed = await attempt(scene, () =>
          kind({ instance, query, tenantId, application, name, person, client } satisfies PeopleContext),
        )
        tally[passed ? 'acknowledged' : 'failed'] += 1
        if (passed) done.add(kindName)
        // Slow enough that the kills come between them.
        await wait(80)
      }
    }
    const writers = Promise.all(Array.from({ length: 4 }, writer))
    const kills = { postgresql: 0, instances: 0 }
    const everyMs = 700
    while (!isEnough()) {
      await wait(everyMs)
      if (isEnough()) break
      if ((kills.postgresql + kills.instances) % 2 === 0) {
        await postgres.stop('SIGKILL')
        kills.postgresql += 1
        await wait(200)
        await postgres.start()
      } else {
        const victim = instances[1 + (kills.instances % 2)]
        await victim?.stop('SIGKILL')
        kills.instances += 1
        await victim?.start()
      }
    }
    await writers
    const recoveryMs = await until(
      'everything writes',
      async () => {
        for (const instance of instances)
          if ((await instance.manage('POST', '/tenants', { name: 'End' })).status !== 201) return false
        return true
      },
      30_000,
    )
    equal(done.size, kinds.length, 'each kind was acknowledged')
    await verifyLedger(first)
    ok(kills.postgresql > 0, 'PostgreSQL was killed meanwhile')
    const text = `${tally.acknowledged} acknowledged, of ${kinds.length} kinds, ${tally.failed} failed and were not counted; PostgreSQL killed ${kills.postgresql} times, instances ${kills.instances} times`
    return { text, recoveryMs }
  },
}

/** Whether it was acknowledged; then it is looked for in the end. What fails on the way there is no write at all. */
async function attempt(scene: Scene, write: () => ReturnType<(typeof writeKinds)[string]>): Promise<boolean> {
  try {
    const { answer, write: made, audit } = await write()
    if (answer.status >= 300) return false
    scene.acknowledged(made)
    if (audit !== undefined) scene.audited(audit)
    return true
  } catch {
    return false
  }
}
