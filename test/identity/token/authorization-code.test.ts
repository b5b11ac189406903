// grant_type=authorization_code (RFC 6749 §4.1.3, RFC 7636, contract §3).

import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { changeTenant } from '../../../src/directory/tenants/tenants.js'
import { hashOpaqueToken } from '../../../src/oauth/secrets/opaque-token.js'
import { deleteUserConsents } from '../../../src/storage/sql/consents/user-consents.js'
import { readGrant } from '../../../src/storage/sql/grants/grants.js'
import { updateUser } from '../../../src/storage/sql/people/users.js'
import { type Delegation, delegate, type MadeCode, pkcePair, redemption } from '../../support/rooms/delegation.js'
import { otherResource, ownResource, withdrawConsent } from '../../support/rooms/directory.js'
import {
  type IdentityApp,
  introspectPath,
  openIdentity,
  readToken,
  tokenPath,
  unknownGuid,
} from '../../support/rooms/identity.js'

/** Redeems; `more` replaces fields, an empty one counts as absent. */
async function redeem(testApp: IdentityApp, made: MadeCode, client: Record<string, string>, more = {}) {
  const answer = await testApp.post(tokenPath, { ...redemption(made, client), ...more })
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}

t.test('a web client redeems a code for tokens of the user (RFC 6749 §4.1.4)', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client, registration, user, tenantId, keyId } = await delegate(testApp)
  const { status, body, headers } = await redeem(testApp, await code({ nonce: 'n-1' }), client)
  t.equal(status, 200)
  t.equal(headers['cache-control'], 'no-store', 'T5')
  t.same(Object.keys(body).sort(), ['access_token', 'expires_in', 'id_token', 'refresh_token', 'scope', 'token_type'])
  t.equal(body.scope, 'User.Read assets_read openid profile email offline_access')
  t.equal(body.expires_in, 3599)
  t.match(body.refresh_token, /^pcl_rt_[0-9A-Za-z]{95}$/)
  const { header, claims } = readToken(body.access_token)
  t.match(header, { typ: 'at+jwt', alg: 'ES256' })
  t.match(claims, {
    iss: 'https://portcullis.test',
    aud: ownResource,
    sub: user.userId,
    client_id: registration.applicationId,
    tid: tenantId,
    idtyp: 'user',
    scope: 'User.Read assets_read openid profile email',
    cid: keyId,
    acr: '1',
    amr: ['pwd'],
    auth_time: Math.floor(testApp.now() / 1000) - 10,
  })
  t.equal(claims['roles'], undefined)
  t.type(claims['gid'], 'string')
  const log = testApp.logged.join('')
  t.match(log, user.userId, 'the log says whom it was for')
  t.notMatch(log, /pcl_(ac|rt)_|eyJ/, 'X5 and nothing that could be used')
})

t.test(
  'a native client redeems with PKCE and without a secret; without words of OpenID Connect it gets neither token',
  async (t) => {
    const testApp = await openIdentity(t)
    const { code, client, registration } = await delegate(testApp, { registration: { type: 'native' } })
    t.same(Object.keys(client), ['client_id'])
    const { status, body } = await redeem(testApp, await code({ openidScopes: [] }), {
      client_id: registration.publicKey,
    })
    t.equal(status, 200)
    t.same(Object.keys(body).sort(), ['access_token', 'expires_in', 'scope', 'token_type'])
    t.match(readToken(body.access_token).claims, { cid: 'none', scope: 'User.Read assets_read' })
  },
)

t.test(
  'HTTP Basic and the alias of the endpoint do as well, and a web client without a challenge needs no verifier',
  async (t) => {
    const testApp = await openIdentity(t)
    const { code, registration, secret } = await delegate(testApp)
    const made = await code({ codeChallenge: undefined })
    const form = { grant_type: 'authorization_code', code: made.code, redirect_uri: made.redirectUri }
    const authorization = `Basic ${Buffer.from(`${registration.publicKey}:${secret}`).toString('base64')}`
    const answer = await testApp.post('/API/v2/OAuth/token', form, { authorization })
    t.equal(answer.statusCode, 200, answer.body)
    t.equal(
      readToken(answer.json().id_token).claims['aud'],
      registration.publicKey,
      'aud is the identifier as presented',
    )
  },
)

