// Who puts an application on a plan, who requests and who decides, and what the API says of all that.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Presented } from '../../src/management/dependencies.js'
import { setOperator } from '../../src/users/accounts/user-state.js'
import { atPortal, openWorld, type World, withToken } from '../support/models/isolation.js'
import { openManagement, refusal } from '../support/rooms/management.js'
import { threePlans } from '../support/settings/plan-rules.js'

type Opened = World & { id: string; as(who: Presented): Opened['testApp'] }

/** An application of dora's, the developer. */
async function open(t: Test): Promise<Opened> {
  const world = await openWorld(await openManagement(t, { plans: threePlans }))
  const { testApp, tenantA, a } = world
  testApp.caller.principal = atPortal(a.developer, tenantA)
  const made = await testApp.manage('POST', '/applications', { name: `diary ${randomUUID()}`, type: 'web' })
  const as = (who: Presented) => {
    testApp.caller.principal = who
    return testApp
  }
  return { ...world, id: made.json().applicationId, as }
}

const put = async ({ testApp, id }: Opened, plan: string | null) => {
  const answer = await testApp.manage('PUT', `/applications/${id}/plan`, { plan })
  return answer.statusCode === 200 ? 'done' : `${answer.statusCode} ${refusal(answer).code}`
}

t.test('each plan is put on by whom it is for, and taken away by nobody less', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, tenantB, a, operatorOfB, ownerOfB, as } = world
  const developer = atPortal(a.developer, tenantA)
  const everything = ['Application.ReadWrite.All', 'Consent.ReadWrite.All', 'Server.ReadWrite', 'Tenant.Read.All']
  const rows: readonly (readonly [string, Presented, ...string[]])[] = [
    ['its developer', developer, 'done', '403 PlanNeedsApproval', '403 PlanNeedsApproval'],
    ['an administrator', atPortal(a.administrator, tenantA), 'done', 'done', '403 PlanNeedsApproval'],
    ['an operator of another tenant', atPortal(operatorOfB, tenantB), 'done', 'done', 'done'],
    ['the local socket', { kind: 'local' }, 'done', 'done', 'done'],
    ['an owner of another tenant', atPortal(ownerOfB, tenantB), ...Array(3).fill('404 ApplicationNotFound')],
    ['a member', atPortal(a.member, tenantA), ...Array(3).fill('403 MissingPermission')],
    [
      'an administrator through an application that may not decide',
      withToken(world, tenantA, ['Application.ReadWrite.All'], a.administrator),
      ...['done', '403 PlanNeedsApproval', '403 PlanNeedsApproval'],
    ],
    ['another application', withToken(world, tenantA, everything), ...Array(3).fill('403 NotTheOwner')],
  ]
  for (const [name, who, ...expected] of rows) {
    const found: string[] = []
    for (const plan of ['free', 'team', 'partner']) {
      as({ kind: 'local' })
      await put(world, null)
      as(who)
      found.push(await put(world, plan))
    }
    const same = found.map((one) => one.replace(/^(403) (?!PlanNeedsApproval|NotTheOwner).*/, '$1 MissingPermission'))
    t.same(same, expected, name)
  }
  for (const plan of ['team', 'partner']) {
    as({ kind: 'local' })
    await put(world, plan)
    as(developer)
    t.equal(await put(world, 'free'), '403 PlanNeedsApproval', `off ${plan}`)
    t.equal(await put(world, null), '403 PlanNeedsApproval', `off ${plan} to none`)
    t.same((await testApp.manage('GET', `/applications/${world.id}/plan`)).json().choices, [])
  }
})

t.test('an application comes on a plan at its registration, or is not registered at all', async (t) => {
  const { as, testApp, a, tenantA } = await open(t)
  as(atPortal(a.developer, tenantA))
  const made = await testApp.manage('POST', '/applications', { name: 'notes', type: 'web', plan: 'free' })
  t.match(made.json(), { plan: 'free' })
  t.equal(testApp.assignedPlans.of(made.json().applicationId)?.plan, 'free', 'the limiter knows')
  for (const [plan, code] of [
    ['partner', 'PlanNeedsApproval'],
    ['fre', 'UnknownPlan'],
  ]) {
    const refused = await testApp.manage('POST', '/applications', { name: `for ${plan}`, type: 'web', plan })
    t.equal(refusal(refused).code, code)
    t.match(refusal(refused).message, plan === 'fre' ? /free, team, partner/ : /request the change/)
  }
  const { value } = (await testApp.manage('GET', '/applications')).json()
  t.notOk(value.some(({ name }: { name: string }) => name.startsWith('for ')))
  t.equal((await testApp.manage('DELETE', `/applications/${made.json().applicationId}`)).statusCode, 204)
  t.equal(testApp.assignedPlans.of(made.json().applicationId), undefined, 'it leaves with the application')
})

