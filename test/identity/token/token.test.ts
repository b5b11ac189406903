// POST to the token endpoint with client_credentials: who gets a token, what it says, and every refusal of contract §3.

import { crc32 } from 'node:zlib'
import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { addSecret } from '../../../src/directory/credentials/secrets.js'
import { configurePermissions, grantConsent } from '../../../src/directory/permissions/permissions.js'
import { changeTenant, createTenant } from '../../../src/directory/tenants/tenants.js'
import { encodeBase62 } from '../../../src/oauth/secrets/base62.js'
import { parseClientSecret } from '../../../src/oauth/secrets/client-secret.js'
import { revoke } from '../../../src/revocation/revoke.js'
import { baseUrl, otherResource, ownResource, withdrawConsent } from '../../support/rooms/directory.js'
import {
  type IdentityApp,
  openIdentity,
  readToken,
  tokenPath,
  unknownGuid,
  withoutIds,
} from '../../support/rooms/identity.js'

const form = (more: Record<string, string>) => ({ grant_type: 'client_credentials', scope: 'default', ...more })

async function demo(testApp: IdentityApp, more: Parameters<IdentityApp['registerDemo']>[0] = {}) {
  const { registration, secret, keyId, tenantId } = await testApp.registerDemo(more)
  const { applicationId, publicKey } = registration
  return {
    applicationId,
    publicKey,
    secret,
    keyId,
    tenantId,
    fields: { client_id: applicationId, client_secret: secret },
  }
}

t.test(
  'a web client gets a token with the claims of RFC 9068, exactly three fields when scope is as requested',
  async (t) => {
    const testApp = await openIdentity(t)
    const { applicationId, keyId, tenantId, fields } = await demo(testApp)
    const { seq } = testApp.view
    const answer = await testApp.post(tokenPath, form({ ...fields, scope: 'assets_read,User.Read.All' }))
    t.equal(answer.statusCode, 200, answer.body)
    const body = answer.json()
    t.same(Object.keys(body), ['access_token', 'token_type', 'expires_in'], 'T17 no refresh token, nothing else')
    t.equal(body.token_type, 'Bearer')
    t.equal(body.expires_in, 3599)
    const { header, claims } = readToken(body.access_token)
    t.match(header, { typ: 'at+jwt', alg: 'ES256', kid: /.+/ })
    const iat = Math.floor(testApp.now() / 1000)
    t.match(claims, { iss: baseUrl, aud: ownResource, sub: applicationId, client_id: applicationId, tid: tenantId })
    t.match(claims, { idtyp: 'app', scope: 'assets_read User.Read.All', roles: ['assets_read', 'User.Read.All'] })
    t.match(claims, { iat, nbf: iat, exp: iat + 3600, cid: keyId, seq })
    t.match(claims.jti, /^[0-9a-f-]{36}$/)
    t.notMatch(claims, { gid: /./ })
  },
)

