// Userinfo (OpenID Connect Core §5.3, RFC 6750 §3, contract §3).

import t from 'tap'
import { updateUser } from '../../../src/storage/sql/people/users.js'
import { consentTo, delegate } from '../../support/rooms/delegation.js'
import { otherResource } from '../../support/rooms/directory.js'
import { openIdentity, readToken, revokePath, tokenPath } from '../../support/rooms/identity.js'

const path = '/api/v2/oauth2/v2.0/userinfo'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

t.test('GET and POST say who the token is about: what profile and email ask, and nothing else', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, user } = await delegate(testApp)
  await testApp.store.transaction((tx) =>
    tx.updateTable('profiles').set({ public_name: 'Ada, Countess' }).where('user_id', '=', user.userId).execute(),
  )
  const cases: [string[], Record<string, unknown>][] = [
    [['openid'], { sub: user.userId }],
    [['openid', 'email'], { sub: user.userId, email: user.email, email_verified: true }],
    // The name that people sign in with is their address, which `profile` alone does not ask for.
    [['openid', 'profile'], { sub: user.userId, name: 'Ada, Countess', updated_at: Math.floor(testApp.now() / 1000) }],
    [
      ['openid', 'profile', 'email'],
      {
        ...{ sub: user.userId, name: 'Ada, Countess', updated_at: Math.floor(testApp.now() / 1000) },
        ...{ preferred_username: user.email, email: user.email, email_verified: true },
      },
    ],
  ]
  for (const [openidScopes, expected] of cases) {
    const { access_token } = await tokens({ openidScopes })
    for (const method of ['GET', 'POST'] as const) {
      const answer = await testApp.ask({ method, url: path, headers: bearer(access_token) })
      t.equal(answer.statusCode, 200)
      t.equal(answer.headers['content-type'], 'application/json')
      t.equal(answer.headers['cache-control'], 'no-store')
      t.same(answer.json(), expected, `${method} ${openidScopes.join(' ')}`)
    }
  }
})

t.test('locale is the language that the person chose, by profile or by its name, and absent without one', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, user } = await delegate(testApp)
  const choose = (language: string) =>
    testApp.store.transaction((tx) => updateUser(tx, user.userId, { language })).then(() => undefined)
  const said = async (wanted: Parameters<typeof tokens>[0]) => {
    const { access_token, id_token } = await tokens(wanted)
    const answer = await testApp.ask({ url: path, headers: bearer(access_token) })
    return [answer.json().locale, readToken(id_token).claims['locale']]
  }
  await choose('ja')
  t.same(await said({ openidScopes: ['openid', 'profile'] }), ['ja', 'ja'])
  t.same(await said({ openidScopes: ['openid', 'email'] }), [undefined, undefined], 'not by another word')
  const claims = { idToken: [], userinfo: ['locale'] }
  t.same(await said({ openidScopes: ['openid'], claims }), ['ja', undefined], 'by its name')
  for (const language of ['', 'tlh']) {
    await choose(language)
    t.same(await said({ openidScopes: ['openid', 'profile'] }), [undefined, undefined], `"${language}" is none`)
  }
  const metadata = (await testApp.ask({ url: '/.well-known/openid-configuration' })).json()
  t.ok(metadata.claims_supported.includes('locale'))
  t.same(metadata.ui_locales_supported, ['en', 'de', 'fr', 'es', 'ja'])
})

t.test('a token for no resource does as well, and claims that were requested by name (§5.5)', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, user } = await delegate(testApp)
  const { access_token } = await tokens({
    permissions: [],
    openidScopes: ['openid'],
    claims: { idToken: [], userinfo: ['email', 'picture', 'constructor'] },
  })
  const answer = await testApp.ask({ url: path, headers: bearer(access_token) })
  t.same(answer.json(), { sub: user.userId, email: user.email })
})

