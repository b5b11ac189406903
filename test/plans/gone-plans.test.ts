// What operators hear of plans that a change of the configuration takes away from applications that are on them.

import t, { type Test } from 'tap'
import type { Settings } from '../../src/config/settings/settings.js'
import { createAccessChangeReport } from '../../src/instance/access-change-report.js'
import { openManagement } from '../support/rooms/management.js'
import { threePlans } from '../support/settings/plan-rules.js'

/** Three applications on `partner`, one on `free`. */
async function open(t: Test) {
  const testApp = await openManagement(t, { plans: threePlans })
  testApp.caller.principal = { kind: 'local' }
  const tenantId = (await testApp.registerDemo({})).tenantId
  const ids: string[] = []
  for (const [name, plan] of [
    ['one', 'partner'],
    ['two', 'partner'],
    ['three', 'partner'],
    ['four', 'free'],
  ]) {
    const made = await testApp.manage('POST', '/applications', { name, type: 'web', tenantId, plan })
    ids.push(made.json().applicationId)
  }
  return { testApp, tenantId, ids: ids.slice(0, 3).sort(), gone: new Map([...threePlans.plans].slice(0, 2)) }
}

t.test('the status says which plans are gone, who is on them and what counts for those meanwhile', async (t) => {
  const { testApp, tenantId, ids, gone } = await open(t)
  const said = async () => (await testApp.manage('GET', '/status')).json().gonePlans
  t.same(await said(), [], 'all are there, and who is on none is on none that is gone')
  Object.assign(testApp.settings, { plans: gone, defaultPlan: 'free' })
  const partner = { plan: 'partner', applications: 3, instead: 'free' }
  t.match(await said(), [{ ...partner, some: ids.map((applicationId) => ({ applicationId, tenantId })) }])
  t.equal((await said())[0].some.length, 3)
  Object.assign(testApp.settings, { plans: new Map(), defaultPlan: undefined })
  t.match(await said(), [
    { plan: 'free', applications: 1, instead: null, some: [{ name: 'four' }] },
    { plan: 'partner', applications: 3, instead: null },
  ])
})

t.test('the log of a reload names a plan that went with it once, with those who were on it', async (t) => {
  const { testApp, ids, gone } = await open(t)
  const lines: { about: object; message: string }[] = []
  const arrived = new Set<() => void>()
  const hear = (about: object, message: string) => {
    lines.push({ about, message })
    for (const one of arrived) one()
  }
  const report = createAccessChangeReport({ store: testApp.store, log: { info: hear, warn: hear } as never })
  const until = (message: RegExp) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (lines.some((line) => message.test(line.message))) resolve()
      }
      arrived.add(look)
      look()
    })
  const before: Settings = { ...testApp.settings }
  const after: Settings = { ...before, plans: gone, defaultPlan: 'free' }
  report(before, after)
  await Promise.all([until(/^the plan partner is gone/), until(/^access: /)])
  const [line] = lines.filter(({ message }) => message.startsWith('the plan'))
  t.same(line?.about, { plan: 'partner', applications: 3, some: ids })
  t.match(line?.message, /the plan free counts for them until it is back or they are put on another$/)
  lines.length = 0
  report(after, { ...after, plans: new Map(), defaultPlan: undefined })
  await Promise.all([until(/^the plan free is gone .*the limits of all count/), until(/^access: /)])
  t.equal(lines.length, 2, 'partner went before, and team had nobody')
})