t.test('a request waits for who may decide, is decided once, and says nothing to others', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, tenantB, a, operatorOfB, ownerOfB, id, as } = world
  const developer = atPortal(a.developer, tenantA)
  const ask = (plan: string, reason: string) =>
    as(developer).manage('POST', `/applications/${id}/planRequest`, { plan, reason })
  const requested = await ask('partner', '  We\u202e have a\ncontract ')
  t.match(requested.json(), {
    plan: null,
    request: { plan: 'partner', reason: 'We have a contract', requestedBy: a.developer },
  })
  const { requestId } = requested.json().request
  const seenBy = async (who: Presented) =>
    (await as(who).manage('GET', '/planRequests')).json().value.map((one: { requestId: string }) => one.requestId)
  t.same(await seenBy(developer), [requestId])
  t.same(await seenBy(atPortal(a.administrator, tenantA)), [requestId])
  t.same(await seenBy(atPortal(operatorOfB, tenantB)), [requestId], 'operators see those of all tenants')
  t.same(await seenBy(atPortal(ownerOfB, tenantB)), [])
  t.same(await seenBy(atPortal(a.member, tenantA)), [])
  const decide = async (who: Presented, verb = 'approve', request = requestId) => {
    const answer = await as(who).manage('POST', `/planRequests/${request}/${verb}`)
    return answer.statusCode === 200 ? 'done' : refusal(answer).code
  }
  t.equal(await decide(developer), 'RoleRequired')
  t.equal(await decide(atPortal(ownerOfB, tenantB)), 'PlanRequestNotFound')
  for (const verb of ['approve', 'decline']) {
    t.equal(await decide(atPortal(a.administrator, tenantA), verb), 'PlanNeedsApproval', 'it is for operators')
  }
  const again = (await ask('partner', 'Otherwise')).json().request.requestId
  t.equal(await decide({ kind: 'local' }), 'PlanRequestNotFound', 'nobody approves what they have not seen')
  t.equal((await ask('partner', 'Otherwise')).json().request.requestId, again, 'the same again is the same request')
  t.equal(await decide(atPortal(operatorOfB, tenantB), 'approve', again), 'done')
  t.equal(await decide(atPortal(operatorOfB, tenantB), 'approve', again), 'PlanRequestNotFound', 'once')
  t.match((await testApp.manage('GET', `/applications/${id}/plan`)).json(), { plan: 'partner', request: null })
  t.equal(refusal(await ask('partner', '')).code, 'PlanNotRequestable')
  t.equal(refusal(await ask('gold', '')).code, 'UnknownPlan')
  t.match(
    refusal(await ask('partnr', '')).message,
    /^There is no plan "partnr"\. The nearest is "partner"\. There are /,
  )
  const back = (await ask('free', 'smaller')).json().request.requestId
  const no = { reason: 'Not while the contract\u0007 runs' }
  t.equal((await as({ kind: 'local' }).manage('POST', `/planRequests/${back}/decline`, no)).statusCode, 200)
  t.equal(await decide({ kind: 'local' }, 'decline', back), 'PlanRequestNotFound', 'once')
  t.equal(await decide({ kind: 'local' }, 'approve', back), 'PlanRequestNotFound', 'what was declined stays so')
  t.same(await seenBy(developer), [], 'it waits no more')
  t.match((await testApp.manage('GET', `/applications/${id}/plan`)).json(), {
    plan: 'partner',
    request: null,
    declined: { plan: 'free', reason: 'Not while the contract runs' },
  })
  t.match((await ask('team', 'taken back')).json(), { declined: null }, 'until the next request')
  t.equal((await as(developer).manage('DELETE', `/applications/${id}/planRequest`)).statusCode, 204)
  t.equal((await as(developer).manage('DELETE', `/applications/${id}/planRequest`)).statusCode, 404)
  const rows = await testApp.store.reader
    .selectFrom('ledger')
    .select(['event', 'details'])
    .where('event', 'like', 'application.plan-%')
    .execute()
  t.same(
    rows.map(({ event }) => event.replace('application.plan-', '')),
    ['requested', 'requested', 'changed', 'requested', 'declined', 'requested', 'request-withdrawn'],
  )
})

