// Device codes (RFC 8628): what a client asks, what a person decides on the page, what the client gets; and everything
// that is refused on the way.

import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { listConsents } from '../../../src/directory/consents/consents.js'
import { grantConsent } from '../../../src/directory/permissions/permissions.js'
import { changeTenant, createTenant } from '../../../src/directory/tenants/tenants.js'
import { deviceCodesOff } from '../../../src/identity/device-codes-allowed.js'
import { commandLineClient } from '../../../src/oauth/command-line-client.js'
import { setUserState } from '../../../src/users/accounts/user-state.js'
import { addMembership } from '../../../src/users/memberships/memberships.js'
import { createSession } from '../../../src/users/sessions/sessions.js'
import { createFormBrowser } from '../../support/browser/form-browser.js'
import { makePerson } from '../../support/rooms/delegation.js'
import { baseUrl, ownResource } from '../../support/rooms/directory.js'
import { type IdentityApp, openIdentity, readToken, tokenPath } from '../../support/rooms/identity.js'

const devicePath = '/api/v2/oauth2/v2.0/devicecode'
const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
const minuteMs = 60_000

t.test('the device authorization response (RFC 8628 §3.2)', async (t) => {
  const { post, registration } = await open(t)
  for (const client_id of [registration.applicationId, registration.publicKey]) {
    const answer = await post(devicePath, { client_id, scope: 'User.Read openid offline_access' })
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['cache-control'], 'no-store')
    const body = answer.json()
    t.match(body, {
      device_code: /^pcl_dc_[0-9A-Za-z]{43}$/,
      user_code: /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/,
      verification_uri: `${baseUrl}/device`,
      verification_uri_complete: `${baseUrl}/device?user_code=${body.user_code}`,
      expires_in: 900,
      interval: 5,
    })
  }
})

t.test('S9 K8 neither code is stored or logged as it is', async (t) => {
  const { store, ask, startCode, logged } = await open(t)
  const { device_code, user_code } = await startCode()
  await ask({ url: `/device?user_code=${user_code}` })
  const rows = JSON.stringify(await store.reader.selectFrom('device_codes').selectAll().execute())
  for (const code of [device_code, user_code, user_code.replace('-', '')]) {
    t.notOk(rows.includes(code))
    t.notOk(logged.join('').includes(code))
  }
})

t.test('who may ask for a device code, and for what (RFC 8628 §3.1)', async (t) => {
  const { post, registration, registerDemo, tenantId, writes } = await open(t)
  const { applicationId } = registration
  const cases: [Record<string, string>, number, string][] = [
    [{}, 401, 'invalid_client'],
    [{ client_id: 'nobody' }, 401, 'invalid_client'],
    [{ client_id: applicationId, client_secret: 'x' }, 401, 'invalid_client'],
    [{ client_id: applicationId, scope: 'Nothing.Read' }, 400, 'invalid_scope'],
    [{ client_id: applicationId, scope: 'User.ReadWrite.All' }, 400, 'invalid_scope'],
    [{ client_id: applicationId, scope: 'default User.Read' }, 400, 'invalid_scope'],
    [{ client_id: applicationId, resource: 'https://nowhere.test' }, 400, 'invalid_target'],
    [{ client_id: applicationId, requested_enrollment: 'x' }, 400, 'invalid_request'],
    [{ client_id: applicationId, requested_enrollment: applicationId }, 400, 'unauthorized_client'],
  ]
  for (const [form, status, error] of cases) {
    const answer = await post(devicePath, form)
    t.same([answer.statusCode, answer.json().error], [status, error], JSON.stringify(form))
  }
  const web = await registerDemo({ tenantId, permissions: [userRead], consentBy: undefined })
  const webId = web.registration.applicationId
  t.equal((await post(devicePath, { client_id: webId })).statusCode, 401, 'a web client proves who it is')
  t.equal((await post(devicePath, { client_id: webId, client_secret: web.secret })).statusCode, 200)
  await changeApplication(writes, applicationId, { state: 'disabled' })
  t.equal((await post(devicePath, { client_id: applicationId })).statusCode, 401)
})

