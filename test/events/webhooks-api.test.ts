// Webhooks through the management API: made, tried, changed, looked at; and what is refused.

import t, { type Test } from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { createDeliveryWorker } from '../../src/events/delivery-worker.js'
import { eventTypes } from '../../src/events/event-types.js'
import { createUser } from '../../src/users/accounts/users.js'
import { atPortal } from '../support/models/isolation.js'
import { openManagement, refusal } from '../support/rooms/management.js'
import { until, untilTurned } from '../support/traffic/until.js'
import { isSigned, startReceiver } from '../support/upstreams/receiver.js'

const nobody = '00000000-0000-4000-8000-000000000000'

async function open(t: Test) {
  const receiver = await startReceiver(t)
  const testApp = await openManagement(t, { events: { allow: ['localhost'], ca: receiver.ca } })
  const { tenantId } = await createTenant(testApp.writes, { name: 'Home' })
  const deliveryWorker = createDeliveryWorker({
    ...{
      store: testApp.store,
      ledger: testApp.writes.ledger,
      metrics: testApp.metrics,
      now: testApp.now,
      random: () => 0,
      planOf: () => undefined,
    },
    ...{
      ...testApp.webhookSender,
      leader: { isLeader: () => true },
      onError: (error: unknown) => t.fail(String(error)),
    },
  })
  await deliveryWorker.turn()
  t.teardown(() => deliveryWorker.end())
  const create = (url = `${receiver.origin}/hook`, events = ['*']) =>
    testApp.manage('POST', '/webhooks', { url, events, tenantId })
  return { receiver, testApp, tenantId, deliveryWorker, create }
}

t.test('a webhook is made, its secret shown once, tried out, changed and deleted, each in the ledger', async (t) => {
  const { receiver, testApp, tenantId, create } = await open(t)
  const made = await create()
  t.equal(made.statusCode, 201)
  t.equal(made.headers['cache-control'], 'no-store')
  const { secret, ...webhook } = made.json()
  t.match(secret, /^whsec_/)
  t.match(webhook, { tenantId, events: ['*'], enabled: true, disabledBecause: null, failingSince: null, createdBy: '' })
  const path = `/webhooks/${webhook.id}`
  t.equal(made.headers.location, `/api/v2${path}`)
  const read = await testApp.manage('GET', path)
  t.same(read.json(), webhook, 'U9 the secret is not shown again')
  t.same((await testApp.manage('GET', `/webhooks?tenantId=${tenantId}`)).json(), { value: [webhook] })

  const tested = (await testApp.manage('POST', `${path}/test`)).json()
  t.match(tested, { delivered: true, status: 204, reason: null })
  const [came] = receiver.received
  t.match(JSON.parse(came?.body ?? ''), {
    id: tested.eventId,
    type: 'portcullis.test',
    data: { tenantId, webhookId: webhook.id },
  })
  t.ok(came !== undefined && isSigned(secret, came, testApp.clock.nowMs))
  receiver.answers.set('/hook', { status: 302, location: '/elsewhere' })
  t.match((await testApp.manage('POST', `${path}/test`)).json(), { delivered: false, status: 302, reason: 'redirect' })

  const etag = String(read.headers.etag)
  const change = (body: unknown, headers = {}) => testApp.manage('PATCH', path, body, headers)
  t.equal((await change({ enabled: false }, { 'if-match': '"other"' })).statusCode, 412)
  const changed = await change({ events: ['consent.*', 'consent.*'], enabled: false }, { 'if-match': etag })
  t.match(changed.json(), { events: ['consent.*'], enabled: false })
  t.equal(
    (await testApp.manage('GET', path, undefined, { 'if-none-match': String(changed.headers.etag) })).statusCode,
    304,
  )
  t.equal((await testApp.manage('DELETE', path)).statusCode, 204)
  t.same((await testApp.manage('GET', '/webhooks')).json(), { value: [] })
  const { value } = (await testApp.manage('GET', '/auditEvents?$top=3')).json()
  t.match(value, [
    { event: 'webhook.deleted', tenantId },
    { event: 'webhook.changed', details: { webhook: webhook.id, events: ['consent.*'], enabled: false } },
    { event: 'webhook.created', details: { webhook: webhook.id, host: new URL(receiver.origin).host } },
  ])
  const output = JSON.stringify(value) + testApp.managementLog.join('')
  for (const hidden of [secret.slice(6, 30), '/hook']) t.notOk(output.includes(hidden), 'K8')
})

