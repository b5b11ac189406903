// What an instance does while PostgreSQL or Redis is away: it serves what it can, says what it cannot, and recovers by
// itself. And limits that two instances count together.
// full: takes PostgreSQL and Redis away from instances
// run: apart

import t from 'tap'
import { checkStorage } from '../../src/cli/commands/doctor/doctor-storage.js'
import type { LimitPolicy } from '../../src/config/settings/limit-settings.js'
import type { Settings } from '../../src/config/settings/settings.js'
import { accessToken, openInstance, type TestInstance } from '../support/cluster/instances.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { startRedis } from '../support/databases/redis.js'
import { decided, until } from '../support/traffic/until.js'

const postgres = await startPostgres(t)
const redis = await startRedis(t)

const limited = (more: Partial<LimitPolicy>) => (settings: Settings) => ({
  ...settings,
  limits: new Map([
    ...settings.limits,
    [
      'application',
      {
        name: 'application',
        by: ['application'] as const,
        algorithm: { kind: 'quota' as const, limit: 20, periodMs: 600_000 },
        ...more,
      },
    ],
  ]),
  tokenLimits: [],
})

async function pair(t: Parameters<typeof openInstance>[0], change: (settings: Settings) => Settings = (same) => same) {
  const options = { store: await postgres.newDatabase(), redis: redis.url, change }
  const one = await openInstance(t, options)
  const other = await openInstance(t, options)
  const { clientId, clientSecret } = one.app.demo as { clientId: string; clientSecret: string }
  const token = accessToken(await decided(() => one.token(clientId, clientSecret)))
  return { one, other, clientId, clientSecret, token }
}

const readiness = async (instance: TestInstance) => {
  const { status, body } = await instance.operator('/readyz')
  return { status, ...(JSON.parse(body) as { ready: boolean; reasons: string[]; degraded: string[] }) }
}
/** Who the token is for, once the instance knows whether it is good. */
const me = (instance: TestInstance, token: string) => decided(() => instance.get('/api/v2/me', token))
/** Once each, in this order; and once more where this machine stood still, so that it seemed to be away. */
const loggedOnce = ({ logged }: TestInstance, gone: string, back: string) => {
  const messages = logged.map(({ msg }) => msg).filter((msg) => msg === gone || msg === back)
  return [2, 4].includes(messages.length) && messages.every((msg, at) => msg === (at % 2 === 0 ? gone : back))
}
const metrics = async (instance: TestInstance) => (await instance.operator('/metrics')).body

t.test(
  'F8 PostgreSQL away: proxying goes on, management is 503 with Retry-After, and all comes back by itself',
  async (t) => {
    const { one, other, clientId, clientSecret, token } = await pair(t)
    await until('all is well', async () => (await readiness(one)).degraded.length === 0)
    t.match(await readiness(one), { status: 200, ready: true, degraded: [] })
    await postgres.stop()
    await until('it is noticed', async () => (await readiness(one)).degraded.includes('store_down'))
    t.match(await readiness(one), { status: 200, ready: true, reasons: [] }, 'degraded, and still in the balancer')
    t.match(await metrics(one), /^portcullis_store_up 0$/m)
    // The bundled resource service keeps its data there; what the gate itself decides does not need it.
    const proxied = await one.get('/api/v2/me', token)
    t.ok([200, 503].includes(proxied.status), `the resource service answers ${proxied.status}`)
    t.equal((await me(one, `${token}x`)).status, 401)
    await t.rejects(one.manage.createTenant({ name: 'While it is away' }), /cannot answer now|not available|503/i)
    // Readiness has just noticed it here; a token could not be revoked now.
    const known = await one.token(clientId, clientSecret)
    t.equal(known.status, 503, 'nor is a token issued to who is remembered')
    const unknown = await other.token('3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01', clientSecret)
    t.equal(unknown.status, 503, 'who is not, cannot be distinguished from an untrusted party')
    t.ok(Number(unknown.headers['retry-after']) >= 1)
    t.match(JSON.parse(unknown.body), { error: 'temporarily_unavailable' })
    t.equal((await one.manage.status()).store.available, false)
    await postgres.start()
    const startedAt = performance.now()
    await until('it works again', async () => (await one.manage.createTenant({ name: 'After' })).name === 'After')
    await until('it says so', async () => (await readiness(one)).degraded.length === 0)
    t.equal((await decided(() => one.token(clientId, clientSecret))).status, 200, 'and tokens are issued again')
    t.comment(`management again after ${Math.round(performance.now() - startedAt)} ms`)
    t.ok(loggedOnce(one, 'the Store does not answer', 'the Store answers again'))
  },
)

