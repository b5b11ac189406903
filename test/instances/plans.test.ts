// Plans over three instances on one PostgreSQL and one Redis: counts are exact or bounded as the mode of a limit says,
// a change is known everywhere within a second.
// full: three instances on PostgreSQL and Redis
// run: apart

import t, { type Test } from 'tap'
import type { Settings } from '../../src/config/settings/settings.js'
import { accessToken, buildInstance, type TestInstance } from '../support/cluster/instances.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { startRedis } from '../support/databases/redis.js'
import { planOf, planRules } from '../support/settings/plan-rules.js'

const postgres = await startPostgres(t)
const redis = await startRedis(t)

const path = '/api/v2/me'
const [exact, bounded] = [90, 600]

/** As a file with these plans would say it. */
function withPlans(settings: Settings): Settings {
  const routes = settings.routes.map(({ id }) => id)
  const plans = planRules([
    planOf('small', 'developers', { quota: exact, mode: 'strict', routes }),
    planOf('large', 'operators', { quota: bounded, mode: 'leased', routes }),
    planOf('none', 'operators', { quota: 1, mode: 'strict', routes }),
  ])
  // Only what the plans say is in question.
  const bare = settings.routes.map((route) => ({ ...route, limits: [] }))
  return { ...settings, ...plans, routes: bare }
}

interface Client {
  applicationId: string
  token: string
}

async function open(t: Test) {
  const options = { store: await postgres.newDatabase(), redis: redis.url, change: withPlans }
  const built = await Promise.all([1, 2, 3].map(() => buildInstance(t, options)))
  for (const { app } of built) await app.start()
  const [one] = built as [TestInstance, TestInstance, TestInstance]
  const [tenant] = (await one.manage.listTenants()) ?? []
  const client = async (name: string, plan: string): Promise<Client> => {
    const permissions = [{ kind: 'application', id: 'User.Read.All' }]
    const body = { name, type: 'web', plan, permissions, consent: true, tenantId: tenant?.tenantId }
    const made = (await one.local.call('POST', '/applications', body)) as {
      applicationId: string
      clientSecret: string
    }
    const token = accessToken(await one.token(made.applicationId, made.clientSecret))
    return { applicationId: made.applicationId, token }
  }
  return { built, one, client }
}

/** So many calls, in turn at each instance, `width` at once; how often each status came. */
async function call(built: readonly TestInstance[], { token }: Client, calls: number, width = 15) {
  const statuses = new Map<number, number>()
  let sent = 0
  const worker = async () => {
    while (sent < calls) {
      const instance = built[sent % built.length] as TestInstance
      sent += 1
      const { status } = await instance.get(path, token)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return statuses
}

t.test('of two applications with different plans each has its own count over three instances', async (t) => {
  const { built, client } = await open(t)
  const [small, large] = [await client('small diary', 'small'), await client('large diary', 'large')]
  const [ofSmall, ofLarge] = await Promise.all([call(built, small, exact + 60), call(built, large, bounded + 150)])
  t.equal(ofSmall.get(200), exact, 'strict: exactly')
  t.equal(ofSmall.get(429), 60)
  const passed = ofLarge.get(200) ?? 0
  t.ok(passed <= bounded, `leased: never more than ${bounded}: ${passed}`)
  t.ok(passed >= bounded - bounded / 8, `leased: at most an eighth less: ${passed}`)
  const refused = await built[2]?.get(path, small.token)
  t.match(JSON.parse(refused?.body ?? ''), { error: { limit: { name: 'daily', plan: 'small', limit: exact } } })
})

t.test('a change of plan is known to all instances within a second, and what was used counts on', async (t) => {
  const { built, one, client } = await open(t)
  const diary = await client('diary', 'none')
  t.same([...(await call(built, diary, 4, 1))].sort(), [
    [200, 1],
    [429, 3],
  ])
  const at = performance.now()
  await one.local.call('PUT', `/applications/${diary.applicationId}/plan`, { plan: 'large' })
  for (const instance of built) {
    while ((await instance.get(path, diary.token)).status !== 200 && performance.now() - at < 20_000);
  }
  const took = performance.now() - at
  t.comment(`three instances after ${Math.round(took)} ms`)
  t.ok(took < 20_000, 'a machine that stands still is waited for')
  await one.local.call('PUT', `/applications/${diary.applicationId}/plan`, { plan: 'none' })
  const seen = async (instance: TestInstance) => (await instance.get(path, diary.token)).status
  t.same(await Promise.all(built.map(seen)), [429, 429, 429], 'the answer comes when it holds here, and soon elsewhere')
})
