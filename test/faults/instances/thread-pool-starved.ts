// F35: libuv's thread pool is busy for seconds with slow hashes: by a hook, then by as many people who sign in at once.

import { ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { formOf } from '../../support/browser/scripted-browser.js'
import { call } from '../../support/cluster/checking-client.js'
import type { Instance, PlainAnswer } from '../../support/cluster/cluster-instance.js'
import { browseAt } from '../../support/people/people-secrets.js'
import { percentile, spread, statuses } from '../scene/measure.js'
import { managed, newCast, newTenant } from '../scene/provision.js'
import { type FaultStory, plainCluster } from '../story.js'

export const threadPoolStarved: FaultStory = {
  name: 'thread-pool-starved',
  faults: ['F35'],
  expected:
    'verifying and proxying do not wait for the pool, nor for 64 people who sign in: no 5xx and the median stays below 100 ms (the processor is shared with the hashes)',
  cluster: plainCluster,
  async run(scene) {
    const { instances } = scene.cluster
    const victim = instances[1]
    if (victim === undefined) throw new Error('too few instances')
    const { next } = await newCast(instances)
    const traffic = scene.traffic({ targets: [{ via: victim.name, port: victim.port }], perSecond: 40, next })
    await wait(500)
    const fromMs = performance.now()
    victim.hook({ do: 'starve', jobs: 64 })
    await wait(2_500)
    const toMs = performance.now()
    await wait(2_000)
    const signingInMs = performance.now()
    const answers = await signInAtOnce(victim)
    const signedInMs = performance.now()
    await wait(500)
    await traffic.stop()
    const tookIn = (from: number, to: number) =>
      traffic.exchanges.filter(({ sentMs }) => sentMs > from && sentMs < to).map((one) => one.endedMs - one.sentMs)
    const [starved, signIns] = [tookIn(fromMs, toMs), tookIn(signingInMs, signedInMs)]
    for (const during of [starved, signIns]) {
      const p50 = percentile(during, 0.5)
      ok(p50 < 300, `the median was ${p50.toFixed(0)} ms`)
    }
    // 303: signed in. 503: too many wait for a hash.
    ok(
      answers.every(({ status }) => status === 303 || status === 503),
      `signing in is answered ${statuses(answers)}`,
    )
    return {
      text: `${statuses(traffic.exchanges)}; meanwhile ${spread(starved)}; while ${attempts} sign in (${statuses(answers)} in ${(signedInMs - signingInMs).toFixed(0)} ms) ${spread(signIns)}`,
    }
  },
}

const attempts = 64

/** As many right passwords at once, from a form that is open. */
async function signInAtOnce(instance: Instance): Promise<PlainAnswer[]> {
  const [email, password] = ['flood@contoso.test', 'seven unrelated green words']
  const tenantId = await newTenant(instance)
  await managed(instance, 'POST', '/users', { email, name: 'Ada', password, tenantId, role: 'member' })
  const browser = browseAt(instance)
  const page = await browser.open('/sign-in')
  const { action, fields } = formOf(page, 'sign-in-form')
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ ...fields, email, password, passkey: '' }).toString()
  return Promise.all(
    Array.from({ length: attempts }, () => call(instance.port, { path: action, method: 'POST', headers, body })),
  )
}
