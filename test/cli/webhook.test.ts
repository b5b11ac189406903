// `portcullis webhook …` against a stand-in for the server.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { commandsAgainst } from '../support/rooms/cli.js'

const tenantId = '7a1c1c3e-0000-4000-8000-00000000000a'
const webhook = {
  ...{ id: 'w1', tenantId, url: 'https://x.test/hook', events: ['consent.*'], enabled: true, disabledBecause: null },
  ...{ createdBy: '', createdAt: '', updatedAt: '', failingSince: null },
}
const delivery = {
  ...{ id: 'd1', eventId: 'e1', type: 'consent.granted', state: 'dead', attempts: 11, createdAt: '' },
  ...{ nextAttemptAt: null, lastAttemptAt: '2026-11-21T10:00:00.000Z', lastStatus: 500, lastReason: 'status' },
}
const answers: Record<string, object> = {
  'GET /api/v2/tenants': { value: [{ tenantId, name: 'home', state: 'enabled', createdAt: '' }] },
  'POST /api/v2/webhooks': { ...webhook, secret: 'whsec_x' },
  'GET /api/v2/webhooks': { value: [webhook, { ...webhook, id: 'w2', enabled: false, disabledBecause: 'gone' }] },
  [`GET /api/v2/webhooks?tenantId=${tenantId}`]: { value: [] },
  'GET /api/v2/webhooks/w1': { ...webhook, failingSince: '2026-11-21T10:00:00.000Z' },
  'PATCH /api/v2/webhooks/w1': webhook,
  'DELETE /api/v2/webhooks/w1': {},
  'POST /api/v2/webhooks/w1/test': { delivered: true, eventId: 'e1', status: 204, reason: null },
  'POST /api/v2/webhooks/w2/test': { delivered: false, eventId: 'e1', status: null, reason: 'timeout' },
  'GET /api/v2/webhooks/w1/deliveries': { value: [delivery] },
  'GET /api/v2/webhooks/w1/deliveries?state=waiting': { value: [] },
  'POST /api/v2/webhooks/w1/deliveries/d1/redeliver': { ...delivery, state: 'waiting' },
}

t.test(
  'webhook create, list, show, enable, disable and delete; the secret is shown once or kept in a file',
  async (t) => {
    const { cwd, requests, run } = await commandsAgainst(t, answers)
    const created = await run('webhook create https://x.test/hook --event consent.* --event key.rotated --tenant home')
    t.equal(created.code, 0, created.err)
    t.same(requests.at(-1)?.body, { url: 'https://x.test/hook', events: ['consent.*', 'key.rotated'], tenantId })
    t.match(created.out, /secret +whsec_x/)
    t.match((await run('webhook create https://x.test/ -o env')).out, /^PORTCULLIS_WEBHOOK_SECRET=whsec_x$/m)
    t.same(requests.at(-1)?.body, { url: 'https://x.test/', events: ['*'] })
    const kept = await run('webhook create https://x.test/ --secret-file s.txt -o json')
    t.equal(JSON.parse(kept.out).secret, undefined)
    t.equal(readFileSync(join(cwd, 's.txt'), 'utf8'), 'whsec_x\n')
    t.match((await run('webhook list')).out, /w1 +https:\/\/x.test\/hook +consent.\* +enabled[\s\S]*disabled: gone/)
    t.same(JSON.parse((await run('webhook list --tenant home -o json')).out), { value: [] })
    t.match((await run('webhook show w1')).out, /failing since 2026/)
    t.equal((await run('webhook disable w1')).code, 0)
    t.same(requests.at(-1)?.body, { enabled: false })
    t.equal((await run('webhook enable w1')).code, 0)
    t.same(requests.at(-1)?.body, { enabled: true })
    t.equal((await run('webhook delete w1')).code, 0)
  },
)

t.test('webhook test, deliveries and redeliver', async (t) => {
  const { run } = await commandsAgainst(t, answers)
  t.match((await run('webhook test w1')).err, /answered 204/)
  const failed = await run('webhook test w2')
  t.not(failed.code, 0)
  t.match(failed.err, /not delivered: no answer \(timeout\)/)
  t.match((await run('webhook deliveries w1')).out, /d1 +consent.granted +dead +11 .*status +500/)
  t.same(JSON.parse((await run('webhook deliveries w1 --state waiting -o json')).out), { value: [] })
  t.equal((await run('webhook redeliver w1 d1')).code, 0)
})

t.test('webhook refuses what is not said and what is not there', async (t) => {
  const { run } = await commandsAgainst(t, answers)
  t.equal((await run('webhook create')).code, 2)
  t.equal((await run('webhook deliveries w1 --state lost')).code, 2)
  for (const line of ['show', 'delete', 'test', 'deliveries', 'enable'])
    t.equal((await run(`webhook ${line} nobody`)).code, 3)
  t.equal((await run('webhook redeliver w1 nobody')).code, 3)
})
