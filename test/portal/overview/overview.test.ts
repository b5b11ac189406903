// The first page of the portal: what waits, how it went, and the way to each; by role, and no more than the role sees.

import t, { type Test } from 'tap'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import { ticks } from '../../../src/portal/charts/scale.js'
import { plantDelivery } from '../../support/browser/planted-delivery.js'
import { textOf } from '../../support/browser/scripted-browser.js'
import { ownResource } from '../../support/rooms/directory.js'
import { openPortal } from '../../support/rooms/portal.js'

const name = '<b>night</b> job'

async function open(t: Test) {
  const testApp = await openPortal(t)
  const { tenantId } = testApp
  const permissions = [{ kind: 'application' as const, resource: ownResource, id: 'User.Read.All' }]
  const local = async (method: 'POST' | 'PATCH', path: string, body: unknown) => {
    testApp.caller.principal = { kind: 'local' }
    return (await testApp.manage(method, path, body)).json()
  }
  const waits = (await local('POST', '/applications', {
    ...{ name, type: 'web', tenantId, permissions, secretExpiresInDays: 20 },
  })) as { applicationId: string }
  const call = (applicationId: string, route: string, times: number) => {
    const principal = { kind: 'application', applicationId, tenantId, resource: ownResource } as never
    for (let i = 0; i < times; i += 1) testApp.usage.allowed(principal, { id: route }, [])
    testApp.usage.refused(principal, route, 403)
  }
  return { ...testApp, waits: waits.applicationId, call, local }
}

t.test('a developer: their applications with calls, secrets that end, permissions that wait', async (t) => {
  const { as, registration, waits, call } = await open(t)
  const browser = await as('developer')
  const empty = await browser.get('/portal')
  t.equal(empty.status, 200)
  t.match(empty.body, 'No calls in this time')
  t.match(textOf(empty, 'waiting-secrets'), /^1secret ends within 30 daysnight<|1.*secret ends within 30 days.*night/s)
  t.match(empty.body, `href="/portal/applications/${waits}/credentials"`)
  t.match(textOf(empty, 'waiting-consent'), /application waits for an administrator’s consent/)
  t.match(empty.body, `href="/portal/applications/${waits}/permissions"`)
  t.notMatch(empty.body, name, 'U4')
  call(registration.applicationId, 'GET /posts', 3)
  for (const query of ['', '?last=1h']) {
    const stretch = query === '' ? 'last=24h' : 'last=1h'
    const page = await browser.get(`/portal${query}`)
    t.match(textOf(page, 'numbers'), /Calls\s*4\s*Refused\s*1/)
    t.match(textOf(page, 'pair-0'), /GET \/posts\s*demo\s*4\s*1\s*0/)
    t.match(page.body, `href="/portal/usage?${stretch}&amp;route=GET+%2Fposts"`, 'the way to the route')
    t.match(textOf(page, `owned-${registration.applicationId}`), /demo\s*4\s*1\s*0\s*UsageActivity/)
    t.match(page.body, `href="/portal/applications/${registration.applicationId}/usage?${stretch}"`)
    t.match(page.body, 'aria-describedby="by-time"', 'what is drawn stands in a table')
  }
  const page = await browser.get('/portal')
  for (const id of ['waiting-second-factor', 'waiting-unused', 'waiting-requests', 'server-title', 'traffic']) {
    t.notMatch(page.body, `id="${id}"`, `${id} is for others`)
  }
  t.match(page.body, /<a href="\/portal" aria-current="page">/)
  t.equal((await (await as('member')).get('/portal')).location, '/portal/tenant')
})

t.test(
  'an administrator: requests, unused permissions, failing sign-ins, people without a second factor',
  async (t) => {
    const { as, person, store, tenantId, now, clock, registration } = await open(t)
    const browser = await as('administrator')
    const { userId } = await person('Mia', 'member')
    const failed = async (user_id: string | null, id: string) =>
      store.transaction(async (tx) => {
        const row = {
          id,
          at: now() - 1_000,
          event: 'user.sign-in-failed',
          tenant_id: null,
          application_id: null,
          user_id,
        }
        const rest = { request_id: null, address: '127.0.0.1', details: '{}' }
        await tx
          .insertInto('activity')
          .values({ ...row, ...rest })
          .execute()
        if (user_id === null) return
        await tx.insertInto('activity_members').values({ tenant_id: tenantId, at: row.at, id, limited: 0 }).execute()
      })
    for (const id of ['1', '2', '3']) await failed(userId, id)
    await failed(null, '4')
    await store.transaction(async (tx) => {
      const request = {
        id: 'r1',
        application_id: registration.applicationId,
        tenant_id: tenantId,
        requested_by: userId,
      }
      const rest = {
        reason: '',
        permissions: '[]',
        state: 'pending',
        created_at: now(),
        decided_at: null,
        decided_by: null,
      }
      await tx
        .insertInto('consent_requests')
        .values({ ...request, ...rest })
        .execute()
    })
    const page = await browser.get('/portal?last=1h')
    t.match(textOf(page, 'waiting-sign-ins'), /3.*sign-ins failed in the last hour/s)
    t.match(page.body, 'href="/portal/audit/attempts?event=user.sign-in-failed"')
    t.match(textOf(page, 'sign-in-0'), /Mia Example\s*3/)
    t.match(page.body, `href="/portal/people/${userId}"`)
    t.match(textOf(page, 'waiting-second-factor'), /people have no second factor/)
    t.match(textOf(page, 'waiting-requests'), /1.*request for consent waits/s)
    t.notMatch(page.body, 'id="server-title"')
    clock.nowMs += 40 * 86_400_000
    const later = await as('administrator')
    const then = await later.get('/portal')
    t.notMatch(then.body, 'id="waiting-sign-ins"')
    t.notMatch(then.body, 'id="sign-ins"', 'no empty chart')
  },
)