t.test('T1 T3 a device code is requested by a form-encoded POST, with nothing secret in the address', async (t) => {
  const { ask, post, registration } = await open(t)
  const form = { client_id: registration.applicationId }
  t.equal((await ask({ url: devicePath })).statusCode, 405)
  t.equal((await post(`${devicePath}?client_secret=x`, form)).statusCode, 400)
  t.equal((await post(devicePath, JSON.stringify(form), { 'content-type': 'application/json' })).statusCode, 415)
})

t.test('a person types the code, signs in and allows; the device gets its tokens once', async (t) => {
  const { clock, poll, startCode, signIn, user, tenantId, registration, store, directory } = await open(t)
  const started = await startCode('User.Read openid profile offline_access')
  t.match(await poll(started), { status: 400, error: 'authorization_pending', number: 70016 })
  const browser = await signIn(user.userId)
  await browser.open('/device')
  const typed = ` ${started.user_code.toLowerCase().replace('-', ' ')}.`
  const page = await browser.submit({ user_code: typed })
  t.equal(page.status, 200)
  t.equal(page.title, 'Allow this device?')
  for (const part of [
    'Desk',
    'Only if you started this yourself',
    '127.0.0.1',
    user.email,
    'Contoso',
    'Allows User.Read.',
  ]) {
    t.ok(page.body.includes(part), part)
  }
  clock.nowMs += 6000
  t.match(await poll(started), { error: 'authorization_pending' }, 'looking at it allows nothing')
  t.equal((await browser.submit({}, { form: 'decision-form', button: 'allow' })).title, 'Device connected')
  clock.nowMs += 6000
  const { status, body } = await poll(started)
  t.equal(status, 200)
  t.match(body, { token_type: 'Bearer', expires_in: 3599, refresh_token: /^pcl_rt_/ })
  const { claims } = readToken(body['access_token'])
  t.match(claims, {
    ...{ sub: user.userId, tid: tenantId, idtyp: 'user', aud: ownResource, client_id: registration.applicationId },
    ...{ scope: 'User.Read openid profile', acr: '1', amr: ['pwd'] },
  })
  t.match(readToken(body['id_token']).claims, { sub: user.userId, aud: registration.applicationId })
  clock.nowMs += 6000
  t.match(await poll(started), { status: 400, error: 'invalid_grant', number: 54005 }, 'once')
  const consents = await listConsents(store.reader, { userId: user.userId })
  t.same(consents.map(({ id }) => id).sort(), ['User.Read', 'offline_access', 'openid', 'profile'])
  t.ok(await directory.findInstallation(registration.applicationId, tenantId))
  const events = JSON.stringify(await store.reader.selectFrom('ledger').selectAll().execute())
  t.ok(events.includes('device.approved'), 'X6 it is in the ledger')
  t.notOk(events.includes(started.user_code))
})

t.test('T8 of 50 parallel requests with an allowed code exactly one gets tokens', async (t) => {
  const { clock, poll, startCode, allow } = await open(t)
  const started = await startCode()
  await allow(started)
  clock.nowMs += 6000
  const answers = await Promise.all(Array.from({ length: 50 }, () => poll(started)))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  const errors = new Set(answers.filter(({ status }) => status !== 200).map(({ error }) => error))
  errors.delete('invalid_grant')
  errors.delete('slow_down')
  t.same([...errors], [])
})

t.test('a client that asks too fast must slow down, by five seconds more each time (RFC 8628 §3.5)', async (t) => {
  const { clock, poll, startCode, store } = await open(t)
  const started = await startCode()
  const interval = async () =>
    Number(
      (await store.reader.selectFrom('device_codes').select('interval_seconds').executeTakeFirstOrThrow())
        .interval_seconds,
    )
  t.match(await poll(started), { error: 'authorization_pending' })
  clock.nowMs += 4500
  t.match(await poll(started), { error: 'authorization_pending' }, 'a network may shorten the pause a little')
  clock.nowMs += 2000
  t.match(await poll(started), { error: 'slow_down', number: 70037 })
  t.equal(await interval(), 10)
  clock.nowMs += 6000
  t.match(await poll(started), { error: 'slow_down' }, 'the old pace is too fast now')
  t.equal(await interval(), 15)
  clock.nowMs += 15_000
  t.match(await poll(started), { error: 'authorization_pending' })
})

