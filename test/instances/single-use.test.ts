// Client assertions and passkeys on every documented topology: SQLite, PostgreSQL alone, PostgreSQL with Redis, and
// Redis killed and stopped. What proves somebody once is remembered in the Store, so none of these makes a difference.
// full: every topology, with Redis killed and stopped
// run: apart

import { type KeyObject, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import t from 'tap'
import { createScriptedBrowser, type ScriptedBrowser, type Shown } from '../support/browser/scripted-browser.js'
import { openInstance, type TestInstance } from '../support/cluster/instances.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { startRedis } from '../support/databases/redis.js'
import { createSoftAuthenticator, type SoftAuthenticator } from '../support/people/webauthn.js'
import { newKeyPair } from '../support/tokens/key-pair.js'
import { decided, until } from '../support/traffic/until.js'

t.setTimeout(240_000)
const origin = 'https://portcullis.test'
const tokenPath = '/api/v2/oauth2/v2.0/token'
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const password = 'nine quiet purple lanterns'
const postgres = await startPostgres(t)
const pair = await newKeyPair('ec', { namedCurve: 'P-256' })
const untrusted = await newKeyPair('ec', { namedCurve: 'P-256' })

type Test = Parameters<typeof openInstance>[0] & Pick<typeof t, 'same' | 'comment'>

interface Scene {
  instances: readonly TestInstance[]
  applicationId: string
  authenticator: SoftAuthenticator
}

/** An application with a key of its own, and a person with a passkey. */
async function populate(instances: readonly TestInstance[]): Promise<Scene> {
  const [one] = instances as [TestInstance]
  const [tenant] = await one.manage.listTenants()
  const permissions = [{ kind: 'application' as const, id: 'assets_read' }]
  const registered = { name: `Keyed ${randomUUID()}`, type: 'web' as const, tenantId: tenant?.tenantId ?? '' }
  const { applicationId } = await one.manage.createApplication({ ...registered, permissions, consent: true })
  const jwks = { keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256' }] }
  await one.manage.changeApplication(applicationId, { authMethod: 'private_key_jwt', jwks })
  const { url } = (await one.local.call('POST', '/setUpLinks', {})) as { url: string }
  const authenticator = await createSoftAuthenticator(origin)
  const browser = browserAt(one)
  const link = await browser.open(new URL(url).pathname)
  await browser.submit(link, 'set-up-form', { name: 'Ada', email: 'ada@contoso.test', password })
  const page = await browser.open('/account/passkeys')
  const made = authenticator.create(passkeyOptions(page))
  const done = await browser.submit(page, 'passkey-form', { passkey: made, name: 'Phone' })
  if (!done.path.endsWith('done=passkey')) throw new Error(`no passkey: ${done.status} ${done.path} ${done.body}`)
  return { instances, applicationId, authenticator }
}

function browserAt(instance: TestInstance): ScriptedBrowser {
  return createScriptedBrowser(origin, ({ method, path, headers, body }) =>
    decided(() => instance.ask(method, path, headers, body)),
  )
}

function passkeyOptions(page: Shown): { challenge: string } {
  const text = /data-passkey-(?:get|create)="([^"]*)"/.exec(page.body)?.[1] ?? ''
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&'))
}

function signed(clientId: string, key: KeyObject = pair.privateKey): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 120
  const claims = { iss: clientId, sub: clientId, aud: origin, exp, jti: randomUUID() }
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(key)
}

function askToken(instance: TestInstance, assertion: string) {
  const form = { grant_type: 'client_credentials', scope: 'default', client_assertion: assertion }
  const body = new URLSearchParams({ ...form, client_assertion_type: assertionType }).toString()
  return decided(() => instance.ask('POST', tokenPath, { 'content-type': 'application/x-www-form-urlencoded' }, body))
}

let counter = 0

