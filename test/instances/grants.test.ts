// Codes and refresh tokens with two instances on one PostgreSQL and one Redis, as processes of the program as it ships:
// what one of them consumed, the other does not give again, and what one revoked, the other refuses.
// full: two programs on PostgreSQL and Redis
// run: apart

import t from 'tap'
import { createGrant } from '../../src/identity/token/grants/new-grant.js'
import { createOpaqueToken, hashOpaqueToken } from '../../src/oauth/secrets/opaque-token.js'
import { decideDeviceCode } from '../../src/storage/sql/grants/device-decisions.js'
import { openPostgresStore } from '../../src/storage/sql/postgresql/postgresql.js'
import { createScriptedBrowser } from '../support/browser/scripted-browser.js'
import { call } from '../support/cluster/checking-client.js'
import { startCluster } from '../support/cluster/cluster.js'
import { clusterHost, patientWithStore } from '../support/cluster/cluster-configuration.js'
import type { Instance } from '../support/cluster/cluster-instance.js'
import {
  allOpenidScopes,
  consentTo,
  type MadeCode,
  makeCode,
  redemption,
  redirectUri,
  type Tokens,
} from '../support/rooms/delegation.js'
import { decided, until } from '../support/traffic/until.js'

t.setTimeout(180_000)
const cluster = await startCluster(t, { instances: 2, configure: patientWithStore })
const [one, two] = cluster.instances as [Instance, Instance]
const store = await openPostgresStore({
  ...{ url: cluster.postgres.url, connections: 2, connectMs: 20_000, statementMs: 20_000, waitMs: 20_000 },
})
t.teardown(() => store.close())
const settings = { tokens: { codeLifetimeMs: 60_000 } } as Parameters<typeof makeCode>[0]['settings']
const deps = { store, settings, now: Date.now }

interface Scene {
  client: Record<string, string>
  /** Who allowed which application what. */
  grant: { userId: string; applicationId: string; tenantId: string; permissions: string[]; resource: string }
  userId: string
  code(): Promise<MadeCode>
}

/** An application with delegated permissions and an administrator's consent, and a member of its tenant. */
async function scene(name: string): Promise<Scene> {
  const managed = async (path: string, body: unknown) => {
    const answer = await one.manage('POST', path, body)
    if (answer.status !== 201) throw new Error(answer.body)
    return JSON.parse(answer.body)
  }
  const { tenantId } = await managed('/tenants', { name })
  const permissions = ['User.Read', 'assets_read'].map((id) => ({ kind: 'delegated', id }))
  const made = await managed('/applications', {
    ...{ name, type: 'web', tenantId, permissions, consent: true, redirectUris: [redirectUri] },
  })
  const { applicationId } = made
  const userId = await insertMember(tenantId)
  const client = { client_id: applicationId, client_secret: made.clientSecret }
  const resource = `https://${clusterHost}/api/v2`
  const grant = { userId, applicationId, tenantId, permissions: ['User.Read', 'assets_read'], resource }
  await consentTo(deps, { userId, applicationId, tenantId, permissions: allOpenidScopes })
  return { client, userId, grant, code: () => makeCode(deps, grant) }
}

async function insertMember(tenantId: string): Promise<string> {
  const id = crypto.randomUUID()
  const at = Date.now()
  const email = `${id}@contoso.test`
  const none = { password_hash: null, password_changed_at: null, totp_secret: null, totp_last_step: null }
  await store.transaction(async (tx) => {
    const user = { id, email, email_key: email, email_verified: 1, name: 'Ada', state: 'enabled', id_provider: 'local' }
    await tx
      .insertInto('users')
      .values({
        ...user,
        ...none,
        created_at: at,
        updated_at: at,
        last_sign_in_at: null,
        operator: 0,
        factor_demanded_at: null,
        language: '',
        work_mail: 1,
      })
      .execute()
    const membership = { user_id: id, tenant_id: tenantId, role: 'member', created_at: at, updated_at: at }
    await tx.insertInto('memberships').values(membership).execute()
  })
  return id
}

/** Sends the request again while the instance says that it cannot tell now. */
async function ask(instance: Instance, form: Record<string, string>, path = 'token') {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(form).toString()
  const answer = await decided(() =>
    call(instance.port, { path: `/api/v2/oauth2/v2.0/${path}`, method: 'POST', headers, body }),
  )
  return { status: answer.status, body: JSON.parse(answer.body || '{}') as Tokens & { error_codes?: number[] } }
}

const refreshing = (token: string, client: Scene['client']) => ({
  grant_type: 'refresh_token',
  refresh_token: token,
  ...client,
})

