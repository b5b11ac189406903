// Instances that share PostgreSQL and Redis: one first start, one leader, one set of keys, one master key.
// full: instances that start together on PostgreSQL and Redis
// run: apart

import { randomBytes } from 'node:crypto'
import t from 'tap'
import { accessToken, buildInstance, openInstance, type TestInstance } from '../support/cluster/instances.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { startRedis } from '../support/databases/redis.js'
import { decided, until } from '../support/traffic/until.js'

const postgres = await startPostgres(t)
const redis = await startRedis(t)

const status = ({ manage }: TestInstance) => manage.status()
/** Who the token is for, once the instance knows whether it is good. */
const me = (instance: TestInstance, token: string) => decided(() => instance.get('/api/v2/me', token))
const metric = async (instance: TestInstance, name: string) =>
  new RegExp(`^portcullis_${name} (\\S+)$`, 'm').exec((await instance.operator('/metrics')).body)?.[1]

async function pair(t: Parameters<typeof openInstance>[0]) {
  const options = { store: await postgres.newDatabase(), redis: redis.url }
  const built = await Promise.all([buildInstance(t, options), buildInstance(t, options)])
  for (const { app } of built) await app.start()
  const [one, other] = built
  const { clientId, clientSecret } = (one.app.demo ?? other.app.demo) as { clientId: string; clientSecret: string }
  return { one, other, clientId, clientSecret }
}

t.test(
  'F33 of instances that start together on an empty database one makes the first start, and both serve',
  async (t) => {
    const options = { store: await postgres.newDatabase() }
    const four = await Promise.all(Array.from({ length: 4 }, () => buildInstance(t, options)))
    t.equal(four.filter(({ app }) => app.demo !== undefined).length, 1, 'the demo credential is shown once')
    const [one] = four
    await one?.app.start()
    t.equal((await one?.manage.listTenants())?.length, 1)
    t.equal((await one?.manage.listApplications())?.length, 1)
    t.equal((await one?.manage.listKeys())?.filter(({ state }) => state === 'active').length, 3, 'one set of keys')
  },
)

t.test('an instance with another master key is refused at its start, and the error says what to set', async (t) => {
  const options = { store: await postgres.newDatabase(), redis: redis.url }
  await openInstance(t, options)
  await t.rejects(buildInstance(t, { ...options, masterKeys: [randomBytes(32)] }), {
    code: 'master_key_mismatch',
    message: /instances that share a database need the same secrets.masterKeys/,
  })
  const [later, sooner] = await Promise.allSettled([
    buildInstance(t, { store: await postgres.newDatabase(), masterKeys: [randomBytes(32)] }),
    buildInstance(t, { store: await postgres.newDatabase(), masterKeys: [randomBytes(32)] }),
  ])
  t.equal(later.status, 'fulfilled')
  t.equal(sooner.status, 'fulfilled', 'on databases of their own both may')
})

t.test('of two that start together with different master keys one is refused', async (t) => {
  const store = await postgres.newDatabase()
  const outcomes = await Promise.allSettled([
    buildInstance(t, { store, masterKeys: [randomBytes(32)] }),
    buildInstance(t, { store, masterKeys: [randomBytes(32)] }),
  ])
  t.same(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  t.match(
    outcomes.find(({ status }) => status === 'rejected'),
    { reason: { code: 'master_key_mismatch' } },
  )
})

t.test('each sees the other, one leads, and when it ends the other takes over', async (t) => {
  const { one, other } = await pair(t)
  for (const instance of [one, other]) {
    await until('both are seen', async () => (await status(instance)).instances.length === 2)
  }
  t.equal(await metric(one, 'instances'), '2')
  const current = await status(one)
  t.match(current, { store: { kind: 'postgresql', available: true }, redis: { available: true } })
  t.ok(current.instances.some(({ id }) => id === current.instance))
  const leads = async () => [(await status(one)).leader, (await status(other)).leader]
  await until('somebody leads', async () => (await leads()).includes(true))
  t.same((await leads()).sort(), [false, true], 'exactly one')
  const [leader, next] = (await status(one)).leader ? [one, other] : [other, one]
  const { instance: leaderId } = await status(leader)
  const named = (await status(next)).instances.filter((each) => each.leader).map(({ id }) => id)
  t.same(named, [leaderId], 'each says which one it is')
  t.equal(await metric(leader, 'leader'), '1')
  t.equal(await metric(next, 'leader'), '0')
  await leader.stop()
  await until('the other leads', async () => (await status(next)).leader, 20_000)
  await until('it is alone', async () => (await status(next)).instances.length === 1)
  t.equal(next.logged.filter(({ msg }) => msg === 'this instance leads now').length, 1)
  const { instance } = await status(next)
  t.ok(
    next.logged.every((line) => line.instance === instance),
    'every line of the log says whose it is',
  )
})

t.test('F23 keys that one instance rotates at once are good at the other, again and again', async (t) => {
  const { one, other, clientId, clientSecret } = await pair(t)
  let refused = 0
  for (let round = 0; round < 6; round += 1) {
    const [issuer, reader] = round % 2 === 0 ? [one, other] : [other, one]
    const rotated = issuer.manage.rotateKeys({ purpose: 'token', immediately: true })
    if (round % 3 === 0) await rotated
    const token = accessToken(await decided(() => issuer.token(clientId, clientSecret)))
    const answers = await Promise.all([reader, issuer].map((each) => me(each, token)))
    refused += answers.filter(({ status }) => status !== 200).length
    await rotated
  }
  t.equal(refused, 0, 'no false refusal')
})

t.test('F23 a key that one instance removes is good nowhere from then on', async (t) => {
  const { one, other, clientId, clientSecret } = await pair(t)
  const token = accessToken(await decided(() => other.token(clientId, clientSecret)))
  for (const instance of [one, other]) t.equal((await me(instance, token)).status, 200)
  const kid = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
  await one.manage.removeKey(kid)
  const removedAt = performance.now()
  t.equal((await me(one, token)).status, 401)
  await until('it is refused there too', async () => (await other.get('/api/v2/me', token)).status === 401, 10_000)
  t.comment(`refused by the other after ${Math.round(performance.now() - removedAt)} ms`)
  const fresh = accessToken(await decided(() => other.token(clientId, clientSecret)))
  for (const instance of [one, other]) t.equal((await me(instance, fresh)).status, 200)
})

t.test('F24 tokens with invented keys are refused with 401, and cost few looks', async (t) => {
  const { one, clientId, clientSecret } = await pair(t)
  const token = accessToken(await decided(() => one.token(clientId, clientSecret)))
  const [, payload, signature] = token.split('.')
  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => {
      const header = { alg: 'ES256', typ: 'at+jwt', kid: `invented-${i}-${randomBytes(6).toString('hex')}` }
      const invented = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.${signature}`
      return one.get('/api/v2/me', invented)
    }),
  )
  t.same([...new Set(answers.map(({ status }) => status))], [401])
  t.ok(performance.now() - startedAt < 15_000)
})
