// `portcullis webhook …` against a stand-in for the server.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { commandsAgainst } from '../support/rooms/cli.js'

const tenantId = '7a1c1c3e-0000-4000-8000-00000000000a'
const webhook = {
  ...{ id: 'w1', tenantId, url: 'https://x.test/hook', events: ['consent.*'], enabled: true, disabledBecause: null },
  ...{ createdBy: '', createdAt: '', updatedAt: '', failingSince: null, earlierSecretUntil: null },
}
const delivery = {
  ...{ id: 'd1', eventId: 'e1', type: 'consent.granted', state: 'dead', attempts: 11, createdAt: '' },
  ...{ nextAttemptAt: null, lastAttemptAt: '2026-11-21T10:00:00.000Z', lastStatus: 500, lastReason: 'status' },
  lastDurationMs: 41,
}
const answers: Record<string, object> = {
  'GET /api/v2/tenants': { value: [{ tenantId, name: 'home', state: 'enabled', createdAt: '' }] },
  'POST /api/v2/webhooks': { ...webhook, secret: 'whsec_x' },
  'GET /api/v2/webhooks': { value: [webhook, { ...webhook, id: 'w2', enabled: false, disabledBecause: 'gone' }] },
  [`GET /api/v2/webhooks?tenantId=${tenantId}`]: { value: [] },
  'GET /api/v2/webhooks/w1': { ...webhook, failingSince: '2026-11-21T10:00:00.000Z' },
  'PATCH /api/v2/webhooks/w1': webhook,
  'DELETE /api/v2/webhooks/w1': {},
  'POST /api/v2/webhooks/w1/test': { delivered: true, eventId: 'e1', status: 204, reason: null, durationMs: 12 },
  'POST /api/v2/webhooks/w2/test': {
    delivered: false,
    eventId: 'e1',
    status: null,
    reason: 'timeout',
    durationMs: 10_000,
  },
  'GET /api/v2/webhooks/w1/deliveries': { value: [delivery] },
  'GET /api/v2/webhooks/w1/deliveries?state=waiting': { value: [] },
  'GET /api/v2/webhooks/w1/deliveries/d1': { ...delivery, body: '{"id":"e1"}' },
  'GET /api/v2/webhooks/w1/backlog': { waiting: 2, dead: 3, atLeast: false },
  'POST /api/v2/webhooks/w1/replay': { count: 3, more: false },
  'POST /api/v2/webhooks/w2/replay': { count: 0, more: false },
  'POST /api/v2/webhooks/w1/secret': { ...webhook, secret: 'whsec_y' },
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
    t.equal((await run('webhook disable w1 --yes')).code, 0)
    t.same(requests.at(-1)?.body, { enabled: false })
    t.equal((await run('webhook enable w1')).code, 0)
    t.same(requests.at(-1)?.body, { enabled: true })
    const prompted = await run('webhook delete w1')
    t.equal(prompted.code, 2, 'nobody is there to say yes')
    t.match(prompted.err, /Waiting: 2, dead letters: 3/)
    t.equal((await run('webhook delete w1 --yes')).code, 0)
  },
)

t.test('webhook test, deliveries and redeliver', async (t) => {
  const { run } = await commandsAgainst(t, answers)
  t.match((await run('webhook test w1')).err, /answered 204 after 12 ms/)
  const failed = await run('webhook test w2')
  t.not(failed.code, 0)
  t.match(failed.err, /not delivered: no answer \(timeout\)/)
  t.match((await run('webhook deliveries w1')).out, /d1 +consent.granted +dead +11 .*status +500/)
  t.same(JSON.parse((await run('webhook deliveries w1 --state waiting -o json')).out), { value: [] })
  t.equal((await run('webhook redeliver w1 d1')).code, 0)
})

t.test('webhook delivery, replay and rotate-secret', async (t) => {
  const { requests, run } = await commandsAgainst(t, answers)
  const shown = await run('webhook delivery w1 d1')
  t.match(shown.out, /reason +status/)
  t.match(shown.out, /event +\{"id":"e1"\}/)
  t.match((await run('webhook replay w1')).err, /3 dead letters are sent again/)
  t.match((await run('webhook replay w2')).err, /There are no dead letters/)
  t.match((await run('webhook rotate-secret w1')).out, /secret +whsec_y/)
  t.same(requests.at(-1)?.body, {})
  t.match((await run('webhook rotate-secret w1 --overlap 1h -o env')).out, /^PORTCULLIS_WEBHOOK_SECRET=whsec_y$/m)
  t.same(requests.at(-1)?.body, { overlapSeconds: 3600 })
})

t.test('webhook refuses what is not said and what is not there', async (t) => {
  const { run } = await commandsAgainst(t, answers)
  t.equal((await run('webhook create')).code, 2)
  t.equal((await run('webhook deliveries w1 --state lost')).code, 2)
  for (const line of ['show', 'delete', 'test', 'deliveries', 'enable', 'replay', 'rotate-secret'])
    t.equal((await run(`webhook ${line} nobody`)).code, 3)
  t.equal((await run('webhook redeliver w1 nobody')).code, 3)
})