t.test('a person denies: the device learns it, and nothing is allowed', async (t) => {
  const { poll, startCode, signIn, user, store } = await open(t)
  const started = await startCode()
  const browser = await signIn(user.userId)
  await browser.open(`/device?user_code=${started.user_code}`)
  t.equal(browser.page.title, 'Connect a device', 'a link fills the code in, and a person goes on')
  t.ok(browser.page.body.includes(`value="${started.user_code}"`))
  await browser.submit()
  t.equal((await browser.submit({}, { form: 'decision-form', button: 'deny' })).title, 'Device denied')
  t.match(await poll(started), { status: 400, error: 'access_denied', number: 65004 })
  t.same(await store.reader.selectFrom('grants').selectAll().execute(), [])
  t.same(await listConsents(store.reader, { userId: user.userId }), [])
})

t.test('gateway H6: a person who has too many grants allows no device, and learns what to end', async (t) => {
  const { deps, poll, startCode, signIn, user, store } = await open(t)
  Object.assign(deps.settings, { quotas: { ...deps.settings.quotas, grants: 0 } })
  const started = await startCode()
  const browser = await signIn(user.userId)
  await browser.open('/device')
  await browser.submit({ user_code: started.user_code })
  const full = await browser.submit({}, { form: 'decision-form', button: 'allow' })
  t.equal(full.status, 409)
  t.match(full.body, '/account/apps')
  t.match(await poll(started), { error: 'authorization_pending' }, 'nothing is decided')
  t.same(await store.reader.selectFrom('grants').selectAll().execute(), [])
})

t.test('a code expires for the device and for the person', async (t) => {
  const { clock, poll, startCode, signIn, allow, user } = await open(t)
  const [waiting, allowed] = [await startCode(), await startCode()]
  await allow(allowed)
  const browser = await signIn(user.userId)
  await browser.open(`/device?user_code=${waiting.user_code}`)
  await browser.submit()
  clock.nowMs += 15 * minuteMs
  t.equal((await browser.submit({}, { form: 'decision-form', button: 'allow' })).status, 400)
  t.equal(browser.page.title, 'This code has expired')
  for (const started of [waiting, allowed]) {
    t.match(await poll(started), { status: 400, error: 'expired_token', number: 70019 })
  }
  await browser.open(`/device?user_code=${waiting.user_code}`)
  t.equal((await browser.submit()).status, 400)
  t.match(browser.page.body, /No device waits with this code/)
})

t.test('T10 a device code is its client’s', async (t) => {
  const { poll, startCode, allow, registerDemo, tenantId, post } = await open(t)
  const other = await registerDemo({ tenantId, type: 'native', permissions: [userRead], consentBy: undefined })
  const started = await startCode()
  await allow(started)
  const stolen = {
    grant_type: grantType,
    client_id: other.registration.applicationId,
    device_code: started.device_code,
  }
  t.match((await post(tokenPath, stolen)).json(), { error: 'invalid_grant' })
  t.match((await post(tokenPath, { ...stolen, device_code: 'pcl_dc_x' })).json(), { error: 'invalid_grant' })
  t.match((await post(tokenPath, { grant_type: grantType, client_id: other.registration.applicationId })).json(), {
    error: 'invalid_request',
  })
  t.equal((await poll(started)).status, 200, 'and it is not burnt by somebody else')
})

t.test('a person who is not signed in signs in first, in the same request', async (t) => {
  const { startCode, browse } = await open(t)
  const started = await startCode()
  const browser = browse()
  await browser.open('/device')
  const page = await browser.submit({ user_code: started.user_code })
  t.match(page.url, /^\/sign-in\?request=pcl_rq_/)
})

