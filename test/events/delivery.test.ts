// Events from the ledger to their receivers (contract §6, decision 0066): what is sent, to whom, how often, and to whom
// never.

import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import { addSecret } from '../../src/directory/credentials/secrets.js'
import { grantConsent } from '../../src/directory/permissions/permissions.js'
import { redeliver } from '../../src/events/deliveries.js'
import { createDeliveryWorker, type DeliveryWorkerDependencies } from '../../src/events/delivery-worker.js'
import { followLedger } from '../../src/events/follow-ledger.js'
import { createSend } from '../../src/events/send.js'
import { createWebhookSender } from '../../src/events/webhook-sender.js'
import { changeWebhook, createWebhook, removeWebhook } from '../../src/events/webhooks.js'
import { sweepDead } from '../../src/instance/sweep.js'
import { appendAudit, appendKeyAudit } from '../../src/ledger/append-audit.js'
import { deriveKey } from '../../src/oauth/secrets/derived-key.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { listLedger } from '../../src/storage/sql/ledger/ledger-entries.js'
import { listDeliveries } from '../../src/storage/sql/webhooks/delivery-lists.js'
import { updateDelivery } from '../../src/storage/sql/webhooks/event-deliveries.js'
import { readWebhooks, updateWebhook } from '../../src/storage/sql/webhooks/webhooks.js'
import { baseUrl, openDirectory } from '../support/rooms/directory.js'
import { until, untilTurned } from '../support/traffic/until.js'
import { isSigned, type Receiver, startReceiver } from '../support/upstreams/receiver.js'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

async function open(t: Test, receiver?: Receiver, timeoutMs = 5_000) {
  const testApp = await openDirectory(t)
  const { store, writes, now } = testApp
  const master = randomBytes(32)
  const webhookSender = createWebhookSender({
    ...{ allow: receiver === undefined ? [] : ['localhost'], ca: receiver?.ca, baseUrl, timeoutMs },
    derive: (purpose) => [deriveKey(master, purpose)],
  })
  const metrics = createMetrics()
  const errors: unknown[] = []
  const leader = { leads: true, isLeader: () => leader.leads }
  const deps: DeliveryWorkerDependencies = {
    ...{ store, ledger: writes.ledger, ...webhookSender, now, random: () => 0, metrics, leader },
    planOf: () => undefined,
    onError: (error) => void errors.push(error),
  }
  const deliveryWorker = createDeliveryWorker(deps)
  t.teardown(() => deliveryWorker.end())
  const { registration, tenantId } = await testApp.registerDemo()
  await deliveryWorker.turn()
  const hook = (path: string, events: string[] = ['*'], of = tenantId) =>
    createWebhook(writes, webhookSender, {
      tenantId: of,
      url: `${receiver?.origin ?? 'https://x.test'}${path}`,
      events,
    })
  const deliveries = (webhookId: string) => listDeliveries(store.reader, { webhookId, state: undefined, limit: 50 })
  const webhook = async (id: string) => (await readWebhooks(store.reader, { id }))[0]
  const outcomes = async () =>
    Object.fromEntries(
      (await metrics.eventDeliveries.get()).values
        .filter(({ value }) => value > 0)
        .map((one) => [one.labels.outcome, one.value]),
    )
  const rename = (name: string) => changeApplication(writes, registration.applicationId, { name })
  return {
    ...testApp,
    webhookSender,
    metrics,
    errors,
    leader,
    deps,
    deliveryWorker,
    registration,
    tenantId,
    hook,
    deliveries,
    webhook,
    outcomes,
    rename,
  }
}

