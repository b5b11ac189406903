// Every route that takes a name refuses what no name may be (identity L2, M9). The fields are those of the schemas, so
// that a new one cannot be forgotten: each text that a body may have is said to be a name, or not to be one.

import t, { type Test } from 'tap'
import { languages } from '../../src/languages/language.js'
import { badNames, goodNames } from '../support/models/names.js'
import { openManagement, refusal } from '../support/rooms/management.js'
import { openRegistering, registerPath } from '../support/rooms/registering.js'

/** Texts that are looked up, compared or parsed: nobody is called so. */
const noNames = new Set(
  `tenantId signInProviders clientHosts redirectUris adminConsentRedirectUris logoutRedirectUris resource id scope issuer subject audience userId email
  applicationId password token shortName checkpoints from method path address url events owners digest plan reason content
  tool route prompt uri accent accentDark terms privacy support home logo logoDark`.split(/\s+/),
)
/** Labels, which only those see who look after the thing: they may say anything that can be seen. */
const labels = new Set([
  'POST /applications secretLabel',
  'POST /applications/:id/secrets label',
  'POST /registrationTokens label',
  'POST /applications/:id/federatedCredentials name',
])
/** People, and the text of a permission: they may be called as an office is. */
const plain = new Set([
  'POST /users name',
  'PATCH /users/:id name',
  'POST /apis permissions.describe',
  'PATCH /apis/:id permissions.describe',
  ...languages.map((each) => `POST /apis permissions.descriptions.${each}`),
  ...languages.map((each) => `PATCH /apis/:id permissions.descriptions.${each}`),
])

interface Schema {
  type?: string
  enum?: unknown
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}

function textsOf(schema: Schema | undefined, path: readonly string[] = []): string[] {
  if (schema === undefined) return []
  if (schema.type === 'string') return schema.enum === undefined && schema.const === undefined ? [path.join('.')] : []
  const inner = [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])]
  return [
    ...inner.flatMap((each) => textsOf(each, path)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => textsOf(each, [...path, name])),
  ]
}

/** What makes each named thing: the route with its path, and a body with the name in its place. */
async function open(t: Test) {
  const testApp = await openManagement(t)
  const { registration, tenantId } = await testApp.registerDemo()
  const app = `/applications/${registration.applicationId}`
  const permission = (describe: string) => ({ id: 'orders.read', describe, kinds: ['delegated'] })
  const api = await testApp.manage('POST', '/apis', { tenantId, shortName: 'known', name: 'Known', permissions: [] })
  const user = await testApp.manage('POST', '/users', { email: 'ada@known.test', name: 'Ada' })
  const [apiPath, userPath] = [`/apis/${api.json().apiId}`, `/users/${user.json().userId}`]
  let count = 0
  const next = () => {
    count += 1
    return `n${count}`
  }
  const trust = () => ({ issuer: 'https://issuer.example', subject: next() })
  type Call = ['POST' | 'PATCH', string, (name: string) => object]
  const calls: Record<string, Call> = {
    'POST /applications name': ['POST', '/applications', (name) => ({ name, type: 'web', tenantId })],
    'POST /applications publisher': [
      'POST',
      '/applications',
      (name) => ({ name: next(), publisher: name, type: 'web', tenantId }),
    ],
    'POST /applications secretLabel': [
      'POST',
      '/applications',
      (name) => ({ name: next(), secretLabel: name, type: 'web', tenantId }),
    ],
    'PATCH /applications/:id name': ['PATCH', app, (name) => ({ name })],
    'PATCH /applications/:id publisher': ['PATCH', app, (name) => ({ publisher: name })],
    'POST /applications/:id/secrets label': ['POST', `${app}/secrets`, (label) => ({ label, rotate: true })],
    'POST /applications/:id/federatedCredentials name': [
      'POST',
      `${app}/federatedCredentials`,
      (name) => ({ name, ...trust() }),
    ],
    'POST /registrationTokens label': ['POST', '/registrationTokens', (label) => ({ label, tenantId })],
    'POST /tenants name': ['POST', '/tenants', (name) => ({ name })],
    'PATCH /tenants/:id name': ['PATCH', `/tenants/${tenantId}`, (name) => ({ name })],
    'PATCH /tenants/:id/brand name': ['PATCH', `/tenants/${tenantId}/brand`, (name) => ({ name })],
    'POST /users name': ['POST', '/users', (name) => ({ name, email: `${next()}@known.test` })],
    'PATCH /users/:id name': ['PATCH', userPath, (name) => ({ name })],
    'POST /apis name': ['POST', '/apis', (name) => ({ tenantId, shortName: next(), name, permissions: [] })],
    'PATCH /apis/:id name': ['PATCH', apiPath, (name) => ({ name })],
    'POST /apis permissions.describe': [
      ...(['POST', '/apis'] as const),
      (name) => ({ tenantId, shortName: next(), name: next(), permissions: [permission(name)] }),
    ],
    'PATCH /apis/:id permissions.describe': ['PATCH', apiPath, (name) => ({ permissions: [permission(name)] })],
  }
  for (const each of languages) {
    const inOther = (text: string) => [{ ...permission('Known'), descriptions: { [each]: text } }]
    calls[`PATCH /apis/:id permissions.descriptions.${each}`] = [
      ...(['PATCH', apiPath] as const),
      (text) => ({ permissions: inOther(text) }),
    ]
    calls[`POST /apis permissions.descriptions.${each}`] = [
      ...(['POST', '/apis'] as const),
      (text) => ({ tenantId, shortName: next(), name: next(), permissions: inOther(text) }),
    ]
  }
  return { testApp, tenantId, calls }
}