t.test('an operator: requests, errors, latencies, limits, targets, certificate, dead letters', async (t) => {
  const { as, store, local, metrics, writes, tenantId } = await open(t)
  const browser = await as('owner')
  const users = await store.reader.selectFrom('users').select(['id', 'name']).execute()
  const { id = '' } = users.find((one) => one.name.startsWith('owner')) ?? {}
  t.notMatch((await browser.get('/portal')).body, 'id="server-title"')
  await local('PATCH', `/users/${id}`, { operator: true })
  metrics.httpRequests.labels('GET /posts', 'GET', '200', 'upstream').inc(90)
  metrics.httpRequests.labels('GET /posts', 'GET', '502', 'upstream').inc(2)
  metrics.httpDuration.labels('GET /posts', 'GET').observe(0.02)
  metrics.httpRequests.labels('_unmatched', 'GET', '404', 'none').inc(3)
  metrics.httpDuration.labels('_unmatched', 'GET').observe(0.02)
  metrics.signIns.inc({ result: 'signed_in' }, 4)
  metrics.limitDecisions.labels('<i>few', 'refused').inc(7)
  const page = await browser.get('/portal?last=1h')
  t.match(textOf(page, 'server-routes-title'), 'By route')
  t.match(textOf(page, 'server-routes'), /GET \/posts\s*92\s*0\s*2\s*0/)
  t.match(textOf(page, 'server-routes'), /No route\s*3\s*3\s*0/)
  t.match(textOf(page, 'instances'), /Sign-ins\s*(?:\d+ failed, )?4 signed in/)
  t.match(textOf(page, 'waiting-errors'), /2.*requests were answered with an error/s)
  t.match(textOf(page, 'waiting-limits'), /7.*calls were refused by a limit in the last hour/s)
  t.notMatch(page.body, '<i>few', 'U4')
  t.match(page.body, /<polyline[^>]*class="line slow"/)
  t.match(textOf(page, 'instances'), /Instances.*host:1.*Certificate.*ends on 31 Dec 2026.*0 could not be delivered/s)
  t.notMatch(page.body, 'id="waiting-certificate"')

  const { tenantId: elsewhere } = await createTenant(writes, { name: 'Fabrikam' })
  const hook = { url: 'https://hooks.example/x', events: ['*'] }
  const { id: own } = (await local('POST', '/webhooks', { ...hook, tenantId })) as { id: string }
  const { id: other } = (await local('POST', '/webhooks', { ...hook, tenantId: elsewhere })) as { id: string }
  for (const [at, webhookId] of [own, own, other].entries()) await plantDelivery(store, webhookId, at + 1)
  const after = await browser.get('/portal')
  t.match(textOf(after, `waiting-dead-letters-${own}`), /2.*events could not be delivered to a webhook of Contoso/s)
  t.match(after.body, `href="/portal/webhooks/${own}?tenant=${tenantId}&amp;state=dead"`)
  t.match(textOf(after, 'waiting-dead-letters'), /1.*event could not be delivered to other webhooks/s)
  t.notMatch(after.body, other, 'of an organisation that they are not in')
})

t.test('with several tenants, and with none of one’s own applications', async (t) => {
  const { as, writes, local, tenantId } = await open(t)
  const { tenantId: elsewhere } = await createTenant(writes, { name: 'Fabrikam' })
  const theirs = await as('owner', elsewhere)
  const page = await theirs.get('/portal')
  t.match(textOf(page, 'register'), 'Register an application')
  t.notMatch(page.body, 'id="numbers"', 'an empty tenant begins with its first application')
  t.match(textOf(page, 'waiting-second-factor'), /owner-1 Example|person has no second factor/)
  await local('POST', '/applications', { name: 'Theirs', type: 'web', tenantId: elsewhere })
  t.match(textOf(await theirs.get('/portal'), 'none-owned'), 'You own none. 1 is enabled in this tenant')
  t.equal((await theirs.get(`/portal?tenant=${tenantId}`)).status, 404, 'U2')
})

t.test('an axis counts in steps that people count in', async (t) => {
  const cases: [most: number, whole: boolean, marks: number[]][] = [
    [0, true, [0, 1]],
    [1, true, [0, 1]],
    [3, true, [0, 1, 2, 3]],
    [5, true, [0, 2, 4, 6]],
    [12, true, [0, 5, 10, 15]],
    [1234, true, [0, 500, 1000, 1500]],
    [0.25, false, [0, 0.1, 0.2, 0.3]],
    [7, false, [0, 2, 4, 6, 8]],
  ]
  for (const [most, whole, marks] of cases) t.same(ticks(most, { whole }), marks, `${most}`)
})
