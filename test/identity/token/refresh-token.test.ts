// grant_type=refresh_token (RFC 6749 §6, RFC 9700 §4.14, contract §3).

import { join } from 'node:path'
import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { grantConsent } from '../../../src/directory/permissions/permissions.js'
import { sweepDead } from '../../../src/instance/sweep.js'
import { endGrants } from '../../../src/revocation/end-grants.js'
import { deleteUserConsents } from '../../../src/storage/sql/consents/user-consents.js'
import { updateUser } from '../../../src/storage/sql/people/users.js'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import { type Delegation, delegate, redemption } from '../../support/rooms/delegation.js'
import { otherResource, ownResource, withdrawConsent } from '../../support/rooms/directory.js'
import { type IdentityApp, introspectPath, openIdentity, readToken, tokenPath } from '../../support/rooms/identity.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

async function isActive(testApp: IdentityApp, { client }: Delegation, token: string): Promise<boolean> {
  return (await testApp.post(introspectPath, { ...client, token })).json().active
}

t.test('S1 every use gives the next token; the old one later ends the family (RFC 9700 §4.14.2)', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const { refresh } = delegation
  const first = await delegation.tokens({ nonce: 'n' })
  testApp.clock.nowMs += hourMs
  const second = await refresh(first.refresh_token)
  t.equal(second.status, 200)
  const fields = ['access_token', 'expires_in', 'id_token', 'refresh_token', 'scope', 'token_type']
  t.same(Object.keys(second.body).sort(), fields)
  t.not(second.body.refresh_token, first.refresh_token)
  t.equal(second.body.scope, first.scope)
  const [before, after] = [readToken(first.id_token).claims, readToken(second.body.id_token).claims]
  for (const claim of ['iss', 'sub', 'aud', 'auth_time', 'acr', 'tid']) {
    t.equal(after[claim], before[claim], `OpenID Connect Core §12.2: ${claim} is the same`)
  }
  t.equal(after['nonce'], undefined)
  const [one, two] = [readToken(first.access_token).claims, readToken(second.body.access_token).claims]
  t.equal(one['gid'], two['gid'], 'one grant')
  t.not(one['jti'], two['jti'])
  testApp.clock.nowMs += 30_000
  const reused = await refresh(first.refresh_token)
  t.match(reused, { status: 400, body: { error: 'invalid_grant', error_codes: [700084] } })
  t.match((await refresh(second.body.refresh_token)).body, { error_codes: [50173] }, 'the successor died with it')
  t.equal(await isActive(testApp, delegation, second.body.access_token), false, 'and the access token')
})

t.test(
  'S3 sent again within 30 s, before the successor was used: the same successor, with a new access token',
  async (t) => {
    const testApp = await openIdentity(t)
    const { tokens, refresh } = await delegate(testApp)
    const { refresh_token: first } = await tokens()
    const second = await refresh(first)
    testApp.clock.nowMs += 29_999
    const repeated = await refresh(first)
    t.equal(repeated.status, 200)
    t.equal(repeated.body.refresh_token, second.body.refresh_token)
    t.not(repeated.body.access_token, second.body.access_token)
    t.equal((await refresh(second.body.refresh_token)).status, 200)
    t.match(await refresh(first), { status: 400, body: { error_codes: [700084] } }, 'not once the successor was used')
  },
)

t.test('S3 the grace does not grow with each repetition, and never survives a revocation', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const { refresh } = delegation
  const { refresh_token: first } = await delegation.tokens()
  await refresh(first)
  testApp.clock.nowMs += 20_000
  t.equal((await refresh(first)).status, 200)
  testApp.clock.nowMs += 20_000
  t.match(await refresh(first), { status: 400, body: { error_codes: [700084] } })
  const { refresh_token: other } = await delegation.tokens()
  await refresh(other)
  const { nowMs } = testApp.clock
  await testApp.feed.commit((tx, record) =>
    endGrants(testApp.writes, { tx, record, nowMs }, { userId: delegation.user.userId }, 'test'),
  )
  t.match(await refresh(other), { status: 400, body: { error_codes: [50173] } })
})

t.test('S2 20 parallel refreshes leave one family with one usable token', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const { refresh_token: first } = await delegation.tokens()
  const answers = await Promise.all(Array.from({ length: 20 }, () => delegation.refresh(first)))
  t.same([...new Set(answers.map(({ status }) => status))], [200])
  const successors = new Set(answers.map(({ body }) => body.refresh_token))
  t.equal(successors.size, 1)
  const [successor = ''] = successors
  t.equal((await delegation.refresh(successor)).status, 200)
  const rows = await testApp.store.reader
    .selectFrom('refresh_tokens')
    .select(['sequence', 'used_at'])
    .orderBy('sequence')
    .execute()
  t.same(
    rows.map(({ sequence, used_at }) => [Number(sequence), used_at !== null]),
    [
      [0, true],
      [1, true],
      [2, false],
    ],
  )
})

