// Which limits count for a call, by the plan of its application and what an operator gave it instead.

import t, { type Test } from 'tap'
import type { AssignedPlan } from '../../src/limits/effective-plan.js'
import { createLimiter, type LimitDecision } from '../../src/limits/limiter.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'
import { mistakesOf, settingsFrom } from '../support/settings/config-file.js'

const file = (plans: string, more = '') => `
version: 1
permissions: { things_read: { describe: Read things } }
upstreams: { things: { target: "http://127.0.0.1:3001" } }
limits:
  application: { by: [application, tenant], rate: 3/h, burst: 3 }
  network: { by: address, rate: 100/s }
plans:
${plans}
defaults: { limits: [application]${more} }
routes:
  GET /things: { to: things, require: things_read }
  GET /reports/{id}: { to: things, require: things_read }
  POST /reports: { to: things, require: things_read, cost: 2 }
`
const two = `
  free: { describe: To try, chosenBy: developers, limits: { daily: { quota: 2/day } } }
  partner:
    describe: With a contract
    limits:
      application: { rate: 10/h, burst: 10 }
      daily: { quota: 5/day }
      reports: { by: [application, tenant], quota: 4/day, routes: [/reports/**] }
    concurrent: 7`

function open(t: Test, text: string) {
  const settings = settingsFrom(t, text)
  const said = new Map<string, AssignedPlan>()
  const limiter = createLimiter({
    counters: createInProcessCounters(),
    policies: settings.limits,
    plans: settings,
    assigned: { of: (id) => said.get(id), size: 1 },
    metrics: createMetrics(),
    monotonic: () => 1_000_000,
  })
  const limitsOf = (id: string) => settings.routes.find((route) => route.id === id)?.limits ?? []
  const ask = (applicationId: string, id = 'GET /things', tenantId = 'x') =>
    limiter.decide(limitsOf(id), { applicationId, tenantId, userId: null, routeId: id }, 'caller') as LimitDecision
  const admitted = (...about: Parameters<typeof ask>) => {
    let count = 0
    while (count < 100 && ask(...about).allowed) count += 1
    return count
  }
  const put = (id: string, plan: string, overrides: AssignedPlan['overrides'] = { limits: {} }) =>
    said.set(id, { plan, overrides })
  return { settings, limiter, ask, admitted, put }
}

t.test('an application without a plan has the limits of the route, and those with one have what it says', async (t) => {
  const { admitted, put, limiter } = open(t, file(two))
  put('a', 'free')
  put('b', 'partner')
  t.equal(admitted('none'), 3, 'the limit of the route')
  t.equal(admitted('a'), 2, 'further limits come beside it')
  t.equal(admitted('b'), 5, 'other numbers stand in its place')
  t.equal(limiter.planOf('none'), undefined)
  t.match(limiter.planOf('b'), { name: 'partner', concurrent: 7, forgotten: [] })
})

t.test('a limit for some routes counts on those, by application and tenant where it says so', async (t) => {
  const { admitted, put } = open(
    t,
    file(two.replace('quota: 5/day', 'quota: 50/day').replace('burst: 10', 'burst: 50')),
  )
  put('b', 'partner')
  t.equal(admitted('b', 'GET /reports/{id}'), 4)
  t.equal(admitted('b', 'POST /reports'), 0, 'the same bucket for the group')
  t.equal(admitted('b', 'GET /reports/{id}', 'another tenant'), 4)
  t.ok(admitted('b', 'GET /things') > 10, 'and no other route')
})

t.test('a change of plan counts from the next call on, and what was used is not forgotten', async (t) => {
  const { admitted, put, ask } = open(t, file(two))
  put('a', 'free')
  t.equal(admitted('a'), 2)
  put('a', 'partner')
  t.equal(admitted('a'), 3, 'of five two were used')
  put('a', 'free')
  t.equal(ask('a').allowed, false, 'nobody begins anew by changing back')
})