t.test('T8 R14 of 50 parallel redemptions one gets 200, and what it got is revoked by the others', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const made = await delegation.code()
  const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(testApp, made, delegation.client)))
  const won = answers.filter(({ status }) => status === 200)
  t.equal(won.length, 1)
  for (const { status, body } of answers) {
    if (status !== 200) t.match({ status, ...body }, { status: 400, error: 'invalid_grant' })
  }
  const tokens = won[0]?.body as { access_token: string; refresh_token: string }
  const active = await testApp.post(introspectPath, { ...delegation.client, token: tokens.access_token })
  t.same(active.json(), { active: false }, 'the access token')
  t.match((await delegation.refresh(tokens.refresh_token)).body, { error_codes: [50173] }, 'the refresh token')
})

t.test(
  'T8 a code that comes again later: invalid_grant (54005), everything of it is revoked, a line in the ledger',
  async (t) => {
    const events: string[] = []
    const testApp = await openIdentity(t, {
      replace: (deps) => ({ writes: { ...deps.writes, ledger: ledger(events) } }),
    })
    const delegation = await delegate(testApp)
    const made = await delegation.code()
    const first = await redeem(testApp, made, delegation.client)
    const other = await delegation.tokens()
    const again = await redeem(testApp, made, delegation.client)
    t.match(again, { status: 400, body: { error: 'invalid_grant', error_codes: [54005] } })
    t.same(events, ['grant.ended', 'grant.reuse-detected'])
    t.equal((await redeem(testApp, made, delegation.client)).body.error_codes[0], 54005, 'and again')
    t.same(events, ['grant.ended', 'grant.reuse-detected'], 'recorded once')
    const introspect = async (token: string) =>
      (await testApp.post(introspectPath, { ...delegation.client, token })).json().active
    t.equal(await introspect(first.body.access_token), false)
    t.equal(await introspect(other.access_token), true, 'another grant of the same person and application lives')
    t.equal((await delegation.refresh(other.refresh_token)).status, 200)
    testApp.clock.nowMs += 120_000
    t.equal(
      (await redeem(testApp, made, delegation.client)).body.error_codes[0],
      54005,
      'used before counts more than expired',
    )
  },
)

t.test('T9 a code lives for a minute', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client } = await delegate(testApp)
  const [made, late] = [await code(), await code()]
  testApp.clock.nowMs += 59_999
  t.equal((await redeem(testApp, made, client)).status, 200)
  testApp.clock.nowMs += 1
  t.match(await redeem(testApp, late, client), { status: 400, body: { error: 'invalid_grant', error_codes: [70008] } })
})

t.test("T10 another client's code is refused like an unknown one, and stays good for its own client", async (t) => {
  const testApp = await openIdentity(t)
  const [one, other] = [await delegate(testApp), await delegate(testApp)]
  const made = await one.code()
  const stolen = await redeem(testApp, made, other.client)
  const unknown = await redeem(testApp, { ...made, code: `pcl_ac_${'x'.repeat(43)}` }, other.client)
  t.match(stolen, { status: 400, body: { error: 'invalid_grant', error_codes: [70000] } })
  t.equal(stolen.body.error_description, unknown.body.error_description)
  t.equal(
    (await redeem(testApp, made, { ...one.client, client_secret: other.secret })).status,
    401,
    'nor without its secret',
  )
  t.equal((await redeem(testApp, made, one.client)).status, 200)
})

t.test('T11 redirect_uri must be there, and equal (50011)', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client } = await delegate(testApp)
  const made = await code()
  for (const redirect_uri of ['', 'https://app.test/callback/', 'https://app.test/CALLBACK', 'https://evil.test/']) {
    const { status, body } = await redeem(testApp, made, client, { redirect_uri })
    t.match({ status, ...body }, { status: 400, error: 'invalid_grant', error_codes: [50011] }, redirect_uri)
  }
  t.equal((await redeem(testApp, made, client)).status, 200, 'and none of it burnt the code')
})

t.test('T12 R11 the verifier: wrong, missing, sent without a challenge', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client, registration } = await delegate(testApp)
  const made = await code()
  const wrong = { status: 400, body: { error: 'invalid_grant', error_codes: [501481] } }
  t.match(await redeem(testApp, made, client, { code_verifier: pkcePair().verifier }), wrong, 'of another request')
  t.match(await redeem(testApp, made, client, { code_verifier: '' }), wrong, 'missing')
  const without = await code({ codeChallenge: undefined })
  t.match(await redeem(testApp, without, client), wrong, 'a verifier without a challenge')
  await changeApplication(testApp.writes, registration.applicationId, { requirePkce: true })
  t.match(await redeem(testApp, without, client, { code_verifier: '' }), wrong, 'switched to required in between')
  t.equal((await redeem(testApp, made, client)).status, 200, 'and none of it burnt the code')
})