t.test('what was sent is listed, the newest first; a dead letter is sent once more', async (t) => {
  const { receiver, testApp, deliveryWorker, create, tenantId } = await open(t)
  const { id } = (await create()).json()
  receiver.answers.set('/hook', 503)
  await testApp.registerDemo({ tenantId })
  await deliveryWorker.turn()
  const list = async (query = '') => (await testApp.manage('GET', `/webhooks/${id}/deliveries${query}`)).json().value
  await until('one has failed', async () => (await list())[2]?.lastReason === 'status')
  const all = await list()
  t.same(
    all.map(({ type }: { type: string }) => type),
    ['consent.granted', 'secret.created', 'application.registered'],
  )
  const failed = all[2]
  t.match(failed, { state: 'waiting', attempts: 1, lastStatus: 503, lastReason: 'status' })
  t.equal(Date.parse(failed.nextAttemptAt) - testApp.clock.nowMs, 5_000)
  t.equal((await list('?$top=1')).length, 1)
  t.same(await list('?state=dead'), [])
  await testApp.store.transaction((tx) => tx.updateTable('event_deliveries').set({ state: 'dead' }).execute())
  t.equal((await list('?state=dead')).length, 3)
  receiver.answers.delete('/hook')
  const again = await testApp.manage('POST', `/webhooks/${id}/deliveries/${failed.id}/redeliver`)
  t.equal(again.statusCode, 202)
  t.match(again.json(), {
    id: failed.id,
    state: 'waiting',
    attempts: 0,
    nextAttemptAt: new Date(testApp.clock.nowMs).toISOString(),
  })
  await untilTurned(deliveryWorker, 'it has come', async () => (await list('?state=delivered')).length === 1)
  t.equal(receiver.received.at(-1)?.headers['webhook-id'], failed.eventId)
  t.match((await testApp.manage('GET', `/webhooks/${id}`)).json(), { failingSince: null })
})

t.test('every dead letter is sent again at once, and a delivery shows what was sent', async (t) => {
  const { receiver, testApp, deliveryWorker, create, tenantId } = await open(t)
  const { id } = (await create()).json()
  const ask = async (path: string) => (await testApp.manage('GET', `/webhooks/${id}${path}`)).json()
  await testApp.registerDemo({ tenantId })
  await deliveryWorker.turn()
  await until('all have come', async () => (await ask('/deliveries?state=delivered')).value.length === 3)
  const { value, nextLink } = await ask('/deliveries?$top=2&state=delivered')
  t.equal(value.length, 2)
  const rest = await testApp.manage('GET', nextLink.slice('/api/v2'.length))
  t.same(
    rest.json().value.map(({ type }: { type: string }) => type),
    ['application.registered'],
  )
  const one = await ask(`/deliveries/${value[0].id}`)
  t.equal(one.body, receiver.received.at(-1)?.body, 'as it was sent')
  t.ok(Number.isInteger(one.lastDurationMs))
  t.equal((await testApp.manage('GET', `/webhooks/${id}/deliveries/${nobody}`)).statusCode, 404)
  t.same(await ask('/backlog'), { waiting: 0, dead: 0, atLeast: false })
  t.same((await testApp.manage('POST', `/webhooks/${id}/replay`)).json(), { count: 0, more: false })

  await testApp.store.transaction((tx) => tx.updateTable('event_deliveries').set({ state: 'dead' }).execute())
  t.same(await ask('/backlog'), { waiting: 0, dead: 3, atLeast: false })
  await testApp.manage('PATCH', `/webhooks/${id}`, { enabled: false })
  t.match(refusal(await testApp.manage('POST', `/webhooks/${id}/replay`)), { code: 'WebhookDisabled' })
  await testApp.manage('PATCH', `/webhooks/${id}`, { enabled: true })
  const again = await testApp.manage('POST', `/webhooks/${id}/replay`)
  t.same([again.statusCode, again.json()], [202, { count: 3, more: false }])
  const before = receiver.received.map(({ headers }) => headers['webhook-id'])
  await untilTurned(
    deliveryWorker,
    'all have come again',
    async () => (await ask('/deliveries?state=delivered')).value.length === 3,
  )
  t.same(
    receiver.received.slice(3).map(({ headers }) => headers['webhook-id']),
    before,
    'in their order, under their ids',
  )
  const [noted] = (await testApp.manage('GET', '/auditEvents?event=webhook.replayed')).json().value
  t.match(noted, { tenantId, details: { webhook: id, count: 3 } })
})