t.test('S4 reuse is found by any process that opens the Store after a restart', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const { refresh_token: first } = await delegation.tokens()
  const { body } = await delegation.refresh(first)
  const store = await openSqliteStore({ file: join(testApp.folder, 'portcullis.db'), busyTimeoutMs: 5_000 })
  t.teardown(() => store.close())
  const rows = await store.reader.selectFrom('refresh_tokens').select('used_at').orderBy('sequence').execute()
  t.same(
    rows.map(({ used_at }) => used_at !== null),
    [true, false],
    'what tells it is in the file',
  )
  testApp.clock.nowMs += 31_000
  t.match(await delegation.refresh(first), { status: 400, body: { error_codes: [700084] } })
  t.equal((await delegation.refresh(body.refresh_token)).status, 400)
})

t.test("S5 another client's token, a missing secret, another tenant", async (t) => {
  const testApp = await openIdentity(t)
  const [one, other] = [await delegate(testApp), await delegate(testApp)]
  const { refresh_token } = await one.tokens()
  const stolen = await other.refresh(refresh_token)
  t.match(stolen, { status: 400, body: { error: 'invalid_grant', error_codes: [70000] } })
  const unknown = await other.refresh(`pcl_rt_${'x'.repeat(43)}`)
  t.equal(stolen.body.error_description, unknown.body.error_description)
  t.equal((await one.refresh(refresh_token, { client_secret: '' })).status, 401)
  t.match(await one.refresh(refresh_token, { requested_enrollment: other.tenantId }), {
    body: { error: 'invalid_grant' },
  })
  t.match(await one.refresh(refresh_token, { tenant: 'x' }), { body: { error: 'invalid_request' } })
  t.equal((await one.refresh(refresh_token, { tenant: one.tenantId })).status, 200, 'and none of it used the token')
})

t.test('S6 narrowing is for this access token only; nothing is ever widened', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, refresh } = await delegate(testApp)
  const { refresh_token: first } = await tokens()
  for (const scope of ['User.Read.All', 'User.Read assets_delete', `${otherResource}/.default`]) {
    t.match(await refresh(first, { scope }), { status: 400, body: { error: 'invalid_scope' } }, scope)
  }
  t.match(await refresh(first, { resource: otherResource }), { status: 400, body: { error: 'invalid_target' } })
  const narrowed = await refresh(first, { scope: 'User.Read', resource: ownResource })
  t.equal(narrowed.body.scope, 'User.Read')
  t.equal(narrowed.body.id_token, undefined)
  const whole = await refresh(narrowed.body.refresh_token, { requested_scopes: 'User.Read,assets_read address phone' })
  t.equal(whole.body.scope, 'User.Read assets_read')
  t.match((await refresh(whole.body.refresh_token)).body.scope, /^User.Read assets_read openid/)
})

t.test('S6 words of OpenID Connect that the grant does not have are dropped, never refused', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, refresh } = await delegate(testApp)
  const { refresh_token } = await tokens({ openidScopes: ['offline_access'] })
  const { status, body } = await refresh(refresh_token, { scope: 'User.Read openid profile offline_access' })
  t.match({ status, ...body }, { status: 200, scope: 'User.Read offline_access' })
  t.equal(body.id_token, undefined)
})

t.test('S7 14 days without use, 90 days in all, whatever is used in between', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, refresh } = await delegate(testApp)
  const idle = await tokens()
  testApp.clock.nowMs += 14 * dayMs - 1
  t.equal((await refresh(idle.refresh_token)).status, 200)
  const late = await tokens()
  testApp.clock.nowMs += 14 * dayMs
  t.match(await refresh(late.refresh_token), { status: 400, body: { error: 'invalid_grant', error_codes: [700082] } })
  let { refresh_token } = await tokens()
  for (let days = 0; days < 80; days += 10) {
    testApp.clock.nowMs += 10 * dayMs
    const { status, body } = await refresh(refresh_token)
    t.equal(status, 200, `after ${days + 10} days`)
    refresh_token = body.refresh_token
  }
  testApp.clock.nowMs += 10 * dayMs
  t.match(await refresh(refresh_token), { status: 400, body: { error_codes: [700082] } }, 'after 90 days')
})