t.test('T13 a verifier has 43 to 128 unreserved characters', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client } = await delegate(testApp)
  const made = await code()
  for (const code_verifier of ['a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)}+`, `${'a'.repeat(42)}é`]) {
    const { status, body } = await redeem(testApp, made, client, { code_verifier })
    t.match({ status, ...body }, { status: 400, error: 'invalid_request' }, code_verifier.slice(40))
  }
})

t.test('T2 T3 a code in the URL, a code twice, no code', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client } = await delegate(testApp)
  const made = await code()
  const form = new URLSearchParams(redemption(made, client)).toString()
  for (const [url, body] of [
    [`${tokenPath}?code=${made.code}`, form],
    [`${tokenPath}?code_verifier=${made.verifier}`, form],
    [tokenPath, `${form}&code=${made.code}`],
    [tokenPath, form.replace(/code=[^&]*/, 'code=')],
  ] as const) {
    const answer = await testApp.post(url, body)
    t.match(
      { status: answer.statusCode, ...answer.json() },
      { status: 400, error: 'invalid_request' },
      url.slice(0, 40),
    )
  }
  t.equal((await redeem(testApp, made, client)).status, 200)
})

t.test('scope at redemption narrows the access token, and may not exceed the grant (RFC 6749 §3.3)', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client, refresh } = await delegate(testApp)
  const made = await code()
  for (const scope of ['User.Read.All', 'User.Read assets_create', `${otherResource}/User.Read`, 'nonsense']) {
    const { status, body } = await redeem(testApp, made, client, { scope })
    t.match({ status, ...body }, { status: 400, error: 'invalid_scope', error_codes: [70011] }, scope)
  }
  t.match(await redeem(testApp, made, client, { resource: otherResource }), { body: { error: 'invalid_target' } })
  const narrowed = await redeem(testApp, made, client, {
    scope: 'assets_read openid offline_access',
    resource: ownResource,
  })
  t.equal(narrowed.body.scope, 'assets_read openid offline_access')
  t.equal(readToken(narrowed.body.access_token).claims['scope'], 'assets_read openid')
  const whole = await refresh(narrowed.body.refresh_token)
  t.equal(whole.body.scope, 'User.Read assets_read openid profile email offline_access', 'the grant stays whole')
  const byDefault = await redeem(testApp, await code(), client, { scope: `${ownResource}/.default openid` })
  t.equal(
    byDefault.body.scope,
    `${ownResource}/.default User.Read assets_read openid`,
    'echoed first, as it was written',
  )
})

t.test('words of OpenID Connect alone give a token for userinfo only, for no resource', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client } = await delegate(testApp)
  const { body } = await redeem(testApp, await code({ permissions: [], openidScopes: ['openid', 'email'] }), client)
  t.match(readToken(body.access_token).claims, {
    aud: 'https://portcullis.test/api/v2/oauth2/v2.0/userinfo',
    scope: 'openid email',
  })
  t.equal(body.refresh_token, undefined)
})

t.test('S8 U7 a code is worth nothing when the person or the application lost what it rests on', async (t) => {
  const testApp = await openIdentity(t)
  const cases: [string, (one: Delegation) => Promise<unknown>][] = [
    [
      'the person is disabled',
      ({ user }) => testApp.store.transaction((tx) => updateUser(tx, user.userId, { state: 'disabled' })),
    ],
    [
      'the person left the tenant',
      ({ user }) =>
        testApp.store.transaction((tx) => tx.deleteFrom('memberships').where('user_id', '=', user.userId).execute()),
    ],
    ['the tenant is disabled', ({ tenantId }) => changeTenant(testApp.writes, tenantId, { state: 'disabled' })],
    [
      'the consent is gone',
      ({ registration, tenantId }) =>
        testApp.store.transaction((tx) =>
          deleteUserConsents(tx, { application_id: registration.applicationId, tenant_id: tenantId }),
        ),
    ],
  ]
  for (const [title, lose] of cases) {
    const registration = { consentBy: undefined }
    const delegation = await delegate(testApp, { permissions: ['User.Read'], registration })
    const made = await delegation.code()
    await lose(delegation)
    const { status, body } = await redeem(testApp, made, delegation.client)
    t.match({ status, ...body }, { status: 400, error: 'invalid_grant' }, title)
  }
  const disabled = await delegate(testApp)
  const made = await disabled.code()
  await changeApplication(testApp.writes, disabled.registration.applicationId, { state: 'disabled' })
  t.equal((await redeem(testApp, made, disabled.client)).status, 401, 'the application is disabled')
})

