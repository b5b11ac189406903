// A whole instance: what is done over the local socket arrives at the receiver, and the metrics say so.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { webhookCalls } from '../../src/cli/calls/webhook-calls.js'
import { createApp } from '../../src/instance/app.js'
import { testSettings } from '../support/settings/settings.js'
import { until } from '../support/traffic/until.js'
import { isSigned, startReceiver } from '../support/upstreams/receiver.js'

t.test('the running server tells a webhook what happens, and stops while a receiver is silent', async (t) => {
  const receiver = await startReceiver(t)
  // Short, for the local sockets in it.
  const folder = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const settings = testSettings({ data: { folder }, events: { allow: ['localhost'], ca: receiver.ca } })
  const app = await createApp({ settings, masterKeys: [randomBytes(32)], version: '0' })
  let stopped = false
  t.teardown(() => (stopped ? undefined : app.stop()))
  await app.start()
  const client = createLocalClient(join(folder, 'admin.sock'))
  const webhooks = webhookCalls(client)
  const { secret, id } = await webhooks.create({ url: `${receiver.origin}/hook`, events: ['application.*'] })
  t.match(await webhooks.test(id), { delivered: true, status: 204 })
  await client.call('POST', '/applications', { name: 'new', type: 'web' })
  await until('it has come', () => receiver.types('/hook').includes('portcullis.application.registered'))
  const came = receiver.received.find(({ body }) => body.includes('application.registered'))
  t.ok(came !== undefined && isSigned(secret, came, Date.now()))
  await until('it is noted', async () => (await webhooks.deliveries(id, 'delivered')).length > 0)
  // The row is written first.
  await until('it is counted', async () => {
    const metrics = await app.operator.inject({ url: '/metrics', headers: { host: 'localhost' } })
    return /portcullis_event_deliveries_total\{outcome="delivered"\} [1-9]/.test(metrics.body)
  })
  receiver.answers.set('/hook', 'nothing')
  const before = receiver.received.length
  await client.call('POST', '/applications', { name: 'another', type: 'web' })
  await until('it is under way', () => receiver.received.length > before)
  const began = Date.now()
  stopped = true
  await app.stop()
  t.ok(Date.now() - began < 9_000, 'nobody waits for the receiver')
})