t.test('C2 C3 only the form that this browser was shown decides, and only a POST', async (t) => {
  const { startCode, signIn, user, ask, tenantId, deps, poll } = await open(t)
  const started = await startCode()
  const browser = await signIn(user.userId)
  await browser.open('/device')
  await browser.submit({ user_code: started.user_code })
  const { url } = browser.page
  await browser.open(`${url}&decision=allow`)
  t.equal(browser.page.title, 'Allow this device?', 'an address decides nothing')
  const forged = await browser.submit({ form_token: 'x' }, { form: 'decision-form', button: 'allow' })
  t.equal(forged.status, 403)
  await browser.open(url)
  const token = /name="form_token" value="([^"]+)"/.exec(browser.page.body)?.[1] ?? ''
  const other = await signIn((await makePerson(deps, tenantId)).userId)
  t.equal((await other.open(url)).status, 400, 'R17 another browser does not see it')
  const cookie = [...other.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const stolen = await ask({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
    payload: new URLSearchParams({ form_token: token, decision: 'allow' }).toString(),
  })
  t.equal(stolen.statusCode, 400)
  const otherTenant = await ask({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://evil.test',
      cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
    payload: new URLSearchParams({ form_token: token, decision: 'allow' }).toString(),
  })
  t.equal(otherTenant.statusCode, 403)
  t.match(await poll(started), { error: 'authorization_pending' })
})

t.test('a code is decided once: the second tab says so', async (t) => {
  const { startCode, signIn, user, store } = await open(t)
  const started = await startCode()
  const [one, two] = [await signIn(user.userId), await signIn(user.userId)]
  for (const browser of [one, two]) {
    await browser.open('/device')
    await browser.submit({ user_code: started.user_code })
    t.equal(browser.page.title, 'Allow this device?')
  }
  const answers = await Promise.all(
    [one, two].map((browser) => browser.submit({}, { form: 'decision-form', button: 'allow' })),
  )
  t.same(answers.map(({ status }) => status).sort(), [200, 400])
  t.equal((await store.reader.selectFrom('grants').selectAll().execute()).length, 1)
})

t.test('U7 user codes cannot be guessed: browser, address and all together are counted', async (t) => {
  const { startCode, signIn, user, browse } = await open(t)
  const started = await startCode()
  const browser = await signIn(user.userId)
  for (let tries = 0; tries < 10; tries += 1) {
    await browser.open('/device')
    t.equal((await browser.submit({ user_code: 'BBBB-BBBB' })).status, 400)
  }
  await browser.open('/device')
  t.equal((await browser.submit({ user_code: started.user_code })).status, 429, 'the right one too')
  t.match(Number(browser.page.headers['retry-after']), Number)
  for (let tries = 0; tries < 30; tries += 1) {
    const fresh = browse()
    await fresh.open('/device')
    await fresh.submit({ user_code: 'AEIOU' })
  }
  const another = browse()
  await another.open('/device')
  t.equal((await another.submit({ user_code: started.user_code })).status, 429, 'without cookies it is the address')
})

t.test('the role in the tenant is the ceiling, and what needs an administrator is left to one', async (t) => {
  const { startCode, signIn, user, poll, writes, registration, tenantId, store, clock } = await open(t)
  const started = await startCode('User.Read.All')
  const browser = await signIn(user.userId)
  await browser.open('/device')
  await browser.submit({ user_code: started.user_code })
  t.ok(browser.page.body.includes('administrator-needed'))
  t.match(browser.page.body, /adminconsent\?client_id=/)
  t.notOk(browser.page.body.includes('id="allow"'))
  t.equal((await browser.submit({ decision: 'allow' }, { form: 'decision-form' })).status, 403, 'C7 a forged yes')
  t.match(await poll(started), { error: 'authorization_pending' })
  await grantConsent(writes, registration.applicationId, { tenantId, permissions: 'all', by: 'test' })
  t.notOk('verification_uri_complete' in started, 'identity M2: nobody fills in what administrators allow')
  const sessions = (changes: { acr: string; authenticated_at?: number }) =>
    store.transaction((tx) => tx.updateTable('sessions').set(changes).execute())
  const type = async (at = '/device') => {
    await browser.open(at)
    return browser.submit({ user_code: started.user_code })
  }
  t.equal((await type()).title, 'Sign in with two factors first', 'identity M2: a password is not enough')
  await sessions({ acr: '2', authenticated_at: clock.nowMs - 11 * minuteMs })
  t.equal((await type()).title, 'Sign in with two factors first', 'identity M2: nor is an old sign-in')
  await sessions({ acr: '2', authenticated_at: clock.nowMs })
  t.equal((await type(`/device?user_code=${started.user_code}`)).title, 'Type the code yourself')
  await type()
  t.equal((await browser.submit({}, { form: 'decision-form', button: 'allow' })).title, 'Device connected')
})