t.test('identity L3: a token for another API says nothing here; a refresh gives one that does', async (t) => {
  const testApp = await openIdentity(t)
  Object.assign(testApp.catalogue.find('application', otherResource, 'things_read') ?? {}, {
    ...{ kinds: ['application', 'delegated'], adminConsent: false },
  })
  const permissions = [{ kind: 'delegated', resource: otherResource, id: 'things_read' }] as const
  const { tokens, refresh, user, registration, tenantId } = await delegate(testApp, { registration: { permissions } })
  const whose = { userId: user.userId, applicationId: registration.applicationId, tenantId }
  await consentTo(testApp.deps, { ...whose, permissions: ['things_read'], resource: otherResource })
  const first = await tokens({ resource: otherResource, permissions: ['things_read'] })
  t.match(readToken(first.access_token).claims, { aud: otherResource, scope: /things_read.*openid/ })
  for (const method of ['GET', 'POST'] as const) {
    const refused = await testApp.ask({ method, url: path, headers: bearer(first.access_token) })
    t.equal(refused.statusCode, 401)
    t.match(refused.headers['www-authenticate'], /error="invalid_token".*resource=https:.*scope=openid/)
    t.notMatch(refused.body, user.email)
  }
  for (const named of ['https://portcullis.test/api/v2', `https://portcullis.test${path}`]) {
    const { body } = await refresh(first.refresh_token, { resource: named, scope: 'openid email' })
    t.match(readToken(body.access_token).claims, { aud: `https://portcullis.test${path}`, scope: 'openid email' })
    const answer = await testApp.ask({ url: path, headers: bearer(body.access_token) })
    t.match(answer.json(), { sub: user.userId, email: user.email })
    t.equal((await testApp.ask({ url: '/api/v2/applications', headers: bearer(body.access_token) })).statusCode, 404)
    first.refresh_token = body.refresh_token
  }
  const whole = await refresh(first.refresh_token, { resource: 'https://portcullis.test/api/v2' })
  t.equal(whole.body.scope, 'openid profile email offline_access', 'all of it when nothing is named')
  for (const [named, scope] of [
    ['https://portcullis.test/api/v2', 'openid things_read'],
    ['https://portcullis.test/api/v2', 'openid User.Read'],
    ['https://portcullis.test/api/v2', 'profile'],
    ['api://other', 'openid'],
  ] as const) {
    t.equal((await refresh(whole.body.refresh_token, { resource: named, scope })).body.error, 'invalid_target', scope)
  }
})

t.test('J14 no token, a wrong one, one without openid, one of an application', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, client, registration } = await delegate(testApp, {
    registration: {
      permissions: [
        { kind: 'delegated', resource: 'https://portcullis.test/api/v2', id: 'User.Read' },
        { kind: 'delegated', resource: 'https://portcullis.test/api/v2', id: 'assets_read' },
        { kind: 'application', resource: 'https://portcullis.test/api/v2', id: 'assets_read' },
      ],
    },
  })
  const none = await testApp.ask({ url: path })
  t.equal(none.statusCode, 401)
  t.equal(
    none.headers['www-authenticate'],
    'Bearer realm="portcullis"',
    'no error where nothing was tried (RFC 6750 §3.1)',
  )
  const app = await testApp.post(tokenPath, { ...client, grant_type: 'client_credentials', scope: 'assets_read' })
  const { access_token } = await tokens({ openidScopes: [] })
  const { access_token: good, id_token } = await tokens()
  const cases: [string, Record<string, string>, number, RegExp][] = [
    ['nonsense', bearer('x.y.z'), 401, /error="invalid_token"/],
    ['J5 an ID token', bearer(id_token), 401, /error="invalid_token"/],
    ['without openid', bearer(access_token), 403, /error="insufficient_scope".*scope="openid"/],
    ['of an application', bearer(app.json().access_token), 403, /error="insufficient_scope"/],
    ['another scheme', { authorization: 'Basic eDp5' }, 401, /^Bearer realm="portcullis"$/],
  ]
  for (const [title, headers, status, challenge] of cases) {
    const answer = await testApp.ask({ url: path, headers })
    t.equal(answer.statusCode, status, title)
    t.match(answer.headers['www-authenticate'], challenge, title)
    t.equal(answer.headers['content-type'], 'application/json;charset=UTF-8')
  }
  const inQuery = await testApp.ask({ url: `${path}?access_token=${good}` })
  t.equal(inQuery.statusCode, 400, 'J15 a token in the URL')
  t.match(inQuery.headers['www-authenticate'], /error="invalid_request"/)
  const inBody = await testApp.post(path, { access_token: good })
  t.equal(inBody.statusCode, 401, 'J15 a token in the body is not looked at')
  const put = await testApp.ask({ method: 'PUT', url: path, headers: bearer(good) })
  t.equal(put.statusCode, 405)
  t.equal(put.headers['allow'], 'GET, HEAD, POST, OPTIONS')
  t.type(registration.applicationId, 'string')
})

t.test('C9 S8 revoked, expired, disabled, a grant that ended, a stale view: refused', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const ask = async (token: string) => (await testApp.ask({ url: path, headers: bearer(token) })).statusCode
  const one = await delegation.tokens()
  t.equal(await ask(one.access_token), 200)
  await testApp.post(revokePath, { ...delegation.client, token: one.access_token })
  t.equal(await ask(one.access_token), 401, 'revoked')
  const two = await delegation.tokens()
  await testApp.post(revokePath, { ...delegation.client, token: two.refresh_token })
  t.equal(await ask(two.access_token), 401, 'V3 its refresh token revoked')
  const three = await delegation.tokens()
  testApp.clock.nowMs += 3_600_000 + 61_000
  t.equal(await ask(three.access_token), 401, 'expired')
  const four = await delegation.tokens()
  await testApp.store.transaction((tx) => updateUser(tx, delegation.user.userId, { state: 'disabled' }))
  t.equal(await ask(four.access_token), 401, 'disabled')
})