t.test('another signing secret is shown once; the one before signs too until its time is over', async (t) => {
  const { receiver, testApp, create } = await open(t)
  const { id, secret: first } = (await create()).json()
  const rotate = (body: object) => testApp.manage('POST', `/webhooks/${id}/secret`, body)
  const signed = async (secret: string) => {
    await testApp.manage('POST', `/webhooks/${id}/test`)
    const came = receiver.received.at(-1)
    return came !== undefined && isSigned(secret, came, testApp.clock.nowMs)
  }
  const rotated = await rotate({})
  t.equal(rotated.statusCode, 201)
  const { secret: second, earlierSecretUntil } = rotated.json()
  t.not(second, first)
  t.equal(Date.parse(earlierSecretUntil) - testApp.clock.nowMs, 86_400_000, 'a day')
  t.same([await signed(first), await signed(second)], [true, true])
  testApp.clock.nowMs += 86_400_000
  t.same([await signed(first), await signed(second)], [false, true])
  const { secret: third } = (await rotate({ overlapSeconds: 0 })).json()
  t.same([await signed(second), await signed(third)], [false, true])
  for (const overlapSeconds of [-1, 604_801, 1.5]) t.equal((await rotate({ overlapSeconds })).statusCode, 400)
  t.equal((await testApp.manage('POST', `/webhooks/${nobody}/secret`, {})).statusCode, 404)
  const read = await testApp.manage('GET', `/webhooks/${id}`)
  const said = read.body + testApp.managementLog.join('') + (await testApp.manage('GET', '/auditEvents')).body
  for (const secret of [first, second, third]) t.notOk(said.includes(secret.slice(6, 30)), 'U9')
})

t.test('the events that there are, each with its words', async (t) => {
  const { testApp } = await open(t)
  const { value } = (await testApp.manage('GET', '/webhookEvents')).json()
  t.same(
    value.map(({ type }: { type: string }) => type),
    [...eventTypes],
  )
  for (const { type, description } of value) t.match(description, /^[A-Z].*\.$/, type)
})

t.test('U2 only administrators hear what happens; what is not as it should be is refused', async (t) => {
  const { testApp, tenantId, create } = await open(t)
  const { id } = (await create()).json()
  const membership = { tenantId, role: 'developer' } as const
  const { userId } = await createUser(testApp.deps.users, { email: 'd@x.test', name: 'D', membership })
  testApp.caller.principal = atPortal(userId, tenantId)
  t.equal((await create()).statusCode, 403)
  t.equal((await testApp.manage('GET', `/webhooks/${id}`)).statusCode, 403)
  testApp.caller.principal = { kind: 'local' }
  const url = 'https://x.test/'
  const cases: ['POST' | 'PATCH' | 'GET' | 'DELETE', string, unknown, number, string, string?][] = [
    ['POST', '/webhooks', { url: 'http://x.test/', events: ['*'], tenantId }, 400, 'InvalidWebhookUrl', 'url'],
    ['POST', '/webhooks', { url: 'https://10.0.0.1/', events: ['*'], tenantId }, 400, 'InvalidWebhookUrl', 'url'],
    ['POST', '/webhooks', { url, events: ['no.thing'], tenantId }, 400, 'UnknownEvent', 'events'],
    ['POST', '/webhooks', { url, events: [], tenantId }, 400, 'InvalidRequest'],
    ['POST', '/webhooks', { url, events: ['*'], tenantId, secret: 'mine' }, 400, 'InvalidRequest'],
    ['POST', '/webhooks', { url, events: ['*'], tenantId: nobody }, 404, 'TenantNotFound'],
    ['PATCH', `/webhooks/${id}`, {}, 400, 'InvalidRequest'],
    ['PATCH', `/webhooks/${id}`, { url: 'https://[::1]/' }, 400, 'InvalidWebhookUrl', 'url'],
    ['PATCH', `/webhooks/${nobody}`, { enabled: true }, 404, 'WebhookNotFound'],
    ['GET', '/webhooks/x', undefined, 404, 'WebhookNotFound'],
    ['DELETE', `/webhooks/${nobody}`, undefined, 404, 'WebhookNotFound'],
    ['POST', `/webhooks/${nobody}/test`, undefined, 404, 'WebhookNotFound'],
    ['GET', `/webhooks/${id}/deliveries?$top=201`, undefined, 400, 'InvalidRequest'],
    ['GET', `/webhooks/${id}/deliveries?state=lost`, undefined, 400, 'InvalidRequest'],
    ['POST', `/webhooks/${id}/deliveries/${nobody}/redeliver`, undefined, 404, 'DeliveryNotFound'],
    ['POST', `/webhooks/${id}/deliveries/x/redeliver`, undefined, 404, 'DeliveryNotFound'],
  ]
  for (const [method, path, body, status, code, target] of cases) {
    const refused = refusal(await testApp.manage(method, path, body))
    t.match(
      refused,
      { status, code, ...(target === undefined ? {} : { target }) },
      `${method} ${path} ${JSON.stringify(body)}`,
    )
  }
  await testApp.manage('PATCH', `/webhooks/${id}`, { enabled: false })
  const again = await testApp.manage('POST', `/webhooks/${id}/deliveries/${nobody}/redeliver`)
  t.match(refusal(again), { status: 409, code: 'WebhookDisabled' })
  const tested = await testApp.manage('POST', `/webhooks/${(await create('https://nobody.invalid/')).json().id}/test`)
  t.match(tested.json(), { delivered: false, status: null, reason: 'no_public_address' })
})