t.test('both client identifiers, Basic and body, and both scope names give the same (contract §2)', async (t) => {
  const testApp = await openIdentity(t)
  const { applicationId, publicKey, secret } = await demo(testApp)
  const basic = (id: string, key: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`,
  })
  const escaped = (text: string) => text.replace(/[_-]/g, (c) => (c === '_' ? '%5F' : '%2D'))
  const body = { grant_type: 'client_credentials', requested_scopes: 'assets_read' }
  const cases: [string, Record<string, string>, Record<string, string>][] = [
    ['application identifier in the body', { ...body, client_id: applicationId, client_secret: secret }, {}],
    ['upper case', { ...body, client_id: applicationId.toUpperCase(), client_secret: secret }, {}],
    ['public key in the body', { ...body, client_id: publicKey, client_secret: secret }, {}],
    ['Basic', body, basic(applicationId, secret)],
    ['T7 Basic by a client that encodes _ and -', body, basic(escaped(publicKey), escaped(secret))],
    ['Basic with an equal client_id', { ...body, client_id: publicKey }, basic(publicKey, secret)],
    [
      'Basic with the other identifier of the same client',
      { ...body, client_id: applicationId },
      basic(publicKey, secret),
    ],
    ['Basic with an empty client_secret in the body', { ...body, client_secret: '' }, basic(publicKey, secret)],
  ]
  for (const [title, fields, headers] of cases) {
    const answer = await testApp.post(tokenPath, fields, headers)
    t.equal(answer.statusCode, 200, `${title} ${answer.body}`)
    t.equal(
      readToken(answer.json().access_token).claims.client_id,
      applicationId,
      'tokens carry the application identifier',
    )
  }
})

t.test('T7 credentials in two places and two Authorization headers are invalid_request', async (t) => {
  const testApp = await openIdentity(t)
  const { applicationId, secret, fields } = await demo(testApp)
  const other = await demo(testApp)
  const authorization = `Basic ${Buffer.from(`${applicationId}:${secret}`).toString('base64')}`
  const cases: [string, Record<string, string>][] = [
    ['secrets in both', fields],
    ['another client_id', { client_id: other.applicationId }],
    ['an unknown client_id', { client_id: unknownGuid() }],
    ['a client_id that is none', { client_id: 'x' }],
  ]
  for (const [title, more] of cases) {
    const answer = await testApp.post(tokenPath, form(more), { authorization })
    t.equal(answer.statusCode, 400, title)
    t.match(answer.json(), { error: 'invalid_request', error_codes: [90100] })
  }
})

/** Well-formed, with the key id of a real secret and another random part. */
function forged(secret: string): string {
  const text = `pcl_sk_${secret.split('_')[2]}_${'0'.repeat(43)}`
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(text))
  const made = `${text}_${encodeBase62(checksum, 6)}`
  if (parseClientSecret(made) === undefined) throw new Error('the forged secret is not well-formed')
  return made
}

t.test('K3 a secret works from its start to its end, each secret for itself', async (t) => {
  const testApp = await openIdentity(t)
  const { applicationId, fields } = await demo(testApp, { secret: { lifetimeMs: 3_600_000 } })
  const second = await addSecret(testApp.writes, applicationId, { label: 'second', lifetimeMs: 7_200_000 })
  const both = [fields, { ...fields, client_secret: second.secret }]
  const statuses = () => Promise.all(both.map(async (one) => (await testApp.post(tokenPath, form(one))).statusCode))
  t.same(await statuses(), [200, 200], 'two live secrets overlap')
  testApp.clock.nowMs -= 1
  t.same(await statuses(), [401, 401], 'before the start')
  testApp.clock.nowMs += 3_600_001
  t.same(await statuses(), [401, 200], 'the first has ended')
})

t.test('T6 K3 missing, unknown, wrong, expired and disabled clients get one and the same 401', async (t) => {
  const testApp = await openIdentity(t)
  const good = await demo(testApp)
  const short = await demo(testApp, { secret: { lifetimeMs: 3_600_000 } })
  const disabled = await demo(testApp)
  await changeApplication(testApp.writes, disabled.applicationId, { state: 'disabled' })
  t.equal((await testApp.post(tokenPath, form(short.fields))).statusCode, 200, 'the short secret works')
  testApp.clock.nowMs += 3_600_000
  const wrong = `${good.secret.slice(0, -1)}${good.secret.endsWith('0') ? '1' : '0'}`
  const refused: [string, Record<string, string>, Record<string, string>?][] = [
    ['nothing at all', {}],
    ['no client', { grant_type: 'client_credentials' }],
    ['empty client_id', { client_id: '', client_secret: good.secret }],
    ['no identifier of ours', { client_id: "' or 1=1 --", client_secret: good.secret }],
    ['unknown GUID', { client_id: unknownGuid(), client_secret: good.secret }],
    ['unknown public key', { client_id: `pcl_pk_${'0'.repeat(22)}`, client_secret: good.secret }],
    ['no secret', { client_id: good.applicationId }],
    ['empty secret', { client_id: good.applicationId, client_secret: '' }],
    ['wrong secret', { client_id: good.applicationId, client_secret: wrong }],
    ['a forged secret of the right key id', { client_id: good.applicationId, client_secret: forged(good.secret) }],
    ['no secret of ours', { client_id: good.applicationId, client_secret: 'x'.repeat(5000) }],
    ["another application's secret", { client_id: good.applicationId, client_secret: disabled.secret }],
    ['expired secret', short.fields],
    ['disabled application', disabled.fields],
    ['another scheme', {}, { authorization: 'Bearer abc' }],
    ['broken Basic', {}, { authorization: 'Basic abc' }],
  ]
  const bodies = new Set<string>()
  const names = new Set<string>()
  for (const [title, fields, headers] of refused) {
    const answer = await testApp.post(tokenPath, fields.grant_type ? fields : form(fields), headers)
    // Whether a client had to be read, and how much of it, shows in microseconds: all wait for the same moment.
    t.ok(Number(answer.headers['duration']) >= 25, `${title}: ${answer.headers['duration']}`)
    names.add(Object.keys(answer.headers).sort().join())
    t.equal(answer.statusCode, 401, title)
    t.match(answer.headers['www-authenticate'], /^Basic realm="/, title)
    bodies.add(JSON.stringify(withoutIds(answer.json())))
  }
  t.equal(names.size, 1, [...names].join('\n'))
  t.equal(bodies.size, 1, [...bodies].join('\n'))
  t.match([...bodies][0], /"error":"invalid_client".*"error_codes":\[70002\]/)
  t.equal((await testApp.post(tokenPath, form(good.fields))).statusCode, 200, 'the good one still works')
})

t.test('K2 T6 the hash is computed for unknown clients too: the work is the same', async (t) => {
  let reads = 0
  const testApp = await openIdentity(t, {
    replace: (deps) => ({
      peppers: new Proxy([...deps.peppers], {
        get: (list, key, self) => {
          if (key === '0') reads++
          return Reflect.get(list, key, self)
        },
      }),
    }),
  })
  const good = await demo(testApp)
  const native = await demo(testApp, { type: 'native' })
  await changeApplication(testApp.writes, native.applicationId, { state: 'disabled' })
  const work: number[] = []
  const cases = [{}, { client_id: unknownGuid(), client_secret: good.secret }, { client_id: good.applicationId }]
  cases.push({ ...good.fields, client_secret: 'x' }, { client_id: native.applicationId, client_secret: good.secret })
  for (const fields of [...cases, good.fields]) {
    reads = 0
    await testApp.post(tokenPath, form(fields))
    work.push(reads)
  }
  t.ok((work[0] ?? 0) > 0)
  t.equal(new Set(work).size, 1, work.join())
})

t.test('T15 the order: client, grant_type, scope; each missing one is named, no other grant is served', async (t) => {
  const testApp = await openIdentity(t)
  const { fields } = await demo(testApp)
  const cases: [string, Record<string, string>, number, string, number][] = [
    ['no client comes first', { grant_type: 'x', scope: '' }, 401, 'invalid_client', 70002],
    ['no grant_type', { ...fields }, 400, 'invalid_request', 900144],
    ['empty grant_type', { ...fields, grant_type: '' }, 400, 'invalid_request', 900144],
    [
      'T15 password',
      { ...fields, grant_type: 'password', username: 'a', password: 'b' },
      400,
      'unsupported_grant_type',
      70003,
    ],
    ['T15 implicit', { ...fields, grant_type: 'implicit' }, 400, 'unsupported_grant_type', 70003],
    ['letter case', { ...fields, grant_type: 'Client_Credentials' }, 400, 'unsupported_grant_type', 70003],
    ['a property of objects', { ...fields, grant_type: 'constructor' }, 400, 'unsupported_grant_type', 70003],
    ['no scope', { ...fields, grant_type: 'client_credentials' }, 400, 'invalid_scope', 900144],
    [
      'empty scope',
      { ...fields, grant_type: 'client_credentials', scope: '', requested_scopes: ' , ' },
      400,
      'invalid_scope',
      900144,
    ],
    [
      'OpenID words only',
      { ...fields, grant_type: 'client_credentials', scope: 'openid profile' },
      400,
      'invalid_scope',
      900144,
    ],
  ]
  for (const [title, body, status, error, number] of cases) {
    const answer = await testApp.post(tokenPath, body)
    t.equal(answer.statusCode, status, title)
    t.match(answer.json(), { error, error_codes: [number] }, title)
  }
  const native = (await demo(testApp, { type: 'native' })).applicationId
  for (const grant of ['password', 'implicit', 'urn:ietf:params:oauth:grant-type:saml2-bearer']) {
    const answer = await testApp.post(tokenPath, { client_id: native, grant_type: grant, username: 'a', password: 'b' })
    t.equal(answer.statusCode, 400, `native, ${grant}`)
    t.match(answer.json(), { error: 'unsupported_grant_type', error_codes: [70003] }, `native, ${grant}`)
  }
})

t.test(
  'T16 a native client: a secret is 700025 before anything else, without one it may not act as itself',
  async (t) => {
    const testApp = await openIdentity(t)
    const { applicationId } = await demo(testApp, { type: 'native' })
    const secret = 'pcl_sk_x'
    const authorization = `Basic ${Buffer.from(`${applicationId}:${secret}`).toString('base64')}`
    const withSecret: [Record<string, string>, Record<string, string>?][] = [
      [{ client_id: applicationId, client_secret: secret, grant_type: 'nonsense' }],
      [{ grant_type: 'client_credentials' }, { authorization }],
    ]
    for (const [fields, headers] of withSecret) {
      const answer = await testApp.post(tokenPath, fields, headers)
      t.equal(answer.statusCode, 401)
      t.match(answer.json(), { error: 'invalid_client', error_codes: [700025] })
    }
    const empty = await testApp.post(tokenPath, form({ client_id: applicationId, client_secret: '' }))
    t.equal(empty.statusCode, 400, 'T4 an empty client_secret counts as absent')
    t.match(empty.json(), { error: 'unauthorized_client', error_codes: [7000218] })
  },
)

t.test('T18 T19 default is configured and consented at this moment, and is echoed as it was written', async (t) => {
  const testApp = await openIdentity(t)
  const { applicationId, fields } = await demo(testApp)
  const ask = async (scope: string) => (await testApp.post(tokenPath, form({ ...fields, scope }))).json()
  for (const written of ['default', '.default', `${ownResource}/.default`, 'openid .default profile'].values()) {
    const body = await ask(written)
    const echoed = written.startsWith('openid') ? '.default' : written
    const order = readToken(body.access_token).claims.scope as string
    t.same(order.split(' ').sort(), ['User.Read.All', 'assets_read'])
    t.equal(body.scope, `${echoed} ${order}`)
    t.same(Object.keys(body), ['access_token', 'token_type', 'expires_in', 'scope'])
  }
  const configured = ['User.Read.All', 'assets_read', 'assets_create'].map((id) => ({
    ...{ kind: 'application' as const, resource: ownResource, id },
  }))
  await configurePermissions(testApp.writes, applicationId, configured)
  t.notMatch((await ask('default')).scope, /assets_create/, 'configured later, not consented')
  await grantConsent(testApp.writes, applicationId, { permissions: configured, by: 'test' })
  t.match((await ask('default')).scope, /assets_create/, 'from the moment of the consent')
  await configurePermissions(testApp.writes, applicationId, configured.slice(0, 1))
  t.equal((await ask('default')).scope, 'default User.Read.All')
})

t.test('T19 default is what this tenant consented to, and less from the moment that it is withdrawn', async (t) => {
  const testApp = await openIdentity(t)
  const { applicationId, tenantId, fields } = await demo(testApp, { audience: 'any' })
  const { tenantId: elsewhere } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const assets = [{ kind: 'application' as const, resource: ownResource, id: 'assets_read' }]
  await grantConsent(testApp.writes, applicationId, { tenantId: elsewhere, permissions: assets, by: 'test' })
  const ask = async (tenant: string, scope = 'default') =>
    (await testApp.post(tokenPath, form({ ...fields, scope, requested_enrollment: tenant }))).json()
  t.equal((await ask(elsewhere)).scope, 'default assets_read', 'what another tenant allowed counts there alone')
  t.equal((await ask(tenantId)).scope.split(' ').length, 3)
  t.match(await ask(elsewhere, 'User.Read.All'), { error: 'invalid_scope', error_codes: [65001] })
  t.equal((await ask(tenantId, 'User.Read.All')).token_type, 'Bearer')
  await withdrawConsent(testApp.writes, applicationId, { tenantId, permissions: assets })
  t.equal((await ask(tenantId)).scope, 'default User.Read.All')
  t.match(await ask(tenantId, 'assets_read'), { error: 'invalid_scope', error_codes: [65001] })
  t.equal((await ask(elsewhere)).scope, 'default assets_read', 'and the other tenant’s consent stands')
})

t.test('default without any consent is invalid_scope with the way to consent, never an empty token', async (t) => {
  const testApp = await openIdentity(t)
  const { applicationId, tenantId, fields } = await demo(testApp, { consentBy: undefined })
  const answer = await testApp.post(tokenPath, form(fields))
  t.equal(answer.statusCode, 400)
  const body = answer.json()
  t.match(body, { error: 'invalid_scope', error_codes: [90094], suberror: 'admin_consent_required' })
  const uri = new URL(body.consent_uri)
  t.equal(`${uri.origin}${uri.pathname}`, `${baseUrl}/api/v2/oauth2/v2.0/adminconsent`)
  t.same(Object.fromEntries(uri.searchParams), {
    client_id: applicationId,
    tenant: tenantId,
    scope: `${ownResource}/.default`,
  })
  const named = (await testApp.post(tokenPath, form({ ...fields, scope: 'assets_read' }))).json()
  t.match(named, {
    error: 'invalid_scope',
    error_codes: [65001],
    suberror: 'admin_consent_required',
    consent_uri: /^https:/,
  })
  t.match(named.error_description, /assets_read/)
})

t.test('T18 an unknown, delegated, unconfigured or mixed permission is invalid_scope that names it', async (t) => {
  const testApp = await openIdentity(t)
  const { fields } = await demo(testApp)
  const cases: [string, RegExp, number][] = [
    ['nothing.like.it', /nothing\.like\.it is unknown/, 70011],
    ['assets_read nothing', /nothing is unknown/, 70011],
    ['ASSETS_READ', /ASSETS_READ is unknown/, 70011],
    ['User.Read', /User\.Read exists only as a delegated/, 70011],
    [`${ownResource}/User.Read`, /User\.Read exists only as a delegated/, 70011],
    ['assets_delete', /assets_delete is not configured/, 70011],
    ['assets_read assets_delete', /assets_delete is not configured/, 70011],
    ['default assets_read', /mixed/, 70011],
    ['https://nobody.test/assets_read', /nobody\.test\/assets_read is unknown/, 70011],
    [`${ownResource}/things_read`, /things_read is unknown/, 70011],
    ['assets_read things_read', /one resource/, 700022],
    [`${otherResource}/things_read assets_read ${ownResource}/assets_read`, /one resource/, 700022],
    ['x"<script>\\\u2028', /Permission x\?<script>\?/, 70011],
    ['y'.repeat(5000), /^.{0,200}$/, 70011],
  ]
  for (const [scope, description, number] of cases) {
    const answer = await testApp.post(tokenPath, form({ ...fields, scope }))
    t.equal(answer.statusCode, 400, scope.slice(0, 40))
    t.match(answer.json(), { error: 'invalid_scope', error_codes: [number], error_description: description })
    t.match(answer.json().error_description, /^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/, 'T24')
  }
})

t.test(
  'T20 separators, repetitions, order and both names do not matter; different sets are invalid_request',
  async (t) => {
    const testApp = await openIdentity(t)
    const { fields } = await demo(testApp)
    const granted = async (more: Record<string, string>) =>
      testApp.post(tokenPath, { ...fields, grant_type: 'client_credentials', ...more })
    const same: Record<string, string>[] = [
      { scope: 'assets_read,User.Read.All' },
      { scope: 'User.Read.All assets_read' },
      { scope: ' assets_read ,\tUser.Read.All,,assets_read' },
      { requested_scopes: 'assets_read User.Read.All' },
      { scope: 'assets_read User.Read.All', requested_scopes: 'User.Read.All,assets_read' },
      { scope: `${ownResource}/assets_read User.Read.All` },
    ]
    for (const more of same) {
      const answer = await granted(more)
      t.equal(answer.statusCode, 200, answer.body)
      t.notOk('scope' in answer.json(), 'the same set of strings')
      const scope = readToken(answer.json().access_token).claims.scope as string
      t.same(scope.split(' ').sort(), ['User.Read.All', 'assets_read'])
    }
    const different = await granted({ scope: 'assets_read', requested_scopes: 'User.Read.All' })
    t.equal(different.statusCode, 400)
    t.match(different.json(), { error: 'invalid_request', error_codes: [90100] })
    t.equal(
      (await granted({ scope: 'openid assets_read' })).json().scope,
      'assets_read',
      'the answer shows what was dropped',
    )
  },
)

t.test('resource: one audience, named, written, or found from the permissions (RFC 8707)', async (t) => {
  const testApp = await openIdentity(t)
  const own = (id: string) => ({ kind: 'application' as const, resource: ownResource, id })
  const things = { kind: 'application' as const, resource: otherResource, id: 'things_read' }
  const both = await demo(testApp, { permissions: [own('assets_read'), things] })
  const onlyThings = await demo(testApp, { permissions: [things] })
  const audience = async (fields: Record<string, string>, more: Record<string, string>) => {
    const answer = await testApp.post(tokenPath, form({ ...fields, ...more }))
    return answer.statusCode === 200 ? readToken(answer.json().access_token).claims.aud : answer.json().error_codes[0]
  }
  t.equal(await audience(both.fields, { scope: 'things_read' }), otherResource, 'from the ids')
  t.equal(
    await audience(both.fields, { scope: `${otherResource}/things_read` }),
    otherResource,
    'written before the id',
  )
  t.equal(await audience(both.fields, {}), ownResource, 'a bare default with consents for two: the own API')
  t.equal(await audience(onlyThings.fields, {}), otherResource, 'a bare default: the only resource with consents')
  t.equal(await audience(both.fields, { resource: otherResource }), otherResource, 'resource with default')
  t.equal(await audience(both.fields, { scope: `${otherResource}/.default` }), otherResource)
  t.equal(await audience(onlyThings.fields, { resource: ownResource }), 90094, 'nothing consented there')
  t.equal(await audience(both.fields, { resource: ownResource, scope: 'things_read' }), 70011, 'not of that resource')
  t.equal(await audience(both.fields, { resource: ownResource, scope: `${otherResource}/.default` }), 700022)
  t.equal(await audience(both.fields, { resource: ownResource, scope: `${otherResource}/things_read` }), 700022)
  for (const [title, more] of [
    ['unknown', 'resource=https%3A%2F%2Fnobody.test'],
    ['a slash more', `resource=${encodeURIComponent(`${ownResource}/`)}`],
    ['not a URI', 'resource=*'],
    ['two distinct', `resource=${encodeURIComponent(ownResource)}&resource=${encodeURIComponent(otherResource)}`],
    ['written before .default', `requested_scopes=${encodeURIComponent('https://nobody.test/.default')}`],
  ] as const) {
    const scope = more.includes('requested_scopes') ? '' : '&scope=default'
    const body = `grant_type=client_credentials&${new URLSearchParams(both.fields)}${scope}&${more}`
    const answer = await testApp.post(tokenPath, body)
    t.match(answer.json(), { error: 'invalid_target', error_codes: [50001] }, title)
  }
  const twice = encodeURIComponent(ownResource)
  const equal = `${new URLSearchParams(form(both.fields))}&resource=${twice}&resource=${twice}`
  t.equal((await testApp.post(tokenPath, equal)).statusCode, 200, 'the same one twice is one')
})

t.test('T21 a tenant that does not exist and one without an installation are one refusal', async (t) => {
  const testApp = await openIdentity(t)
  const { applicationId, tenantId, fields } = await demo(testApp, { audience: 'any' })
  const homeOnly = await demo(testApp, { audience: 'home' })
  const { tenantId: elsewhere } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const ask = (more: Record<string, string>, who: Record<string, string> = fields) =>
    testApp.post(tokenPath, form({ ...who, ...more }))
  const notThere = await ask({ requested_enrollment: elsewhere })
  const nobody = await ask({ requested_enrollment: unknownGuid() })
  t.equal(notThere.statusCode, 400)
  t.match(notThere.json(), { error: 'unauthorized_client', error_codes: [700016] })
  t.same(withoutIds(notThere.json()), withoutIds(nobody.json()), 'one text')
  t.equal((await ask({ requested_enrollment: unknownGuid(), client_secret: 'x' })).statusCode, 401, 'after the client')
  t.match((await ask({ tenant: elsewhere }, homeOnly.fields)).json(), { error_codes: [700016] })

  await grantConsent(testApp.writes, applicationId, { tenantId: elsewhere, permissions: 'all', by: 'test' })
  const tid = async (more: Record<string, string>) => readToken((await ask(more)).json().access_token).claims.tid
  t.equal(await tid({}), tenantId, 'absent: the home tenant')
  t.equal(await tid({ requested_enrollment: elsewhere }), elsewhere)
  t.equal(
    await tid({ tenant: elsewhere.toUpperCase(), requested_enrollment: elsewhere }),
    elsewhere,
    'the alias, equal',
  )

  const pretended = await openIdentity(t, {
    replace: ({ directory }) => ({
      directory: {
        ...directory,
        findInstallation: async (app, id) => ({ applicationId: app, tenantId: id, granted: [] }),
      },
    }),
  })
  const untrusted = await demo(pretended, { audience: 'home' })
  const away = await createTenant(pretended.writes, { name: 'Tailspin' })
  const installed = await pretended.post(tokenPath, form({ ...untrusted.fields, tenant: away.tenantId }))
  t.match(installed.json(), { error_codes: [700016] }, 'an installation does not widen the audience')

  await changeTenant(testApp.writes, elsewhere, { state: 'disabled' })
  t.same(
    withoutIds((await ask({ tenant: elsewhere })).json()),
    withoutIds(nobody.json()),
    'a disabled tenant is no tenant',
  )
  await changeTenant(testApp.writes, elsewhere, { state: 'enabled' })
  await changeTenant(testApp.writes, tenantId, { state: 'disabled' })
  t.match((await ask({})).json(), { error_codes: [700016] }, 'the home tenant is disabled')
  t.match((await ask({ tenant: elsewhere })).json(), { error_codes: [700016] }, 'then elsewhere too')
})

t.test('requested_enrollment that is no GUID, or differs from tenant, is invalid_request', async (t) => {
  const testApp = await openIdentity(t)
  const { tenantId, fields } = await demo(testApp)
  const cases: [Record<string, string>, number][] = [
    [{ requested_enrollment: 'contoso' }, 900023],
    [{ tenant: 'common' }, 900023],
    [{ requested_enrollment: tenantId, tenant: 'x' }, 900023],
    [{ requested_enrollment: `{${tenantId}}` }, 900023],
    [{ requested_enrollment: tenantId, tenant: unknownGuid() }, 90100],
  ]
  for (const [more, number] of cases) {
    const answer = await testApp.post(tokenPath, form({ ...fields, ...more }))
    t.equal(answer.statusCode, 400)
    t.match(answer.json(), { error: 'invalid_request', error_codes: [number] })
  }
  t.equal((await testApp.post(tokenPath, form({ ...fields, tenant: '' }))).statusCode, 200, 'empty counts as absent')
})

t.test('T26 expires_in is exp - iat - 1, and a token does not outlive the secret that it was got with', async (t) => {
  const testApp = await openIdentity(t)
  const { fields } = await demo(testApp, { secret: { lifetimeMs: 1_800_500 } })
  const ask = async () => (await testApp.post(tokenPath, form(fields))).json()
  const body = await ask()
  const { exp, iat } = readToken(body.access_token).claims as { exp: number; iat: number }
  t.equal(exp - iat, 1800)
  t.equal(body.expires_in, 1799)
  testApp.clock.nowMs += 1_798_000
  t.equal((await ask()).expires_in, 1, 'the last moments')
  testApp.clock.nowMs += 1_000
  t.equal((await ask()).error, 'invalid_client', 'not enough time for a token')
})

t.test('T17 K6 the subject of an app token is the application, which no user and no developer can be', async (t) => {
  const testApp = await openIdentity(t)
  const { fields, applicationId } = await demo(testApp)
  const body = (await testApp.post(tokenPath, form({ ...fields, scope: 'default offline_access' }))).json()
  t.notOk('refresh_token' in body, 'no refresh token, although offline_access was requested')
  const { claims } = readToken(body.access_token)
  t.equal(claims.sub, applicationId)
  t.notMatch(claims.scope, /offline_access/)
  t.equal(claims.idtyp, 'app')
  t.match(applicationId, /^[0-9a-f]{8}-[0-9a-f]{4}-4/, 'made here')
  t.equal(claims.auth_time, undefined)
})

t.test('V9 a token that was being issued while its application was revoked is refused', async (t) => {
  let during = async (): Promise<unknown> => undefined
  const testApp = await openIdentity(t, {
    replace: ({ directory }) => ({
      directory: {
        ...directory,
        findRegistration: async (identifier) => {
          const found = await directory.findRegistration(identifier)
          await during()
          return found
        },
      },
    }),
  })
  const { applicationId, tenantId, fields } = await demo(testApp)
  const refusal = async () => {
    const { claims } = readToken((await testApp.post(tokenPath, form(fields))).json().access_token)
    const [jti, credentialId, seq] = [String(claims.jti), String(claims.cid), Number(claims.seq)]
    return testApp.view.refusal({ jti, credentialId, applicationId, tenantId, seq }, testApp.now())
  }
  t.equal(await refusal(), undefined)
  during = () => revoke(testApp.writes, { what: 'application', id: applicationId })
  t.equal(await refusal(), 'application_revoked', 'its number is from before anything was looked up')
  during = async () => undefined
  t.equal(await refusal(), undefined, 'the next one has heard of it')
})