/** Statuses of ten assertions, of two once more elsewhere, and where ten signatures of the passkey led. */
async function works(t: Test, title: string, { instances, applicationId, authenticator }: Scene): Promise<void> {
  const first: number[] = []
  const again: number[] = []
  const longest = { assertion: 0, passkey: 0 }
  const timed = async <T>(what: keyof typeof longest, work: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await work()
    longest[what] = Math.max(longest[what], performance.now() - began)
    return result
  }
  for (let n = 0; n < 10; n += 1) {
    const [here, there] = [instances[n % instances.length], instances[(n + 1) % instances.length]] as [
      TestInstance,
      TestInstance,
    ]
    const assertion = await signed(applicationId)
    first.push((await timed('assertion', () => askToken(here, assertion))).status)
    // Replays are failures of the client at that address, and those are counted.
    if (n < 2) again.push((await askToken(there, assertion)).status)
  }
  t.same(first, Array(10).fill(200), `${title}: each assertion proves the client`)
  t.same(again, [401, 401], `${title}: once`)
  const led: string[] = []
  for (let n = 0; n < 10; n += 1) {
    const browser = browserAt(instances[n % instances.length] as TestInstance)
    const page = await browser.open('/sign-in')
    counter += 1
    const answer = authenticator.get(passkeyOptions(page), { counter })
    led.push((await timed('passkey', () => browser.submit(page, 'passkey-form', { passkey: answer }))).path)
  }
  t.same(led, Array(10).fill('/account'), `${title}: the passkey signs in`)
  t.comment(
    `${title}: 10/10 assertions (longest ${longest.assertion.toFixed(0)} ms), 2/2 replays refused, ` +
      `10/10 passkeys (longest ${longest.passkey.toFixed(0)} ms)`,
  )
}

t.test('gateway H4: client assertions and passkeys work on SQLite', async (t) => {
  await works(t, 'SQLite', await populate([await openInstance(t, { store: '' })]))
})

t.test('gateway H4: they work on PostgreSQL alone, and a restart forgets no use', async (t) => {
  const store = await postgres.newDatabase()
  const instances = [await openInstance(t, { store }), await openInstance(t, { store })]
  const scene = await populate(instances)
  await works(t, 'PostgreSQL', scene)
  const used = await signed(scene.applicationId)
  t.equal((await askToken(instances[0] as TestInstance, used)).status, 200)
  for (const instance of instances) await instance.stop()
  const restarted = await openInstance(t, { store })
  t.equal((await askToken(restarted, used)).status, 401, 'used before the restart')
  t.equal((await askToken(restarted, await signed(scene.applicationId))).status, 200)
})

t.test(
  'gateway H4: they work with Redis, with Redis killed and with Redis stopped, and nobody is locked out',
  async (t) => {
    const redis = await startRedis(t)
    const store = await postgres.newDatabase()
    // As shipped: anyone who waits for a Redis that hangs waits for as long as the default says.
    const change = (settings: TestInstance['settings']) => ({
      ...settings,
      redis: settings.redis && { ...settings.redis, commandMs: 200, connectMs: 1_000 },
    })
    const options = { store, redis: redis.url, change }
    const scene = await populate([await openInstance(t, options), await openInstance(t, options)])
    await works(t, 'PostgreSQL and Redis', scene)
    redis.pause()
    await works(t, 'Redis stopped', scene)
    redis.resume()
    await works(t, 'Redis back', scene)
    await redis.kill()
    await works(t, 'Redis killed', scene)
    await redis.start()
    await works(t, 'Redis back, empty', scene)
  },
)

t.test('gateway H4: a Store that is away is 503, and counts as nobody’s failed authentication', async (t) => {
  const own = await startPostgres(t)
  const change = (settings: TestInstance['settings']) => ({
    ...settings,
    store: { ...settings.store, connectMs: 500, statementMs: 500, waitMs: 500 },
  })
  const instance = await openInstance(t, { store: own.url, change })
  const { applicationId } = await populate([instance])
  t.equal((await askToken(instance, await signed(applicationId))).status, 200)
  own.pause()
  const body = async () =>
    new URLSearchParams({
      ...{ grant_type: 'client_credentials', scope: 'default', client_assertion_type: assertionType },
      client_assertion: await signed(applicationId),
    }).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  for (let n = 0; n < 15; n += 1) {
    const answer = await instance.ask('POST', tokenPath, type, await body())
    t.match([answer.status, Number(answer.headers['retry-after']) >= 1], [503, true])
  }
  own.resume()
  await until('it is back', async () => (await instance.manage.status()).store.available)
  t.equal((await askToken(instance, await signed(applicationId))).status, 200, 'nobody was locked out')
  t.equal(
    (await askToken(instance, await signed(applicationId, untrusted.privateKey))).status,
    401,
    'a wrong key is wrong',
  )
})