t.test('F1 Redis away: degraded, limits divided, revocation everywhere; and back by itself', async (t) => {
  const { one, other, token } = await pair(t)
  await until('both are connected', async () => (await readiness(one)).degraded.length === 0)
  await redis.kill()
  await until('it is noticed', async () => (await readiness(one)).degraded.includes('redis_down'))
  t.match(await readiness(one), { status: 200, ready: true, reasons: [] })
  t.equal((await me(one, token)).status, 200)
  t.match(await metrics(one), /^portcullis_redis_up\{use="counters"\} 0$/m)
  t.match(await metrics(one), /^portcullis_limit_on_down_total\{answer="local"\} [1-9]/m)
  // Refused as long as not all have confirmed in time that they know.
  await until('it is revoked', async () => {
    await one.manage.revoke({ what: 'token', token })
    return true
  })
  const revokedAt = performance.now()
  t.equal((await me(one, token)).status, 401)
  await until('the other refuses', async () => (await other.get('/api/v2/me', token)).status === 401, 10_000)
  t.comment(`refused by the other ${Math.round(performance.now() - revokedAt)} ms after the answer`)
  t.match(await metrics(other), /^portcullis_revocation_propagation_seconds_count [1-9]/m)
  await redis.start()
  await until('Redis is used again', async () => (await readiness(one)).degraded.length === 0)
  t.equal((await me(other, token)).status, 401, 'an empty Redis has forgotten nothing that counts')
  t.ok(loggedOnce(one, 'Redis does not answer', 'Redis answers again'))
})

t.test('a strict limit is exact over both instances', async (t) => {
  const { one, other, clientId, clientSecret } = await pair(t, limited({ mode: 'strict' }))
  const token = accessToken(await decided(() => other.token(clientId, clientSecret)))
  for (const each of [one, other]) {
    await until('it is connected', async () => (await readiness(each)).degraded.length === 0)
  }
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => me(i % 2 === 0 ? one : other, token)))
  const counted = (status: number) => answers.filter((answer) => answer.status === status).length
  t.equal(counted(200), 20, 'twenty of fifty')
  t.equal(counted(429), 30)
  t.match(await metrics(one), /^portcullis_ratelimit_store_seconds_count [1-9]/m)
})

t.test('F2 a strict limit that must not be guessed refuses with 503 while Redis is away', async (t) => {
  const { one, token } = await pair(t, limited({ mode: 'strict', onDown: 'refuse' }))
  await redis.kill()
  await until('it is noticed', async () => (await readiness(one)).degraded.includes('redis_down'))
  const away = await one.get('/api/v2/me', token)
  t.equal(away.status, 503)
  t.equal(away.headers['retry-after'], '1')
  t.match(await metrics(one), /^portcullis_limit_on_down_total\{answer="refuse"\} [1-9]/m)
  await redis.start()
})

t.test('leased limits never let more through than there is', async (t) => {
  const { one, other, clientId, clientSecret } = await pair(t, limited({ mode: 'leased' }))
  const token = accessToken(await decided(() => one.token(clientId, clientSecret)))
  let passed = 0
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => me(i % 2 === 0 ? one : other, token)))
    passed += answers.filter(({ status }) => status === 200).length
  }
  t.ok(passed <= 20 && passed >= 10, `${passed} of 20`)
})

t.test('without Redis each instance on PostgreSQL counts its part', async (t) => {
  const options = { store: await postgres.newDatabase(), change: limited({ mode: 'local' }) }
  const one = await openInstance(t, options)
  const other = await openInstance(t, options)
  const { clientId, clientSecret } = one.app.demo as { clientId: string; clientSecret: string }
  const token = accessToken(await decided(() => one.token(clientId, clientSecret)))
  for (const each of [one, other]) {
    await until('both are seen', async () => (await each.manage.status()).instances.length === 2)
  }
  t.equal((await one.manage.status()).redis, null)
  const statuses: number[] = []
  for (let i = 0; i < 30; i += 1) statuses.push((await me(one, token)).status)
  t.equal(statuses.filter((status) => status === 200).length, 10, 'half of twenty')
})

t.test('doctor asks both, with a hint and without a password', async (t) => {
  const { settings } = await openInstance(t, { store: await postgres.newDatabase(), redis: redis.url })
  t.match(await checkStorage(settings), [
    { check: 'postgresql', state: 'ok', message: /PostgreSQL \d+/ },
    { check: 'redis', state: 'ok' },
  ])
  const secret = (text: string) => ({ reveal: () => text })
  const elsewhere = {
    ...settings,
    store: { ...settings.store, url: secret('postgresql://gate:hunter2@127.0.0.1:1/db') },
    redis: { ...settings.redis, url: secret('redis://:hunter2@127.0.0.1:1') },
  } as Settings
  const findings = await checkStorage(elsewhere)
  t.match(findings, [
    { check: 'postgresql', state: 'fail', advice: /PORTCULLIS_STORE/ },
    { check: 'redis', state: 'fail', advice: /PORTCULLIS_REDIS/ },
  ])
  t.notMatch(JSON.stringify(findings), /hunter2/)
})