/** Status of a call through the gate, made again while the instance says that it cannot tell now. */
async function callApi(instance: Instance, token: string): Promise<number> {
  return (await decided(async () => ({ status: await callOnce(instance, token) }))).status
}

async function callOnce(instance: Instance, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await call(instance.port, { path: '/api/v2/check/1', headers })).status
}

const turns = (count: number) => Array.from({ length: count }, (_, i) => (i % 2 === 0 ? one : two))

t.test('T8 of 50 parallel redemptions across both instances one gets 200, and both refuse what it got', async (t) => {
  const { client, code } = await scene('redemptions')
  const made = await code()
  const startedAt = performance.now()
  const answers = await Promise.all(turns(50).map((instance) => ask(instance, redemption(made, client))))
  t.comment(`50 redemptions in ${Math.round(performance.now() - startedAt)} ms`)
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.same(
    answers.filter(({ status }) => ![200, 400, 503].includes(status)),
    [],
    'no 500; on a busy machine one may be sent away to come back',
  )
  const won = answers.find(({ status }) => status === 200)?.body
  for (const instance of [one, two]) {
    t.equal(await callApi(instance, won?.access_token ?? ''), 401, `${instance.name} refuses the access token`)
    t.match(await ask(instance, refreshing(won?.refresh_token ?? '', client)), { body: { error_codes: [50173] } })
  }
})

t.test('T8 of 40 parallel polls with an allowed device code across both instances one gets tokens', async (t) => {
  const { client, grant } = await scene('devices')
  const started = await ask(one, { ...client, scope: 'User.Read' }, 'devicecode')
  const { device_code = '' } = started.body as Tokens & { device_code?: string }
  const poll = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code, ...client }
  t.match(await ask(two, poll), { status: 400, body: { error_codes: [70016] } }, 'the other instance knows it')
  const session = { authTime: Math.floor(Date.now() / 1000), acr: '1', amr: ['pwd'] }
  const isDecided = await store.transaction(async (tx) => {
    const grantId = await createGrant(deps, tx, { ...grant, origin: 'device', openidScopes: [], session })
    const decision = { state: 'approved' as const, userId: grant.userId, grantId, now: Date.now() }
    return decideDeviceCode(tx, hashOpaqueToken(device_code), decision)
  })
  t.equal(isDecided, true)
  // RFC 8628 §3.5: the interval, without which all of them would have to slow down.
  await new Promise((resolve) => setTimeout(resolve, 4500))
  const answers = await Promise.all(turns(40).map((instance) => ask(instance, poll)))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.same(
    answers.filter(({ status }) => ![200, 400, 503].includes(status)),
    [],
    'no 500; on a busy machine one may be sent away to come back',
  )
  const won = answers.find(({ status }) => status === 200)?.body
  for (const instance of [one, two]) t.equal(await callApi(instance, won?.access_token ?? ''), 200, instance.name)
})

t.test('S2 20 parallel refreshes across both instances leave one family with one usable token', async (t) => {
  const { client, code } = await scene('refreshes')
  const first = (await ask(one, redemption(await code(), client))).body.refresh_token
  const startedAt = performance.now()
  const answers = await Promise.all(turns(20).map((instance) => ask(instance, refreshing(first, client))))
  t.comment(`20 refreshes in ${Math.round(performance.now() - startedAt)} ms`)
  t.same(
    answers.filter(({ status }) => status !== 200),
    [],
  )
  const successors = new Set(answers.map(({ body }) => body.refresh_token))
  t.equal(successors.size, 1, 'whichever instance got the request')
  const [successor = ''] = successors
  const next = await ask(two, refreshing(successor, client))
  t.equal(next.status, 200)
  t.match(await ask(one, refreshing(first, client)), { status: 400, body: { error_codes: [700084] } }, 'S1 reuse')
  t.match(await ask(two, refreshing(next.body.refresh_token, client)), { status: 400 }, 'S1 the family is over')
})

/** A browser whose requests reach the instances by turns, and a way to be signed in without a page. */
function browse() {
  let turn = 0
  const browser = createScriptedBrowser(`https://${clusterHost}`, ({ method, path, headers, body }) => {
    turn += 1
    const { port } = turn % 2 === 0 ? one : two
    return decided(() => call(port, { method, path, headers, ...(body === undefined ? {} : { body }) }))
  })
  const signIn = async (userId: string, secondsAgo: number) => {
    const cookie = createOpaqueToken('pcl_se_')
    const at = Date.now() - secondsAgo * 1000
    const row = {
      id_hash: hashOpaqueToken(cookie),
      user_id: userId,
      acr: '1',
      amr: '["pwd"]',
      sign_in_way: 'password',
      user_agent: '',
      address: '',
    }
    const times = { created_at: at, last_seen_at: at, authenticated_at: at, expires_at: at + 3_600_000 }
    await store.transaction((tx) =>
      tx
        .insertInto('sessions')
        .values({ ...row, ...times })
        .execute(),
    )
    browser.cookies.set('__Host-portcullis-session', cookie)
  }
  return { browser, signIn }
}