t.test('a permission that needs an administrator holds by their consent, and by nobody else’s', async (t) => {
  const testApp = await openIdentity(t)
  const permissions = ['User.Read', 'assets_read']
  const delegation = await delegate(testApp, { permissions, registration: { consentBy: undefined } })
  const { body } = await redeem(testApp, await delegation.code(), delegation.client)
  t.equal(body.scope, 'User.Read openid profile email offline_access', 'assets_read needs an administrator')
  const consented = await delegate(testApp, { permissions })
  const made = await consented.code()
  await withdrawConsent(testApp.writes, consented.registration.applicationId, { permissions: 'all' })
  const left = await redeem(testApp, made, consented.client)
  t.equal(left.body.scope, 'User.Read openid profile email offline_access', 'the person’s own consent stands')
})

t.test('C6 the role of the person is a ceiling at redemption too', async (t) => {
  const testApp = await openIdentity(t)
  const catalogue = { ...testApp.catalogue }
  catalogue.find = (kind, resource, id) => {
    const found = testApp.catalogue.find(kind, resource, id)
    return found?.id === 'assets_read' ? { ...found, role: 'administrator' } : found
  }
  testApp.deps.settings.catalogue = catalogue
  const [member, administrator] = [await delegate(testApp), await delegate(testApp, { role: 'administrator' })]
  t.notMatch((await redeem(testApp, await member.code(), member.client)).body.scope, /assets_read/)
  t.match((await redeem(testApp, await administrator.code(), administrator.client)).body.scope, /assets_read/)
})

t.test('a code is for its tenant: a request that names another one is refused, and the code stays good', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client, tenantId } = await delegate(testApp)
  const form = redemption(await code(), client)
  const elsewhere = await testApp.post(tokenPath, { ...form, requested_enrollment: unknownGuid() })
  t.match(elsewhere.json(), { error: 'invalid_grant' })
  t.match((await testApp.post(tokenPath, { ...form, tenant: 'x' })).json(), { error: 'invalid_request' })
  t.equal((await testApp.post(tokenPath, { ...form, requested_enrollment: tenantId })).statusCode, 200)
})

t.test('a tenant that the application is not installed in', async (t) => {
  const testApp = await openIdentity(t)
  const [one, other] = [await delegate(testApp), await delegate(testApp)]
  const made = await one.code({ tenantId: other.tenantId, userId: other.user.userId })
  t.match(await redeem(testApp, made, one.client), {
    status: 400,
    body: { error: 'invalid_grant', error_codes: [50057] },
  })
})

t.test('R14 S9 the Store has hashes only, and the hash stays when the code was redeemed', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const made = await delegation.code()
  const { body } = await redeem(testApp, made, delegation.client)
  const rows = await testApp.store.reader.selectFrom('authorization_codes').selectAll().execute()
  t.match(rows, [{ hash: hashOpaqueToken(made.code) }])
  t.equal(
    await testApp.store.reader
      .selectFrom('refresh_tokens')
      .select('hash')
      .executeTakeFirst()
      .then((row) => row?.hash),
    hashOpaqueToken(body.refresh_token),
  )
  const grant = await readGrant(testApp.store.reader, rows[0]?.grant_id ?? '')
  for (const secret of [made.code, made.verifier, body.refresh_token, body.access_token]) {
    t.notOk(JSON.stringify([rows, grant]).includes(secret))
  }
})

t.test('a stale view and a Store that is away: 503, and the code is as it was', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client } = await delegate(testApp)
  const made = await code()
  const health = testApp.deps.health as { storeUp: boolean }
  health.storeUp = false
  t.match(await redeem(testApp, made, client), { status: 503, body: { error: 'temporarily_unavailable' } })
  health.storeUp = true
  t.equal((await redeem(testApp, made, client)).status, 200)
})

t.test('a limit by user counts redemptions and refreshes of one person, and of nobody else', async (t) => {
  const policy = {
    name: 'person',
    by: ['user'] as const,
    algorithm: { kind: 'quota', limit: 2, periodMs: 60_000 } as const,
  }
  const testApp = await openIdentity(t, { limits: { person: policy } })
  const [one, other] = [await delegate(testApp), await delegate(testApp)]
  const first = await one.tokens()
  t.equal((await one.refresh(first.refresh_token)).status, 200)
  const refused = await redeem(testApp, await one.code(), one.client)
  t.match({ status: refused.status, ...refused.body }, { status: 429, error: 'temporarily_unavailable' })
  t.ok(Number(refused.headers['retry-after']) > 0)
  t.equal((await redeem(testApp, await other.code(), other.client)).status, 200)
})

function ledger(events: string[]) {
  return { append: async (_tx: unknown, { event }: { event: string }) => void events.push(event) }
}