t.test('the default plan is that of everybody else, and of those whose plan is gone', async (t) => {
  const { admitted, put, limiter } = open(t, file(two, ', plan: free'))
  put('gone', 'enterprise')
  t.equal(admitted('none'), 2)
  t.equal(admitted('gone'), 2)
  t.equal(limiter.planOf('gone')?.name, 'free')
})

t.test('an operator gives one application other numbers, with a plan and without one', async (t) => {
  const { admitted, put, limiter } = open(t, file(two))
  put('a', 'free', { limits: { daily: { quota: '3/day' } } })
  t.equal(admitted('a'), 3)
  put('b', '', { limits: { application: { rate: '1/h', burst: 1 } } })
  t.equal(admitted('b'), 1)
  put('c', '', { limits: { nothing: { quota: '1/h' } }, concurrent: 2 })
  t.match(limiter.planOf('c'), { name: undefined, concurrent: 2, forgotten: ['nothing'] })
  t.equal(admitted('c'), 3, 'what nothing has any more counts nothing')
})

t.test('a reload changes the numbers of a plan, and a refusal names limit and plan', async (t) => {
  const { limiter, put, ask, settings } = open(t, file(two))
  put('a', 'free')
  ask('a')
  ask('a')
  const refused = ask('a')
  t.match(refused, { allowed: false, plan: 'free' })
  t.match(refused.policyField, /"daily";q=2/)
  const next = settingsFrom(t, file(two.replace('quota: 2/day', 'quota: 3/day')))
  limiter.replace(next.limits, next)
  t.equal(ask('a').allowed, true)
  t.equal(ask('a').allowed, false)
  limiter.replace(settings.limits)
  t.same(
    ask('a').policies.map(({ name }) => name),
    ['application'],
    'without plans the limit of the route counts',
  )
})

t.test('plans that cannot mean anything do not load', async (t) => {
  const wrong: readonly (readonly [plans: string, mistake: RegExp, more?: string])[] = [
    ['  p: { limits: {} }', /needs describe|describe/],
    ['  p: { describe: x, limits: { network: { rate: 1/s } } }', /is the name of a limit by address/],
    ['  p: { describe: x, limits: { daily: { by: tenant, quota: 1/day } } }', /must have application among it/],
    ['  p: { describe: x, limits: { application: { rate: 1/s, routes: [GET /things] } } }', /routes name this limit/],
    ['  p: { describe: x, limits: { daily: { quota: 1/day, routes: [GET /thing] } } }', /GET \/things/],
    [
      '  p: { describe: x, limits: { daily: { quota: 1/day } } }',
      /which is 1; give plans\.p\.limits\.daily a quota of 2/,
    ],
    ['  p: { describe: x, limits: { daily: { burst: 3 } } }', /needs a rate or a quota/],
    ['  p: { describe: x, chosenBy: anybody }', /must be one of developers, administrators, operators/],
    ['  p: { describe: x }', /plan.*"q"|"q".*plan/, ', plan: q'],
  ]
  const desk = `resources: { desk: { id: "https://desk.test/mcp", name: Desk, permissions: { read: { describe: Read } } } }\n`
  const mcp = 'mcp: { first: read, tools: { close: { needs: read, cost: 3 } } }'
  const withDesk = `${desk}${file('  p: { describe: x, limits: { application: { rate: 10/h, burst: 2 } } }')}`.replace(
    'routes:\n',
    `routes:\n  /desk/mcp: { to: things, resource: desk, limits: [application], ${mcp} }\n`,
  )
  t.match(mistakesOf(t, withDesk), [/close.*cost: .*which is 2; give plans\.p\.limits\.application a burst of 3/])
  for (const [plans, mistake, more = ''] of wrong) t.match(mistakesOf(t, file(plans, more)).join('\n'), mistake, plans)
})

t.test('plans that count otherwise under one name are warned of', async (t) => {
  const text = file(two.replace('daily: { quota: 5/day }', 'daily: { quota: 5/h }'))
  const { warnings } = settingsFrom(t, text)
  t.match(JSON.stringify(warnings), /begins anew/)
})