t.test(
  'what the ledger tells arrives: in order, signed, as CloudEvents 1.0, with identifiers and nothing else',
  async (t) => {
    const receiver = await startReceiver(t)
    const testApp = await open(t, receiver)
    const { writes, registration, tenantId, deliveryWorker, hook, clock } = testApp
    const { applicationId } = registration
    const { secret } = await hook('/all')
    t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    await hook('/consents', ['consent.*', 'token.reuse_detected'])
    await testApp.rename('Another <name>')
    const { keyId } = await addSecret(writes, applicationId, { label: 'a label', lifetimeMs: dayMs })
    const permission = { kind: 'application', resource: testApp.catalogue.own.id, id: 'assets_read' } as const
    await grantConsent(writes, applicationId, { tenantId, permissions: [permission], by: 'test' })
    await testApp.store.transaction(async (tx) => {
      const about = { applicationId, tenantId, userId: 'u1' }
      await appendAudit(writes, tx, { event: 'grant.reuse-detected', ...about, details: { grant: 'g1', what: 'code' } })
      await appendKeyAudit(writes)(tx, { moved: 'activated', kid: 'k1', purpose: 'token', alg: 'ES256' })
      await appendAudit(writes, tx, { event: 'user.signed-in', ...about, details: { address: 'ada@x.test' } })
    })
    await deliveryWorker.turn()
    await until('all has come', () => receiver.types('/all').length === 5 && receiver.types('/consents').length === 2)
    t.same(receiver.types('/all'), [
      'portcullis.application.changed',
      'portcullis.secret.created',
      'portcullis.consent.granted',
      'portcullis.token.reuse_detected',
      'portcullis.key.rotated',
    ])
    t.same(receiver.types('/consents'), ['portcullis.consent.granted', 'portcullis.token.reuse_detected'])
    const came = receiver.received.filter(({ path }) => path === '/all')
    const [changed, created, granted, reused, rotated] = came.map(({ body }) => JSON.parse(body))
    const actor = { kind: 'operator' }
    t.match(changed, { specversion: '1.0', source: baseUrl, datacontenttype: 'application/json', id: guid })
    t.equal(changed.time, new Date(clock.nowMs).toISOString())
    t.equal(changed.subject, `applications/${applicationId}`)
    t.same(changed.data, { tenantId, applicationId, changed: ['name'], actor })
    t.match(created.data, { keyId, endsAt: /^20\d\d-/ })
    t.same(granted.data, { tenantId, applicationId, by: 'administrator', permissions: [], actor })
    t.same(reused.data, { tenantId, applicationId, userId: 'u1', grantId: 'g1', what: 'code', actor })
    t.same([rotated.subject, rotated.data], ['keys/k1', { kid: 'k1', purpose: 'token', alg: 'ES256' }])
    for (const one of came) {
      t.equal(one.headers['content-type'], 'application/cloudevents+json; charset=utf-8')
      t.equal(one.headers['webhook-id'], JSON.parse(one.body).id)
      t.ok(isSigned(secret, one, clock.nowMs), 'the signature is right')
      t.notOk(isSigned(secret, { ...one, body: `${one.body} ` }, clock.nowMs), 'and is one of this body')
      t.notMatch(one.body, /Another|a label|pcl_sk_|ada@/, 'K8 no names, no secrets')
    }
    // A receiver has it before its answer is noted.
    await until('each is counted', async () => (await testApp.outcomes())['delivered'] === 7)
    t.same(await testApp.outcomes(), { delivered: 7 })
    await deliveryWorker.turn()
    t.equal(receiver.received.length, 7, 'once')
    t.same(testApp.errors, [])
  },
)

t.test('U2 a tenant hears of its own and of public keys, of no other tenant; from its webhook on', async (t) => {
  const receiver = await startReceiver(t)
  const testApp = await open(t, receiver)
  const other = await testApp.registerDemo()
  await testApp.rename('before')
  await testApp.deliveryWorker.turn()
  await testApp.hook('/own')
  await testApp.hook('/other', ['*'], other.tenantId)
  await testApp.rename('after')
  await testApp.store.transaction((tx) =>
    appendKeyAudit(testApp.writes)(tx, { moved: 'removed', kid: 'k', purpose: 'token', alg: 'x' }),
  )
  await testApp.deliveryWorker.turn()
  await until('they have come', () => receiver.types('/other').length === 1 && receiver.types('/own').length === 2)
  t.same(receiver.types('/other'), ['portcullis.key.removed'])
  t.same(receiver.types('/own'), ['portcullis.application.changed', 'portcullis.key.removed'])
})

