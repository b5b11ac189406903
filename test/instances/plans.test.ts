// Plans over three instances on one PostgreSQL and one Redis: counts are exact or bounded as the mode of a limit says,
// a change is known everywhere within a second, and what is billed by adds up to what clients called.
// full: three instances on PostgreSQL and Redis
// run: apart

import t, { type Test } from 'tap'
import type { Settings } from '../../src/config/settings/settings.js'
import { openPostgresStore } from '../../src/storage/sql/postgresql/postgresql.js'
import { readUsageDays } from '../../src/storage/sql/usage/usage-days.js'
import { accessToken, buildInstance, type TestInstance } from '../support/cluster/instances.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { startRedis } from '../support/databases/redis.js'
import { planOf, planRules } from '../support/settings/plan-rules.js'
import { until } from '../support/traffic/until.js'

const postgres = await startPostgres(t)
const redis = await startRedis(t)

// Instances take the clock along when they are built. Tokens are judged by it too, so it goes on as it does elsewhere.
const realNow = Date.now
let aheadMs = 0
Date.now = () => realNow() + aheadMs
t.teardown(() => {
  Date.now = realNow
})
t.afterEach(() => {
  aheadMs = 0
})

const path = '/api/v2/me'
const [exact, bounded] = [90, 600]
const patient = { connectMs: 20_000, statementMs: 20_000, waitMs: 20_000 }

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
  return { ...settings, ...plans, routes: bare, usage: { ...settings.usage, flushEveryMs: 200 } }
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
  const client = async (name: string, plan: string, permission = 'User.Read.All'): Promise<Client> => {
    const permissions = [{ kind: 'application', id: permission }]
    const body = { name, type: 'web', plan, permissions, consent: true, tenantId: tenant?.tenantId }
    const made = (await one.local.call('POST', '/applications', body)) as {
      applicationId: string
      clientSecret: string
    }
    const token = accessToken(await one.token(made.applicationId, made.clientSecret))
    return { applicationId: made.applicationId, token }
  }
  return { built, one, client, url: options.store, tenantId: tenant?.tenantId ?? '' }
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

interface Line {
  applicationId: string
  plan: string | null
  allowed: number
  refused: { permission: number; limit: number; token: number }
}

/** Calls that passed and that a limit refused, by application. */
function sumsOf(lines: readonly Line[], { applicationId }: Client) {
  const own = lines.filter((line) => line.applicationId === applicationId)
  const sum = (of: (line: Line) => number) => own.reduce((all, line) => all + of(line), 0)
  return { passed: sum(({ allowed }) => allowed), limited: sum(({ refused }) => refused.limit) }
}

function csvLines(text: string): Line[] {
  const [heading = '', ...lines] = text.trimEnd().split('\r\n')
  const names = heading.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    const of = (name: string) => cells[names.indexOf(name)] ?? ''
    const refused = { permission: Number(of('refusedPermission')), limit: Number(of('refusedLimit')), token: 0 }
    return { applicationId: of('applicationId'), plan: of('plan'), allowed: Number(of('allowed')), refused }
  })
}

t.test('usage, both exports and the daily event add up to what clients called at three instances', async (t) => {
  const { built, one, client, tenantId, url } = await open(t)
  const hook = { url: 'https://hooks.invalid/', events: ['usage.day_ended'], tenantId }
  const { id } = (await one.local.call('POST', '/webhooks', hook)) as { id: string }
  const [small, large, moved] = [
    await client('small diary', 'small'),
    await client('large diary', 'large'),
    await client('moved diary', 'none'),
  ]
  const counted = new Map<Client, Map<number, number>[]>()
  const calling = async (of: Client, calls: number) => {
    counted.set(of, [...(counted.get(of) ?? []), await call(built, of, calls)])
  }
  await Promise.all([calling(small, exact + 60), calling(large, bounded + 150), calling(moved, 30)])
  await one.local.call('PUT', `/applications/${moved.applicationId}/plan`, { plan: 'large' })
  await calling(moved, 90)
  const seen = (of: Client) => {
    const sum = (status: number) => (counted.get(of) ?? []).reduce((all, some) => all + (some.get(status) ?? 0), 0)
    return { passed: sum(200), limited: sum(429) }
  }
  t.same(seen(small), { passed: exact, limited: 60 }, 'strict: exactly')
  t.ok(seen(large).passed <= bounded && seen(large).passed >= bounded - bounded / 8, `leased: ${seen(large).passed}`)
  t.ok(seen(moved).limited >= 29, 'before the change, all but one')

  const biller = await client('biller', 'large', 'Usage.Read.All')
  const api = async (target: string) => (await one.get(`/api/v2${target}`, biller.token)).body
  // The run may go over midnight, and over the end of a month.
  const months = [...new Set([0, 86_400_000].map((ms) => new Date(Date.now() - ms).toISOString().slice(0, 7)))]
  const everyMonth = async (read: (month: string) => Promise<Line[]>) => (await Promise.all(months.map(read))).flat()
  const forms: Record<string, () => Promise<Line[]>> = {
    JSON: () => everyMonth(async (month) => JSON.parse(await api(`/usage/export?month=${month}`)).value),
    CSV: () => everyMonth(async (month) => csvLines(await api(`/usage/export.csv?month=${month}`))),
    'by route': () => everyMonth(async (month) => JSON.parse(await api(`/usage/export?by=route&month=${month}`)).value),
  }
  const clients = [small, large, moved]
  const expected = clients.map(seen)
  for (const [form, read] of Object.entries(forms)) {
    await until(`${form} has all`, async () => {
      const lines = await read()
      return JSON.stringify(clients.map((of) => sumsOf(lines, of))) === JSON.stringify(expected)
    }).catch(() => undefined)
    const lines = await read()
    t.same(
      clients.map((of) => sumsOf(lines, of)),
      expected,
      form,
    )
    const plans = clients.map(({ applicationId }) => lines.find((line) => line.applicationId === applicationId)?.plan)
    t.same(plans, ['small', 'large', 'large'], 'with the plan of now')
  }
  for (const [n, { applicationId }] of clients.entries()) {
    const usage = JSON.parse(await api(`/usage?applicationId=${applicationId}&by=route`)) as { value: Line[] }
    const lines = usage.value.map((line) => ({ ...line, applicationId }))
    t.same(sumsOf(lines, { applicationId, token: '' }), expected[n], 'usage')
  }

  await until('its days are followed', async () => {
    const store = await openPostgresStore({ url, connections: 1, ...patient })
    return (await readUsageDays(store.reader).finally(() => store.close())).open_day > 0
  })
  const today = new Date(Date.now()).toISOString().slice(0, 10)
  aheadMs = 86_400_000
  const events = async () => {
    const path = `/webhooks/${id}/deliveries`
    const { value } = (await one.local.call('GET', path)) as { value: { id: string }[] }
    const whole = await Promise.all(value.map((delivery) => one.local.call('GET', `${path}/${delivery.id}`)))
    type Data = { day: string; part: number; value: Line[] }
    return (whole as { body: string }[]).map(({ body }) => JSON.parse(body).data as Data)
  }
  await until('the day was told of', async () => (await events()).some(({ day }) => day === today), 90_000)
  const lines = (await events()).flatMap(({ value }) => value)
  t.same(
    clients.map((of) => sumsOf(lines, of)),
    expected,
    'the daily event',
  )
  t.equal(new Set((await events()).map(({ day, part }) => `${day} ${part}`)).size, (await events()).length, 'once')
  t.comment(JSON.stringify(expected))
})