/** Whether this is refused there: labels mind characters, people and permissions no offices. */
function isRefused(where: string, { why, code }: (typeof badNames)[number]): boolean {
  if (labels.has(where)) return code === 'InvalidName' && !/Latin and|address/.test(why.source)
  // Without a publisher, or a name of its own for the pages.
  if (why.source === '1 to 120' && /publisher$|brand name$/.test(where)) return false
  if (!plain.has(where)) return true
  if (code === 'NameReserved') return why.source === 'verified'
  return !(where.includes('users') && /address/.test(why.source))
}

t.test('identity L2: every text of every body is known to be a name or none', async (t) => {
  const { testApp, calls } = await open(t)
  const texts = testApp.managementRoutes.flatMap(({ method, url, body }) =>
    textsOf(body as Schema | undefined).map((path) => `${method} ${url.replace('/api/v2', '')} ${path}`),
  )
  const names = [...new Set(texts)].filter((each) => !noNames.has(each.split(/[ .]/).at(-1) ?? ''))
  t.same(names.sort(), Object.keys(calls).sort())
})

t.test('identity L2 M9: every route that takes a name refuses bad ones, saying why', async (t) => {
  const { testApp, calls } = await open(t)
  for (const [where, [method, path, bodyOf]] of Object.entries(calls)) {
    for (const bad of badNames.filter((each) => isRefused(where, each))) {
      const answer = refusal(await testApp.manage(method, path, bodyOf(bad.name)))
      t.match(answer, { status: 400, code: bad.code }, `${where} ${JSON.stringify(bad.name)}`)
      t.match(answer.message, bad.why, where)
      t.ok(answer.target, 'and which field')
    }
  }
})

t.test('identity L2: every route that takes a name takes names of every language', async (t) => {
  const { testApp, calls } = await open(t)
  for (const [where, [method, path, bodyOf]] of Object.entries(calls)) {
    for (const name of goodNames) {
      if (where.startsWith('POST') && /federated|secretLabel/.test(where)) continue
      const answer = await testApp.manage(method, path, bodyOf(name))
      const full = answer.statusCode === 409 && /^TooMany/.test(answer.json().error.code)
      t.ok(answer.statusCode < 300 || full, `${where} ${name} ${answer.body}`)
    }
  }
})

t.test('identity L2: the standard’s client_name, when a client registers and when it changes that', async (t) => {
  const testApp = await openManagement(t)
  const { register, send } = await openRegistering(testApp)
  const web = { redirect_uris: ['https://client.example/callback'] }
  const made = await register({ ...web, client_name: 'Lager & Süd', 'client_name#de': 'Contoso ✅ Verified' })
  t.equal(made.statusCode, 201)
  t.notMatch(made.body, /Verified/, 'names in other languages are not kept')
  const { client_id, registration_access_token: token } = made.json()
  for (const { name, why } of badNames) {
    const [posted, put] = [
      await register({ ...web, client_name: name }),
      await send('PUT', `${registerPath}/${client_id}`, { token, body: { ...web, client_id, client_name: name } }),
    ]
    for (const answer of [posted, put]) {
      t.match(answer.json(), { error: 'invalid_client_metadata' }, JSON.stringify(name))
      t.match(answer.json().error_description, why)
      t.equal(answer.statusCode, 400)
    }
  }
})

t.test('identity L2: a name from before stays good where it does not change', async (t) => {
  const { testApp, calls } = await open(t)
  const { registration, tenantId } = await testApp.registerDemo()
  const id = registration.applicationId
  const old = 'Contoso ✅ Verified'
  await testApp.store.transaction(async (tx) => {
    await tx.updateTable('applications').set({ name: old, publisher: old }).where('id', '=', id).execute()
    await tx.updateTable('tenants').set({ name: old }).where('id', '=', tenantId).execute()
  })
  const body = { name: old, publisher: old, redirectUris: ['https://app.example/cb'] }
  t.match((await testApp.manage('PATCH', `/applications/${id}`, body)).json(), { name: old })
  t.match((await testApp.manage('PATCH', `/tenants/${tenantId}`, { name: old, state: 'enabled' })).json(), {
    name: old,
  })
  t.ok(calls['PATCH /tenants/:id name'])
})