t.test(
  'R17 a browser that reaches either instance goes on with its request, and 20 returns at once are one code',
  async (t) => {
    const { client, userId } = await scene('authorize')
    const { browser, signIn } = browse()
    const query = { client_id: client['client_id'] ?? '', redirect_uri: redirectUri, response_type: 'code', state: 's' }
    const address = (more = {}) => `/api/v2/oauth2/v2.0/authorize?${new URLSearchParams({ ...query, ...more })}`
    await signIn(userId, 60)
    for (const _ of [1, 2]) {
      const { location = '' } = await browser.get(address())
      const code = new URL(location).searchParams.get('code') ?? ''
      const made = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...client }
      t.equal((await ask(two, made)).status, 200, location)
    }
    const waiting = await browser.get(address({ prompt: 'login' }))
    t.match(waiting.location, /^\/sign-in\?request=/)
    await signIn(userId, 0)
    const resume = `/api/v2/oauth2/v2.0/authorize/resume/${waiting.location?.split('=')[1]}`
    const startedAt = performance.now()
    const answers = await Promise.all(turns(20).map(() => browser.get(resume)))
    t.comment(`20 returns in ${Math.round(performance.now() - startedAt)} ms`)
    t.equal(answers.filter(({ location }) => location?.includes('code=')).length, 1)
    t.same(
      answers.map(({ status }) => status).filter((status) => ![302, 400, 503].includes(status)),
      [],
      'no 500',
    )
  },
)

t.test('identity M7: on PostgreSQL the untrusted write nothing, and a sign-in survives a restart', async (t) => {
  const { client, userId } = await scene('sealed')
  const { browser, signIn } = browse()
  const query = { client_id: client['client_id'] ?? '', redirect_uri: redirectUri, response_type: 'code', state: 's' }
  const address = `/api/v2/oauth2/v2.0/authorize?${new URLSearchParams(query)}`
  const waiting = await browser.get(address)
  const written = async (purpose = 'request') => {
    const uses = await store.reader.selectFrom('single_uses').selectAll().where('purpose', '=', purpose).execute()
    return [uses.length, (await store.reader.selectFrom('pending_requests').selectAll().execute()).length]
  }
  const before = await written()
  for (const _ of turns(5)) {
    const untrustedParties = await Promise.all(turns(40).map(() => browse().browser.get(address)))
    t.ok(untrustedParties.every(({ location }) => location?.startsWith('/sign-in?request=')))
  }
  t.same(await written(), before, '200 requests, no row')
  await one.stop()
  await one.start()
  await signIn(userId, 0)
  const resume = `/api/v2/oauth2/v2.0/authorize/resume/${waiting.location?.split('=')[1]}`
  const answers = [await browser.get(resume), await browser.get(resume), await browser.get(resume)]
  t.same(
    answers.map(({ location, status }) => location?.includes('code=') ?? status),
    [true, 400, 400],
    'at whichever instance',
  )
  t.same(await written(), [(before[0] ?? 0) + 1, before[1]])
})

t.test(
  'S4 V3 reuse is found after a restart, and a revoked refresh token ends access everywhere within a second',
  async (t) => {
    const { client, code } = await scene('restart')
    const first = (await ask(one, redemption(await code(), client))).body
    const second = (await ask(one, refreshing(first.refresh_token, client))).body
    const third = (await ask(one, refreshing(second.refresh_token, client))).body
    await one.stop()
    await one.start()
    t.equal((await ask(one, refreshing(third.refresh_token, client))).status, 200, 'the family has survived')
    t.match(await ask(one, refreshing(first.refresh_token, client)), {
      status: 400,
      body: { error_codes: [700084] },
    })
    const other = (await ask(two, redemption(await code(), client))).body
    await until('the gate takes it', async () => (await callApi(one, other.access_token)) === 200)
    t.equal((await ask(two, { token: other.refresh_token, ...client }, 'revoke')).status, 200)
    const answered = performance.now()
    t.equal(await callApi(two, other.access_token), 401, 'where it was revoked, at once')
    let acceptedMs = 0
    await until('the other instance refuses', async () => {
      const sentMs = performance.now() - answered
      const status = await callOnce(one, other.access_token)
      if (status < 300) acceptedMs = sentMs
      return status === 401
    })
    t.comment(`refused at the other instance ${Math.round(performance.now() - answered)} ms after the answer`)
    t.ok(acceptedMs < 1_000, 'what was sent later was not let through')
  },
)