t.test('a person in several tenants chooses one; a request for one tenant asks nobody', async (t) => {
  const { startCode, signIn, user, writes, deps, tenantId, poll, clock } = await open(t, { audience: 'any' })
  const other = await createTenant(writes, { name: 'Fabrikam' })
  await changeTenant(writes, other.tenantId, { userConsent: 'allowed' })
  await addMembership(deps.users, { userId: user.userId, tenantId: other.tenantId, role: 'member' })
  const started = await startCode()
  const browser = await signIn(user.userId)
  await browser.open('/device')
  await browser.submit({ user_code: started.user_code })
  t.equal(browser.page.title, 'Choose an organisation')
  t.equal((await browser.submit({ tenant: started.device_code })).title, 'Choose an organisation')
  await browser.submit({}, { button: `tenant-${other.tenantId}` })
  t.ok(browser.page.body.includes('Fabrikam'))
  await browser.submit({}, { form: 'decision-form', button: 'allow' })
  clock.nowMs += 6000
  t.equal(readToken((await poll(started)).body['access_token']).claims['tid'], other.tenantId)

  const named = await startCode('User.Read', { requested_enrollment: tenantId })
  await browser.open('/device')
  t.equal((await browser.submit({ user_code: named.user_code })).title, 'Allow this device?')
})

t.test(
  'a tenant that takes other ways to sign in allows no device, by a form that was shown before either',
  async (t) => {
    const { startCode, signIn, user, writes, tenantId, poll, clock } = await open(t)
    const started = await startCode()
    const browser = await signIn(user.userId)
    await browser.open('/device')
    t.equal((await browser.submit({ user_code: started.user_code })).title, 'Allow this device?')
    await changeTenant(writes, tenantId, { ownSignIn: 'owners', signInProviders: ['corp'] })
    t.equal((await browser.submit({}, { form: 'decision-form', button: 'allow' })).title, 'Sign in another way')
    clock.nowMs += 6000
    t.match(await poll(started), { error: 'authorization_pending' }, 'nothing was allowed')
  },
)

t.test('S8 a person who was disabled meanwhile gets no tokens for a device', async (t) => {
  const { startCode, allow, user, deps, poll } = await open(t)
  const started = await startCode()
  await allow(started)
  await setUserState(deps.users, user.userId, 'disabled')
  t.match(await poll(started), { status: 400, error: 'invalid_grant' })
})

const userRead = { kind: 'delegated' as const, resource: ownResource, id: 'User.Read' }

async function open(t: Parameters<typeof openIdentity>[0], more: { audience?: 'any' } = {}) {
  const testApp = await openIdentity(t)
  const { registration, tenantId } = await testApp.registerDemo({
    ...{ name: 'Desk', type: 'native', consentBy: undefined, ...more },
    permissions: [userRead, { ...userRead, id: 'User.Read.All' }],
  })
  const user = await makePerson(testApp.deps, tenantId)
  const client_id = registration.applicationId
  const startCode = async (scope = 'User.Read', fields: Record<string, string> = {}) => {
    const answer = await testApp.post(devicePath, { client_id, scope, ...fields })
    if (answer.statusCode !== 200) throw new Error(answer.body)
    return answer.json() as { device_code: string; user_code: string }
  }
  const poll = async ({ device_code }: { device_code: string }) => {
    const answer = await testApp.post(tokenPath, { grant_type: grantType, client_id, device_code })
    const body = answer.json() as Record<string, unknown>
    const [number] = (body['error_codes'] as number[] | undefined) ?? []
    return { status: answer.statusCode, error: body['error'], number, body }
  }
  const browse = () => browserOf(testApp)
  const signIn = async (userId: string) => {
    const browser = browse()
    const details = { userId, acr: '1', amr: ['pwd'], userAgent: 'test', address: '127.0.0.1' }
    const { cookie } = await createSession(testApp.deps.users, details)
    browser.cookies.set('__Host-portcullis-session', cookie)
    return browser
  }
  const allow = async ({ user_code }: { user_code: string }) => {
    const browser = await signIn(user.userId)
    await browser.open('/device')
    await browser.submit({ user_code })
    await browser.submit({}, { form: 'decision-form', button: 'allow' })
  }
  return { ...testApp, registration, tenantId, user, startCode, poll, browse, signIn, allow }
}