t.test('an attempt that fails is made again, later and later for a day; then the event is a dead letter', async (t) => {
  const receiver = await startReceiver(t)
  const testApp = await open(t, receiver)
  const { webhook } = await testApp.hook('/down')
  receiver.answers.set('/down', 500)
  await testApp.rename('x')
  const started = testApp.clock.nowMs
  const at: number[] = []
  const state = async () => (await testApp.deliveries(webhook.id))[0]
  await testApp.deliveryWorker.turn()
  for (let attempt = 1; attempt <= 11; attempt += 1) {
    await untilTurned(testApp.deliveryWorker, `attempt ${attempt} is noted`, async () => {
      const row = await state()
      return row?.attempts === attempt && row.last_at === testApp.clock.nowMs
    })
    at.push(testApp.clock.nowMs - started)
    const row = await state()
    if (row?.state !== 'waiting') break
    testApp.clock.nowMs = row.next_at - 1
    await testApp.deliveryWorker.turn()
    t.equal(receiver.received.length, attempt, 'not before its time')
    testApp.clock.nowMs = row.next_at
    await testApp.deliveryWorker.turn()
  }
  const seconds = at.map((ms) => ms / 1000)
  t.same(seconds, [0, 5, 35, 155, 755, 2555, 6155, 13355, 27755, 56555, 85355])
  t.match(await state(), { state: 'dead', attempts: 11, last_status: 500, last_reason: 'status' })
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  t.equal(ids.size, 1, 'the same id at every attempt')
  // The row is noted before it is counted.
  await until('the last one is counted', async () => (await testApp.outcomes())['dead'] === 1)
  t.same(await testApp.outcomes(), { failed: 10, dead: 1 })
  t.equal((await testApp.webhook(webhook.id))?.failing_since, started)
  testApp.clock.nowMs += dayMs
  await testApp.deliveryWorker.turn()
  t.equal(receiver.received.length, 11, 'a dead letter stays')

  receiver.answers.set('/down', 200)
  const row = await state()
  await redeliver(testApp.writes, webhook, row?.id ?? '')
  await untilTurned(testApp.deliveryWorker, 'it has come', async () => (await state())?.state === 'delivered')
  t.ok(ids.has(receiver.received[11]?.headers['webhook-id']), 'sent once more it is the same event')
  t.equal((await testApp.webhook(webhook.id))?.failing_since, null)
  await t.rejects(redeliver(testApp.writes, webhook, 'nothing'), { code: 'DeliveryNotFound' })
  const otherHook = await testApp.hook('/foreign')
  await t.rejects(redeliver(testApp.writes, otherHook.webhook, row?.id ?? ''), { code: 'DeliveryNotFound' })
})

t.test('a receiver that is gone for good, or fails for days, is left alone, and the ledger says so', async (t) => {
  const receiver = await startReceiver(t)
  const testApp = await open(t, receiver)
  const gone = (await testApp.hook('/gone')).webhook
  receiver.answers.set('/gone', 410)
  await testApp.rename('x')
  await testApp.deliveryWorker.turn()
  await until('it is disabled', async () => (await testApp.webhook(gone.id))?.enabled === 0)
  t.match(await testApp.webhook(gone.id), { disabled_because: 'gone' })
  t.match(await testApp.deliveries(gone.id), [{ state: 'dead', last_status: 410 }])
  await t.rejects(redeliver(testApp.writes, { ...gone, enabled: 0 }, 'x'), { code: 'WebhookDisabled' })

  const failing = (await testApp.hook('/failing')).webhook
  receiver.answers.set('/failing', 500)
  await testApp.rename('y')
  await testApp.deliveryWorker.turn()
  await until('it has failed', async () => (await testApp.webhook(failing.id))?.failing_since !== null)
  testApp.clock.nowMs += 5 * dayMs + 1
  await untilTurned(
    testApp.deliveryWorker,
    'it is disabled',
    async () => (await testApp.webhook(failing.id))?.enabled === 0,
  )
  await testApp.rename('z')
  testApp.clock.nowMs += dayMs
  const before = receiver.received.length
  await testApp.deliveryWorker.turn()
  t.equal((await testApp.deliveries(failing.id)).length, 1, 'nothing is kept for it')
  const rows = await listLedger(testApp.store.reader, {
    filter: { event: 'webhook.disabled' },
    order: 'oldest',
    limit: 9,
  })
  t.same(
    rows.map(({ details }) => JSON.parse(details)),
    [
      { webhook: gone.id, because: 'gone' },
      { webhook: failing.id, because: 'failing' },
    ],
  )
  t.match(rows, [{ tenant_id: testApp.tenantId, actor: '{"kind":"system"}' }, {}])

  receiver.answers.set('/failing', 200)
  t.match(await changeWebhook(testApp.writes, testApp.webhookSender, failing.id, { enabled: true }), {
    enabled: 1,
    disabled_because: null,
  })
  await untilTurned(testApp.deliveryWorker, 'what waited is tried again', () => receiver.received.length === before + 1)
})