t.test('only operators give one application other numbers, of limits that it has and in their periods', async (t) => {
  const { testApp, id, a, tenantA, as } = await open(t)
  const change = (overrides: unknown) => testApp.manage('PUT', `/applications/${id}/plan`, { overrides })
  as(atPortal(a.administrator, tenantA))
  t.match(refusal(await change({ limits: {} })), { status: 403, code: 'OperatorRequired' })
  await setOperator(testApp.deps.users, a.owner, true)
  as(atPortal(a.owner, tenantA))
  await testApp.manage('PUT', `/applications/${id}/plan`, { plan: 'free' })
  for (const limits of [
    { nothing: { quota: '1/day' } },
    { daily: { quota: '1/h' } },
    { daily: { rate: '1/day' } },
    { daily: {} },
    { daily: { quota: '1/day', burst: 3 } },
  ]) {
    t.match(refusal(await change({ limits })), { status: 400, code: 'InvalidOverride' }, JSON.stringify(limits))
  }
  const words = (await change({ limits: { daily: { quota: 'abc' } } })).json().error.details
  t.match(words, [{ message: 'must be a number of calls and a time, such as 100/min' }])
  const answer = await change({ limits: { daily: { quota: '7/day' } }, concurrent: 3 })
  t.match(answer.json(), { plan: 'free', limits: [{ name: 'daily', limit: 7 }], concurrent: 3 })
  t.match(testApp.limiter.planOf(id)?.limits.get('daily')?.policy.algorithm, { limit: 7 })
  as(atPortal(a.developer, tenantA))
  t.match(
    (await testApp.manage('PUT', `/applications/${id}/plan`, { plan: null })).json(),
    { concurrent: 3 },
    'they stay',
  )
  as({ kind: 'local' })
  t.match((await change({})).json(), { overrides: { limits: {} }, concurrent: null })
  t.equal(testApp.limiter.planOf(id), undefined)
})

t.test('the plans that there are, and what counts for one application, are shown with their numbers', async (t) => {
  const { testApp, id, a, tenantA, as } = await open(t)
  as(atPortal(a.developer, tenantA))
  t.match((await testApp.manage('GET', '/plans')).json().value, [
    {
      name: 'free',
      chosenBy: 'developers',
      default: false,
      limits: [{ name: 'daily', limit: 10, periodSeconds: 86_400 }],
    },
    { name: 'team' },
    { name: 'partner' },
  ])
  const plan = (await testApp.manage('GET', `/applications/${id}/plan`)).json()
  t.match(plan, { plan: null, assigned: null, gone: false, request: null, choices: ['free'] })
  Object.assign(testApp.settings, { plans: new Map([...threePlans.plans].slice(1)) })
  await testApp.store.transaction((tx) =>
    tx
      .insertInto('application_plans')
      .values({ application_id: id, plan: 'free', overrides: '', updated_at: 0 })
      .execute(),
  )
  const gone = (await testApp.manage('GET', `/applications/${id}/plan`)).json()
  t.match(gone, { plan: null, assigned: 'free', gone: true })
})

t.test('of those who decide a request at the same time one does, and it is recorded once', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a, id, as } = world
  for (const [first, second] of [
    ['approve', 'approve'],
    ['approve', 'decline'],
    ['decline', 'approve'],
  ]) {
    as({ kind: 'local' })
    await put(world, null)
    const request = as(atPortal(a.developer, tenantA)).manage('POST', `/applications/${id}/planRequest`, {
      plan: 'team',
    })
    const { requestId } = (await request).json().request
    as(atPortal(a.administrator, tenantA))
    const before = testApp.feed.seq
    const answers = await Promise.all(
      [first, second].map((verb) => testApp.manage('POST', `/planRequests/${requestId}/${verb}`)),
    )
    t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, 404], `${first} and ${second}`)
    const winner = answers[0]?.statusCode === 200 ? first : second
    const { plan } = (await testApp.manage('GET', `/applications/${id}/plan`)).json()
    t.equal(plan, winner === 'approve' ? 'team' : null)
    t.equal(testApp.feed.seq - before, winner === 'approve' ? 1 : 0)
  }
})