function browserOf(testApp: IdentityApp) {
  return createFormBrowser(baseUrl, async ({ method, url, headers, payload }) => {
    const answer = await testApp.ask({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    return { status: answer.statusCode, headers: answer.headers as Record<string, string>, body: answer.body }
  })
}

t.test(
  'identity M2: device codes can be switched off for server, tenant and application when one is requested',
  async (t) => {
    const { post, registration, deps, writes, tenantId } = await open(t)
    const ask = () => post(devicePath, { client_id: registration.applicationId, scope: 'User.Read' })
    const signIn = deps.settings.signIn as { deviceCodes: string }
    for (const value of ['off', 'applications']) {
      signIn.deviceCodes = value
      t.match((await ask()).json(), value === 'off' ? { error: 'unauthorized_client' } : { user_code: /./ })
    }
    const commandLine = { applicationId: commandLineClient.applicationId, deviceCodes: 'allowed' } as const
    t.match(deviceCodesOff(deps, commandLine, undefined), /command line/, 'its identifier is known to everybody')
    signIn.deviceCodes = 'all'
    t.equal(deviceCodesOff(deps, commandLine, undefined), undefined)
    signIn.deviceCodes = 'applications'
    await changeApplication(writes, registration.applicationId, { deviceCodes: 'off' })
    t.match((await ask()).json(), { error: 'unauthorized_client' })
    await changeApplication(writes, registration.applicationId, { deviceCodes: 'allowed' })
    await changeTenant(writes, tenantId, { deviceCodes: 'off' })
    const named = { client_id: registration.applicationId, scope: 'User.Read', requested_enrollment: tenantId }
    t.match((await post(devicePath, named)).json(), { error: 'unauthorized_client' })
  },
)

t.test('identity M2: what is switched off after a device code was given ends it at every later step', async (t) => {
  const testApp = await open(t)
  const { registration, deps, writes, tenantId, user, clock, startCode, poll, signIn, allow } = testApp
  const signInSettings = deps.settings.signIn as { deviceCodes: string }
  const switches: [string, (allowed: boolean) => Promise<unknown>][] = [
    ['server', async (allowed) => (signInSettings.deviceCodes = allowed ? 'applications' : 'off')],
    [
      'application',
      (allowed) => changeApplication(writes, registration.applicationId, { deviceCodes: allowed ? 'allowed' : 'off' }),
    ],
    ['tenant', (allowed) => changeTenant(writes, tenantId, { deviceCodes: allowed ? 'allowed' : 'off' })],
  ]
  for (const [name, set] of switches) {
    const approved = await startCode()
    await allow(approved)
    await set(false)
    t.match(await poll(approved), { status: 400, error: 'unauthorized_client' }, `${name}: between approval and tokens`)
    await set(true)
    clock.nowMs += 6000
    t.equal((await poll(approved)).status, 200, `${name}: and on again, the answer still counts`)

    const started = await startCode()
    await set(false)
    const browser = await signIn(user.userId)
    await browser.open('/device')
    const typed = await browser.submit({ user_code: started.user_code })
    t.not(typed.title, 'Allow this device?', `${name}: between request and page`)
    const pending = await poll(started)
    const error = name === 'tenant' ? 'authorization_pending' : 'unauthorized_client'
    t.match(pending, { status: 400, error }, `${name}: while nobody has decided, the tenant is not known`)
    await set(true)

    const shown = await startCode()
    const deciding = await signIn(user.userId)
    await deciding.open('/device')
    t.equal((await deciding.submit({ user_code: shown.user_code })).title, 'Allow this device?', name)
    await set(false)
    const refused = await deciding.submit({}, { form: 'decision-form', button: 'allow' })
    t.ok(refused.status >= 400, `${name}: between page and approval, ${refused.status}`)
    await set(true)
    t.match(await poll(shown), { error: 'authorization_pending' }, `${name}: nobody approved it`)
  }
})
