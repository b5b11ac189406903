// What a caller hears of its plan: the limit that refused, by name, with its numbers and when; and how many requests it
// may have under way at once.

import type { ServerResponse } from 'node:http'
import t from 'tap'
import type { LimitPolicy } from '../../src/config/settings/limit-settings.js'
import { write } from '../../src/directory/writes.js'
import { openGate, recordingUpstream, viaProxy } from '../support/rooms/http-gate.js'
import { planOf, planRules } from '../support/settings/plan-rules.js'
import { rawRequest } from '../support/traffic/http-raw.js'
import { until } from '../support/traffic/until.js'

/** That of the tokens of openGate. */
const applicationId = '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01'
const routes = [{ path: '/t/{name}', methods: { GET: ['User.Read.All'] }, limits: ['posts'] }]
const posts: LimitPolicy = {
  name: 'posts',
  by: ['application', 'tenant'],
  algorithm: { kind: 'quota', limit: 5, periodMs: 60_000 },
}

async function open(t: Parameters<typeof openGate>[0]) {
  const held: ServerResponse[] = []
  const upstream = await recordingUpstream(t, (request, response) => {
    if (request.url?.endsWith('/hang') === true) held.push(response)
    else response.end('{}')
  })
  const free = planOf('free', 'developers', { quota: 3, routes: ['GET /t/{name}'] })
  const busy = planOf('busy', 'operators', { quota: 100, routes: ['GET /t/{name}'], concurrent: 2 })
  const plans = planRules([free, busy])
  const gate = await openGate(t, {
    routes,
    upstreams: { things: { target: upstream.target } },
    limits: { posts },
    plans,
  })
  const token = await gate.token()
  const get = (name: string) =>
    rawRequest(gate, `GET /t/${name} HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n\r\n`)
  const put = (plan: string) =>
    write(gate.writes, async ({ record }) => record({ kind: 'plan', applicationId, plan, overrides: '' }))
  return { gate, get, put, held }
}

t.test('a 429 names the limit, what it allows, and when to come back', async (t) => {
  const { get, gate } = await open(t)
  for (let i = 0; i < 5; i += 1) t.equal((await get('ok')).status, 200)
  const refused = await get('ok')
  t.equal(refused.status, 429)
  const { error } = JSON.parse(refused.body)
  t.match(
    error.message,
    /^The limit posts allows 5 calls per minute, counted by application and tenant; try again in \d+ s\.$/,
  )
  t.match(error, { code: 'TooManyRequests', limit: { name: 'posts', plan: null, kind: 'quota', limit: 5 } })
  t.same(error.limit.by, ['application', 'tenant'])
  t.equal(String(error.limit.retryAfterSeconds), refused.headers.get('retry-after')?.[0])
  t.match(gate.noted, [{ reason: 'rate_limited' }], 'and so it is recorded for the owners')
})

t.test('a 429 of a plan names the plan too, and the fields of every answer are the plan’s', async (t) => {
  const { get, put } = await open(t)
  await put('free')
  const first = await get('ok')
  t.match(first.headers.get('ratelimit-policy')?.[0] ?? '', /"posts";q=5;w=60, "daily";q=3;w=86400/)
  t.match(first.headers.get('ratelimit')?.[0] ?? '', /"daily";r=2/)
  await get('ok')
  await get('ok')
  const { error } = JSON.parse((await get('ok')).body)
  t.match(
    error.message,
    /^The limit daily of the plan free allows 3 calls per day, counted by application; try again in/,
  )
  t.match(error.limit, { name: 'daily', plan: 'free', limit: 3, periodSeconds: 86_400 })
})

t.test('a plan bounds the requests that an application has under way at once', async (t) => {
  const { get, put, held } = await open(t)
  await put('busy')
  const hanging = [get('hang'), get('hang')]
  await until('both are under way', () => held.length === 2)
  const refused = await get('ok')
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after')?.[0], '1')
  const { error } = JSON.parse(refused.body)
  t.equal(
    error.message,
    'The plan busy lets an application have 2 requests under way at once; send the next when some of them have been answered.',
  )
  t.match(error.limit, { name: 'concurrent', plan: 'busy', limit: 2 })
  for (const response of held) response.end('{}')
  t.same(
    (await Promise.all(hanging)).map(({ status }) => status),
    [200, 200],
  )
  t.equal((await get('ok')).status, 200, 'a place is free again')
})