t.test(
  'nothing is followed, no private address is called, no certificate is overlooked, nobody is waited for',
  async (t) => {
    const receiver = await startReceiver(t)
    const { origin, ca } = receiver
    const message = { tenant: 'one', headers: { 'content-type': 'x' }, body: '{}' }
    const sending = (timeoutMs: number) => createSend({ allow: ['localhost'], ca, timeoutMs })
    const send = sending(60_000)
    const to = (path: string) => send({ ...message, url: origin + path })
    t.same(await to('/ok'), { status: 204, reason: null })
    receiver.answers.set('/moved', { status: 307, location: `${origin}/elsewhere` })
    t.same(await to('/moved'), { status: 307, reason: 'redirect' })
    t.notOk(
      receiver.received.some(({ path }) => path === '/elsewhere'),
      'a redirect is not followed',
    )
    receiver.answers.set('/slow', 'nothing')
    t.same(await sending(300)({ ...message, url: `${origin}/slow` }), { status: null, reason: 'timeout' })
    t.same(await send({ ...message, url: origin.replace('https', 'http') }), { status: null, reason: 'unreachable' })
    t.same(await createSend({ allow: ['localhost'], ca: undefined })({ ...message, url: origin }), {
      status: null,
      reason: 'tls',
    })
    const before = receiver.received.length
    const strict = createSend({ allow: [], ca })
    const port = new URL(origin).port
    for (const host of [
      'localhost',
      '127.0.0.1',
      '[::1]',
      '169.254.169.254',
      '10.0.0.1',
      '[::ffff:127.0.0.1]',
      '2130706433',
    ]) {
      const sent = await strict({ ...message, url: `https://${host}:${port}/` })
      t.same(sent, { status: null, reason: 'no_public_address' }, `${host} is not public`)
    }
    t.same(
      await strict({ ...message, url: 'https://nobody.invalid/' }),
      { status: null, reason: 'no_public_address' },
      'no difference',
    )
    t.equal(receiver.received.length, before, 'nothing was sent')
    const away = new AbortController()
    const ending = createSend({ allow: ['localhost'], ca, signal: away.signal })({ ...message, url: `${origin}/slow` })
    await until('it is under way', () => receiver.received.length > before)
    away.abort()
    t.match(await ending, { status: null }, 'a process that stops does not wait')
  },
)

t.test('S what cannot be a webhook is refused, and none beyond twenty', async (t) => {
  const testApp = await open(t)
  const { writes, webhookSender, tenantId } = testApp
  const refused = (url: string) =>
    t.rejects(
      createWebhook(writes, webhookSender, { tenantId, url, events: ['*'] }),
      { code: 'InvalidWebhookUrl' },
      url,
    )
  for (const url of [
    ...[
      'http://x.test/',
      'x.test',
      'ftp://x.test',
      'https://',
      'https://u:p@x.test/',
      'https://u@x.test/',
      'https://x.test/#a',
    ],
    ...[
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://10.1.2.3/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://localhost/',
    ],
    ...[
      'https://169.254.169.254/latest',
      'https://x.test\\@evil.test/',
      'https://x .test/',
      `https://x.test/${'a'.repeat(2048)}`,
    ],
  ])
    await refused(url)
  for (const events of [
    [],
    ['nothing'],
    ['application'],
    ['*.*'],
    ['appl*'],
    ['user.signed-in'],
    ['application.*', 'x.*'],
  ])
    await t.rejects(createWebhook(writes, webhookSender, { tenantId, url: 'https://x.test/', events }), {
      code: 'UnknownEvent',
    })
  await t.rejects(createWebhook(writes, webhookSender, { tenantId: 'nobody', url: 'https://x.test/', events: ['*'] }), {
    code: 'TenantNotFound',
  })
  for (let n = 0; n < 20; n += 1) await testApp.hook(`/${n}`)
  await t.rejects(testApp.hook('/more'), { code: 'TooManyWebhooks' })
  const [first] = await readWebhooks(testApp.store.reader, { tenantId })
  await removeWebhook(writes, first?.id ?? '')
  await t.rejects(removeWebhook(writes, first?.id ?? ''), { code: 'WebhookNotFound' })
  await t.rejects(changeWebhook(writes, webhookSender, first?.id ?? '', { enabled: false }), {
    code: 'WebhookNotFound',
  })
  const { webhook, secret } = await testApp.hook('/more?token=of-the-receiver')
  t.notMatch(webhook.secret, secret.slice(6, 30), 'sealed')
  t.equal(webhookSender.sealer.open(webhook.secret, webhook.id), secret)
  t.throws(() => webhookSender.sealer.open(webhook.secret, 'another'), 'bound to its webhook')
  const rows = await listLedger(testApp.store.reader, { filter: {}, order: 'newest', limit: 50 })
  t.notMatch(JSON.stringify(rows), /of-the-receiver|whsec/, 'K8 neither the path nor the secret is in the ledger')
})