t.test('S8 the person, the membership, the application and the consent are looked at again', async (t) => {
  const testApp = await openIdentity(t)
  const { store } = testApp
  const cases: [string, number, (one: Delegation) => Promise<unknown>][] = [
    [
      'disabled person',
      400,
      ({ user }) => store.transaction((tx) => updateUser(tx, user.userId, { state: 'disabled' })),
    ],
    [
      'no member any more',
      400,
      ({ user }) =>
        store.transaction((tx) => tx.deleteFrom('memberships').where('user_id', '=', user.userId).execute()),
    ],
    [
      'disabled application',
      401,
      ({ registration }) => changeApplication(testApp.writes, registration.applicationId, { state: 'disabled' }),
    ],
    [
      'no consent any more',
      400,
      ({ registration, tenantId }) =>
        store.transaction((tx) =>
          deleteUserConsents(tx, { application_id: registration.applicationId, tenant_id: tenantId }),
        ),
    ],
  ]
  for (const [title, status, lose] of cases) {
    const delegation = await delegate(testApp, { permissions: ['User.Read'], registration: { consentBy: undefined } })
    const { refresh_token } = await delegation.tokens()
    await lose(delegation)
    const answer = await delegation.refresh(refresh_token)
    t.match(answer, { status, body: { error: status === 401 ? 'invalid_client' : 'invalid_grant' } }, title)
  }
})

t.test('S8 withdrawn permissions drop out, and scope says so; requested by name they are refused', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, refresh, registration } = await delegate(testApp)
  const { refresh_token } = await tokens()
  await withdrawConsent(testApp.writes, registration.applicationId, {
    permissions: [{ kind: 'delegated', resource: ownResource, id: 'assets_read' }],
  })
  t.match(await refresh(refresh_token, { scope: 'assets_read' }), { status: 400, body: { error: 'invalid_grant' } })
  const { body } = await refresh(refresh_token)
  t.equal(body.scope, 'User.Read openid profile email offline_access')
  t.equal(readToken(body.access_token).claims['scope'], 'User.Read openid profile email')
})

t.test('S8 C9 words of OpenID Connect drop out too; without offline_access nothing is refreshed', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, refresh, code, client, registration, user, tenantId } = await delegate(testApp)
  const forget = (id: string) =>
    testApp.store.transaction((tx) => tx.deleteFrom('user_consents').where('permission_id', '=', id).execute())
  const { refresh_token } = await tokens()
  await forget('email')
  const less = await refresh(refresh_token)
  t.equal(less.body.scope, 'User.Read assets_read openid profile offline_access')
  t.notOk('email' in readToken(less.body.id_token).claims)
  await forget('offline_access')
  t.match(await refresh(less.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
  await forget('openid')
  const signInOnly = redemption(await code({ permissions: [], openidScopes: ['openid'] }), client)
  t.match((await testApp.post(tokenPath, signInOnly)).json(), { error: 'invalid_grant' })
  const { applicationId } = registration
  const openid = { kind: 'delegated', resource: 'openid', id: 'openid' } as const
  await grantConsent(testApp.writes, applicationId, { tenantId, permissions: [openid], by: user.userId })
  t.match((await testApp.post(tokenPath, signInOnly)).json(), { scope: 'openid' }, 'an administrator’s consent counts')
})

t.test('T3 a refresh token in the URL is refused', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, client } = await delegate(testApp)
  const { refresh_token } = await tokens()
  const answer = await testApp.post(`${tokenPath}?refresh_token=${refresh_token}`, {
    grant_type: 'refresh_token',
    ...client,
  })
  t.match({ status: answer.statusCode, ...answer.json() }, { status: 400, error: 'invalid_request' })
  t.notMatch(testApp.logged.join(''), /pcl_rt_/, 'X5')
})

t.test('dead grants leave with their codes and tokens, living ones stay', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, code, user, refresh } = await delegate(testApp)
  const { reader } = testApp.store
  const sweep = async () => {
    await sweepDead({ store: testApp.store, now: testApp.now, sessionIdleMs: dayMs })
    return (await reader.selectFrom('grants').select('id').execute()).length
  }
  const living = await tokens()
  await tokens({ openidScopes: [] })
  await code()
  t.equal(await sweep(), 3, 'nothing is over yet')
  testApp.clock.nowMs += 3 * dayMs
  t.equal(await sweep(), 1, 'without a refresh token nothing lives for longer than a day')
  t.equal((await refresh(living.refresh_token)).status, 200)
  const { nowMs } = testApp.clock
  await testApp.feed.commit((tx, record) =>
    endGrants(testApp.writes, { tx, record, nowMs }, { userId: user.userId }, 'test'),
  )
  t.equal(await sweep(), 1, 'one that ended is known for as long as a token of it could live')
  testApp.clock.nowMs += 3 * dayMs
  t.equal(await sweep(), 0)
  t.same(await reader.selectFrom('refresh_tokens').selectAll().execute(), [])
  t.same(await reader.selectFrom('authorization_codes').selectAll().execute(), [])
})