t.test('a request for a plan that is gone meanwhile can be declined, and by nobody approved', async (t) => {
  const { testApp, tenantA, a, id, as } = await open(t)
  as(atPortal(a.developer, tenantA))
  const { request } = (await testApp.manage('POST', `/applications/${id}/planRequest`, { plan: 'team' })).json()
  Object.assign(testApp.settings, { plans: new Map([...threePlans.plans].filter(([name]) => name !== 'team')) })
  as(atPortal(a.administrator, tenantA))
  t.equal(refusal(await testApp.manage('POST', `/planRequests/${request.requestId}/approve`)).code, 'UnknownPlan')
  t.equal((await testApp.manage('POST', `/planRequests/${request.requestId}/decline`)).statusCode, 200)
})

t.test('operators see how many applications have each plan, and which; of those that are gone too', async (t) => {
  const world = await open(t)
  const { testApp, id, as, tenantA, tenantB, a, operatorOfB } = world
  as({ kind: 'local' })
  await put(world, 'partner')
  await testApp.manage('PUT', `/applications/${id}/plan`, { overrides: { limits: { daily: { quota: '7/day' } } } })
  Object.assign(testApp.settings, { plans: new Map([...threePlans.plans].slice(0, 2)), defaultPlan: 'free' })
  as(atPortal(operatorOfB, tenantB))
  const use = (await testApp.manage('GET', '/planUse')).json()
  t.match(use.value, [
    { plan: 'free', defined: true, default: true, applications: 0, overridden: 0 },
    { plan: 'team', defined: true, default: false, applications: 0, overridden: 0 },
    { plan: 'partner', defined: false, default: false, applications: 1, overridden: 1, definition: null },
  ])
  t.match(use.value[0].definition, { limits: [{ name: 'daily', limit: 10 }], mayChoose: true })
  const { value } = (await testApp.manage('GET', '/planUse/applications?plan=partner')).json()
  t.match(value, [{ applicationId: id, tenantId: tenantA, overridden: true }])
  t.same((await testApp.manage('GET', '/planUse/applications?plan=team')).json(), { value: [] })
  as(atPortal(a.owner, tenantA))
  for (const path of ['/planUse', '/planUse/applications?plan=partner']) {
    t.equal((await testApp.manage('GET', path)).statusCode, 403, `an owner, ${path}`)
  }
})

t.test('what is left of the limits of a plan, and of others that count the application', async (t) => {
  const by = (name: string, ...parts: ('application' | 'tenant' | 'user' | 'address')[]) => {
    const algorithm = { kind: 'quota', limit: 5, periodMs: 60_000 } as const
    return [name, { name, by: parts, algorithm, mode: 'local', shadow: false, onDown: 'pass' }] as const
  }
  const limits = new Map([
    by('calls', 'application', 'tenant'),
    by('people', 'application', 'user'),
    by('ip', 'address'),
  ])
  const world = await openWorld(await openManagement(t, { plans: threePlans, limits }))
  const { testApp, tenantA, tenantB, a, ownerOfB } = world
  Object.assign(testApp.settings, { routes: [{ id: 'GET /t', limits: [...limits.keys()] }] })
  testApp.caller.principal = atPortal(a.developer, tenantA)
  const made = await testApp.manage('POST', '/applications', { name: 'counted', type: 'web', plan: 'free' })
  const { applicationId } = made.json()
  const subject = { applicationId, tenantId: tenantA, routeId: 'GET /t' }
  await testApp.limiter.decide(['calls'], subject, undefined, 2)
  const answer = (await testApp.manage('GET', `/applications/${applicationId}/planUsage`)).json()
  t.match(answer, { plan: 'free', concurrent: null })
  t.match(answer.value, [
    { name: 'daily', plan: 'free', limit: 10, remaining: 10 },
    { name: 'calls', plan: null, limit: 5, remaining: 3, resetSeconds: Number },
    { name: 'people', plan: null, remaining: null, resetSeconds: null },
  ])
  t.equal(answer.value.length, 3, 'what guards by address is not the application’s')
  testApp.caller.principal = atPortal(ownerOfB, tenantB)
  t.equal((await testApp.manage('GET', `/applications/${applicationId}/planUsage`)).statusCode, 404)
})
