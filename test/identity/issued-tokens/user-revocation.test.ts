// Ending what a person allowed: by the client that has the tokens, and by anyone who ends grants (RFC 7009, RFC 7662).

import t from 'tap'
import { grantTypes } from '../../../src/identity/token/token.js'
import { endGrants } from '../../../src/revocation/end-grants.js'
import { StoreUnavailable } from '../../../src/storage/sql/store.js'
import { type Delegation, delegate } from '../../support/rooms/delegation.js'
import { type IdentityApp, introspectPath, openIdentity, revokePath } from '../../support/rooms/identity.js'

async function described(testApp: IdentityApp, { client }: Pick<Delegation, 'client'>, token: string) {
  return (await testApp.post(introspectPath, { ...client, token })).json()
}

t.test('V3 a revoked refresh token ends its grant: every access token and every refresh token of it', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const first = await delegation.tokens()
  const { body: second } = await delegation.refresh(first.refresh_token)
  const other = await delegation.tokens()
  const answer = await testApp.post(revokePath, {
    ...delegation.client,
    token: second.refresh_token,
    token_type_hint: 'x',
  })
  t.equal(answer.statusCode, 200)
  t.equal(answer.body, '')
  for (const token of [first.access_token, second.access_token, first.refresh_token, second.refresh_token]) {
    t.same(await described(testApp, delegation, token), { active: false })
  }
  t.match(await delegation.refresh(second.refresh_token), { status: 400, body: { error_codes: [50173] } })
  t.match(await described(testApp, delegation, other.access_token), { active: true }, 'the other grant lives')
  const { seq } = testApp.feed
  t.equal((await testApp.post(revokePath, { ...delegation.client, token: second.refresh_token })).statusCode, 200)
  t.ok(testApp.feed.seq > seq, 'a repeated request confirms again that all instances know')
})

t.test('V3 an exchanged refresh token still names its grant', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const first = await delegation.tokens()
  const { body: second } = await delegation.refresh(first.refresh_token)
  await testApp.post(revokePath, { ...delegation.client, token: first.refresh_token })
  t.same(await described(testApp, delegation, second.access_token), { active: false })
})

t.test('V3 a revoked access token ends alone, its grant goes on', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const tokens = await delegation.tokens()
  await testApp.post(revokePath, { ...delegation.client, token: tokens.access_token })
  t.same(await described(testApp, delegation, tokens.access_token), { active: false })
  const refreshed = await delegation.refresh(tokens.refresh_token)
  t.equal(refreshed.status, 200)
  t.match(await described(testApp, delegation, refreshed.body.access_token), { active: true })
})

t.test("V1 V2 another client's refresh token lives on; a native client revokes by naming itself", async (t) => {
  const testApp = await openIdentity(t)
  const [web, native] = [await delegate(testApp), await delegate(testApp, { registration: { type: 'native' } })]
  const [mine, theirs] = [await web.tokens(), await native.tokens()]
  const { seq } = testApp.feed
  t.equal((await testApp.post(revokePath, { ...native.client, token: mine.refresh_token })).statusCode, 200)
  t.equal(
    (await testApp.post(revokePath, { client_id: web.client['client_id'] ?? '', token: mine.refresh_token }))
      .statusCode,
    401,
  )
  t.equal(testApp.feed.seq, seq, 'nothing was written')
  t.equal((await web.refresh(mine.refresh_token)).status, 200)
  t.equal((await testApp.post(revokePath, { ...native.client, token: theirs.refresh_token })).statusCode, 200)
  t.match(await native.refresh(theirs.refresh_token), { status: 400, body: { error_codes: [50173] } })
})

t.test('V4 a revocation that is not durable is 503, and the grant goes on', async (t) => {
  const state = { away: false }
  const testApp = await openIdentity(t, {
    replace: ({ feed }) => ({
      feed: {
        ...feed,
        commit: (work) => (state.away ? Promise.reject(new StoreUnavailable('away')) : feed.commit(work)),
      },
    }),
  })
  const delegation = await delegate(testApp)
  const tokens = await delegation.tokens()
  state.away = true
  const answer = await testApp.post(revokePath, { ...delegation.client, token: tokens.refresh_token })
  t.equal(answer.statusCode, 503)
  t.ok(answer.headers['retry-after'])
  state.away = false
  t.equal((await delegation.refresh(tokens.refresh_token)).status, 200)
})