t.test('one that answers nothing holds up nobody else, and a tenant no more than its share', async (t) => {
  const receiver = await startReceiver(t)
  const testApp = await open(t, receiver, 60_000)
  t.teardown(() => testApp.webhookSender.hangUp())
  const other = await testApp.registerDemo()
  await testApp.deliveryWorker.turn()
  for (let n = 0; n < 6; n += 1) {
    await testApp.hook(`/slow${n}`)
    receiver.answers.set(`/slow${n}`, 'nothing')
  }
  const quick = (await testApp.hook('/quick', ['*'], other.tenantId)).webhook
  await testApp.rename('x')
  await changeApplication(testApp.writes, other.registration.applicationId, { name: 'one' })
  await changeApplication(testApp.writes, other.registration.applicationId, { name: 'two' })
  await testApp.deliveryWorker.turn()
  await until('the other tenant has heard', () => receiver.types('/quick').length === 2)
  const isNoted = async () => (await testApp.deliveries(quick.id)).every(({ state }) => state === 'delivered')
  await until('and that is noted', isNoted)
  await testApp.deliveryWorker.turn()
  await until('slow ones have got their request', () => receiver.received.length === 6)
  t.equal(receiver.received.filter(({ path }) => path.startsWith('/slow')).length, 4, 'four at a time')
  await testApp.deliveryWorker.measure()
  t.equal((await testApp.metrics.eventBacklog.get()).values[0]?.value, 6)
  testApp.leader.leads = false
  await testApp.deliveryWorker.measure()
  t.equal((await testApp.metrics.eventBacklog.get()).values[0]?.value, 0, 'an instance that does not lead says nothing')
})

t.test('killed between sending and noting it: sent again with the same id, once it counts as lost', async (t) => {
  const receiver = await startReceiver(t)
  const testApp = await open(t, receiver)
  const { webhook } = await testApp.hook('/')
  await testApp.rename('x')
  let sent = 0
  // The process ends when the answer is there: nothing is noted.
  const send = () => {
    sent += 1
    return new Promise<never>(() => undefined)
  }
  const killed = createDeliveryWorker({ ...testApp.deps, send })
  await killed.turn()
  await until('it is sent', () => sent === 1)
  await testApp.deliveryWorker.turn()
  t.equal(receiver.received.length, 0, 'another does not send what may be under way')
  testApp.clock.nowMs += minuteMs
  await testApp.deliveryWorker.turn()
  await until('it has come', async () => (await testApp.deliveries(webhook.id))[0]?.state === 'delivered')
  t.match(await testApp.deliveries(webhook.id), [
    { attempts: 2, event_id: receiver.received[0]?.headers['webhook-id'] },
  ])
})

t.test('a row of the ledger that cannot be read holds up no other', async (t) => {
  const receiver = await startReceiver(t)
  const testApp = await open(t, receiver)
  await testApp.hook('/')
  await testApp.rename('x')
  await testApp.store.transaction((tx) =>
    tx.updateTable('ledger').set({ details: '{' }).where('event', '=', 'application.changed').execute(),
  )
  await testApp.rename('y')
  await testApp.deliveryWorker.turn()
  await until('the other has come', () => receiver.received.length === 1)
  t.match(testApp.errors, [{ message: /row \d+ of the ledger/ }])
})

t.test('what arrived is kept for a week, what did not for a month', async (t) => {
  const testApp = await open(t)
  const { webhook } = await testApp.hook('/')
  await testApp.rename('x')
  await testApp.rename('y')
  await followLedger(testApp.deps)
  const [delivered] = await testApp.deliveries(webhook.id)
  await testApp.store.transaction((tx) => updateDelivery(tx, { id: delivered?.id ?? '' }, { state: 'delivered' }))
  const left = async (days: number) => {
    const now = () => testApp.clock.nowMs + days * dayMs + 2 * 60 * minuteMs
    await sweepDead({ store: testApp.store, now, sessionIdleMs: dayMs })
    return (await testApp.deliveries(webhook.id)).length
  }
  t.equal(await left(6), 2)
  t.equal(await left(7), 1)
  t.equal(await left(29), 1)
  t.equal(await left(30), 0)
})

t.test('what cannot be signed is not sent, and counts as failed', async (t) => {
  const receiver = await startReceiver(t)
  const testApp = await open(t, receiver)
  const { webhook } = await testApp.hook('/')
  const { webhook: another } = await testApp.hook('/')
  await testApp.rename('x')
  await testApp.store.transaction((tx) => updateWebhook(tx, { id: webhook.id }, { secret: another.secret }))
  await testApp.deliveryWorker.turn()
  await until('it is noted', async () => (await testApp.deliveries(webhook.id))[0]?.last_reason === 'secret')
  await until('the other has come', () => receiver.received.length === 1)
  t.match(await testApp.deliveries(webhook.id), [{ state: 'waiting', attempts: 1, last_status: null }])
  t.match(testApp.errors, [{ code: 'master_key_mismatch' }])
})