t.test(
  'V6 introspection describes user tokens and refresh tokens of the asking client, and of nobody else',
  async (t) => {
    const testApp = await openIdentity(t)
    const [one, other] = [await delegate(testApp), await delegate(testApp)]
    const { access_token, refresh_token } = await one.tokens()
    const whose = { client_id: one.registration.applicationId, sub: one.user.userId, tid: one.tenantId, idtyp: 'user' }
    const access = await described(testApp, one, access_token)
    t.match(access, {
      active: true,
      ...whose,
      token_type: 'Bearer',
      scope: 'User.Read assets_read openid profile email',
    })
    t.notOk('roles' in access)
    const refresh = await described(testApp, one, refresh_token)
    t.match(refresh, { active: true, ...whose, scope: 'User.Read assets_read openid profile email offline_access' })
    t.equal(refresh.exp, Math.floor(testApp.now() / 1000) + 14 * 86_400)
    t.notOk('token_type' in refresh, 'it is not for an API')
    for (const token of [access_token, refresh_token]) t.same(await described(testApp, other, token), { active: false })
    await one.refresh(refresh_token)
    t.same(await described(testApp, one, refresh_token), { active: false }, 'exchanged')
  },
)

t.test('V9 C9 C14 ended grants: of a person, of a person in one tenant, of one application', async (t) => {
  const testApp = await openIdentity(t)
  const [one, other] = [await delegate(testApp), await delegate(testApp)]
  const end = async (filter: Parameters<typeof endGrants>[2]) => {
    const { result } = await testApp.feed.commit((tx, record) =>
      endGrants(testApp.writes, { tx, record, nowMs: testApp.now() }, filter, 'test'),
    )
    return result
  }
  const active = async (delegation: Delegation, token: string) => (await described(testApp, delegation, token)).active
  const filters = [
    { userId: one.user.userId },
    { userId: one.user.userId, tenantId: one.tenantId },
    { applicationId: one.registration.applicationId },
    { applicationId: one.registration.applicationId, userId: one.user.userId, tenantId: one.tenantId },
    { tenantId: one.tenantId },
  ]
  const [theirs, unredeemed] = [await other.tokens(), await other.code()]
  for (const filter of filters) {
    const title = Object.keys(filter).join(' ')
    const tokens = await one.tokens()
    const { access_token } = (await one.refresh(tokens.refresh_token)).body
    t.equal(await end(filter), 1, title)
    t.equal(await active(one, tokens.access_token), false, title)
    t.equal(await active(one, access_token), false, title)
    t.match(await one.refresh(tokens.refresh_token), { status: 400, body: { error: 'invalid_grant' } }, title)
    const { seq } = testApp.feed
    t.equal(await end(filter), 0, 'there is nothing left')
    t.equal(testApp.feed.seq, seq, 'and nothing is said of it')
  }
  t.equal(await active(other, theirs.access_token), true, 'anyone who was not named goes on')
  t.equal(await end({ tenantId: other.tenantId, userId: other.user.userId }), 2, 'a code that waits is a grant too')
  t.type(unredeemed.code, 'string')
  await t.rejects(end({}), RangeError, 'never everybody')
})

t.test('metrics count what each grant gave, by known names only', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, refresh } = await delegate(testApp)
  await refresh((await tokens()).refresh_token)
  await refresh('pcl_rt_unknown')
  const counted = testApp.metrics.tokensIssued.counted().map(({ values, count }) => [...values, count].join(' '))
  t.ok(counted.includes('authorization_code granted 1'))
  t.ok(counted.includes('refresh_token granted 1'))
  t.ok(counted.includes('refresh_token invalid_grant 1'))
  t.ok(grantTypes.includes('refresh_token'))
})
