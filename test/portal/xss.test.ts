// U4: what anybody may write anywhere is text on every page of the portal, and U5: every page says what it may not do.
// The pages are those that are registered, and the fields those of the schemas, so that a new one cannot be forgotten.

import t, { type Test } from 'tap'
import { fileConsentRequest } from '../../src/directory/consents/consent-requests.js'
import { languages } from '../../src/languages/language.js'
import { plantDelivery } from '../support/browser/planted-delivery.js'
import { plantProvider } from '../support/browser/planted-provider.js'
import { plantToolChange } from '../support/browser/planted-tool-change.js'
import { type PageIds, pageAddress } from '../support/browser/portal-pages.js'
import { formOf, type ScriptedBrowser, type Shown } from '../support/browser/scripted-browser.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'

const payloads = [
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onfocus=alert(1) x='",
  '<script>alert(1)</script>',
  'javascript:alert(1)',
] as const
/** As much of them as a name may be long. */
const all = payloads.slice(0, 4).join(' ')
const inAll = Object.fromEntries(languages.map((each) => [each, all]))

/** What in a page could run and is not ours: tags and attributes as a browser reads them, whatever stands in quotes. */
function alive(body: string): string[] {
  const tags = body.match(/<[a-z](?:[^>"]|"[^"]*")*>/gi) ?? []
  const isStrange = (tag: string) => {
    const bare = tag.replace(/"[^"]*"/g, '""')
    return /['<]|\son\w+\s*=/i.test(bare.slice(1)) || /^<(?:img|iframe|object|embed|base)\b/i.test(bare)
  }
  const scripts = body.match(/<script(?! src="\/assets\/[\w.]+"[^>]*><\/script>)[\s\S]{0,80}/gi) ?? []
  const addresses = body.match(/\s(?:href|action|src|formaction)="\s*(?:javascript|data|vbscript):[^"]*"/gi) ?? []
  return [...tags.filter(isStrange), ...scripts, ...addresses]
}

/** Writes them into everything that takes text. Refused fields are inert already; `accepted` says which were not. */
async function poison(testApp: PortalApp): Promise<{ ids: PageIds; accepted: string[]; written: Set<string> }> {
  const { tenantId } = testApp
  const accepted: string[] = []
  /** The names of the fields that had a payload in them. */
  const written = new Set<string>()
  const note = (value: unknown, name: string): void => {
    if (typeof value === 'string' && payloads.some((one) => value.includes(one))) written.add(name)
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) note(inner, Array.isArray(value) ? name : key)
  }
  testApp.caller.principal = { kind: 'local' }
  const put = async (what: string, method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown) => {
    testApp.caller.principal = { kind: 'local' }
    note(body, '')
    const answer = await testApp.manage(method, path, body)
    if (answer.statusCode < 300) accepted.push(what)
    return answer.body === '' ? {} : answer.json()
  }
  const permissions = ['assets_read', 'User.Read.All'].map((id) => ({ kind: 'application', id }))
  const made = await put('application', 'POST', '/applications', {
    ...{ name: all, publisher: all, type: 'web', tenantId, secretLabel: all, permissions, consent: true },
  })
  const id = made.applicationId as string
  const keyId = made.secrets[0].keyId as string
  for (const payload of payloads) {
    await put('redirect URI', 'PATCH', `/applications/${id}`, { redirectUris: [`https://app.example/${payload}`] })
    const query = `https://app.example/?${encodeURIComponent(payload)}'`
    await put('redirect URI, encoded', 'PATCH', `/applications/${id}`, {
      redirectUris: [query],
      logoutRedirectUris: [query],
      adminConsentRedirectUris: [query],
    })
    const raw = [`https://app.example/${payload}`]
    for (const list of ['logoutRedirectUris', 'adminConsentRedirectUris'])
      await put(list, 'PATCH', `/applications/${id}`, { [list]: raw })
    await put('secret label', 'POST', `/applications/${id}/secrets`, { label: payload })
  }
  await put('plan', 'PUT', `/applications/${id}/plan`, { plan: all, reason: all })
  const trust = { name: all, issuer: 'https://issuer.example', subject: all, audience: all }
  const { id: credentialId = '' } = await put('federated', 'POST', `/applications/${id}/federatedCredentials`, trust)
  const { apiId: ownApiId = '' } = await put('API', 'POST', '/apis', {
    ...{ shortName: 'things', name: all, tenantId },
    permissions: [{ id: 'Things.Read', kinds: ['application'], describe: all, descriptions: inAll }],
  })
  await put('odd API', 'POST', '/apis', {
    ...{ shortName: all, name: all, tenantId },
    permissions: [{ id: payloads[0], kinds: ['application'], describe: all }],
  })
  await put('odd webhook', 'POST', '/webhooks', {
    url: `https://hooks.example/${payloads[0]}`,
    events: [payloads[0]],
    tenantId,
  })
  const url = `https://hooks.example/?${encodeURIComponent(all)}'`
  const { id: webhookId = '' } = await put('webhook', 'POST', '/webhooks', { url, events: ['*'], tenantId })
  const deliveryId = await plantDelivery(testApp.store, webhookId)
  const changeId = await plantToolChange(testApp.store, all)
  await put('issuer', 'POST', `/applications/${id}/federatedCredentials`, {
    ...trust,
    issuer: `https://${payloads[0]}`,
  })
  const { id: tokenId = '' } = await put('registration token', 'POST', '/registrationTokens', { label: all, tenantId })
  const spare = { name: all, type: 'native', tenantId }
  const { applicationId: deletedId = '' } = await put('deleted application', 'POST', '/applications', spare)
  await testApp.manage('DELETE', `/applications/${deletedId}`)
  await put('tenant', 'PATCH', `/tenants/${tenantId}`, { name: all })
  const brand = { accent: all, accentDark: all, terms: all, privacy: all, support: all, logo: all, logoDark: all }
  await put('brand', 'PATCH', `/tenants/${tenantId}/brand`, { name: all })
  await put('odd brand', 'PATCH', `/tenants/${tenantId}/brand`, brand)
  const encoded = `https://app.example/?${encodeURIComponent(all.slice(0, 100))}'`
  await put('claim', 'PATCH', `/applications/${id}/brand`, { home: encoded, terms: encoded, privacy: encoded })
  await put('odd claim', 'PATCH', `/applications/${id}/brand`, { home: all, terms: all, privacy: all, logo: all })
  await put('another tenant', 'POST', '/tenants', { name: all })
  const person = await put('person', 'POST', '/users', { name: all, email: 'eve@example.test', tenantId })
  for (const payload of payloads)
    await put('address', 'POST', '/users', { name: 'E', email: `"${payload}"@e.test`, tenantId })
  await put('invitation', 'POST', '/invitations', { email: `"${payloads[0]}"@e.test`, tenantId })
  const refs = [{ kind: 'application' as const, resource: testApp.catalogue.own.id, id: 'assets_read' }]
  const request = { applicationId: id, tenantId, requestedBy: person.userId, permissions: refs, reason: all }
  await fileConsentRequest(testApp.writes, request)
  testApp.deps.activity.note({
    tenantId,
    applicationId: id,
    event: `user.${all}`,
    address: all,
    details: { agent: all },
  })
  await testApp.deps.activity.flush()
  const about = { id, keyId, credentialId, userId: person.userId, applicationId: id, apiId: 'things', ownApiId }
  const ids = { ...about, webhookId, deliveryId, tokenId, deletedId, changeId, provider: plantProvider(testApp) }
  return { ids, accepted, written }
}

/** The names of the fields of a body that take text and are no choice of words. */
function textFields(schema: unknown, name = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, items, anyOf, properties, pattern } = schema as Record<string, unknown>
  if (type === 'string') return pattern === undefined && !('enum' in schema) && !('const' in schema) ? [name] : []
  const inner = Object.entries((properties ?? {}) as object).flatMap(([key, value]) => textFields(value, key))
  return [...inner, ...[items, ...((anyOf ?? []) as unknown[])].flatMap((each) => textFields(each, name))]
}

/** Identifiers, secrets, and what one question is about: nothing of these is kept to be shown. */
const notKept = [
  // What an import says goes through the other routes, application by application.
  'content',
  'tenantId',
  'applicationId',
  'userId',
  'resource',
  'password',
  'token',
  'scope',
  'path',
  'address',
  'checkpoints',
  'from',
  // Only names that the configuration has are taken.
  'signInProviders',
  'route',
  'tool',
  // Host names, by a pattern.
  'clientHosts',
  'owners',
]

/** Anyone who looks after the tenant and the server, so that every page is open. */
async function operator(testApp: PortalApp) {
  const owner = await testApp.as('owner')
  const [{ id = '' } = {}] = await testApp.store.reader
    .selectFrom('users')
    .select('id')
    .orderBy('created_at', 'desc')
    .where('name', '=', 'owner-1 Example')
    .execute()
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PATCH', `/users/${id}`, { operator: true })
  return owner
}

/** The address of a form with payloads in it that waits for a confirmation. */
async function keptForm(testApp: PortalApp, owner: ScriptedBrowser, id: string): Promise<string> {
  const page = await owner.get(`/portal/applications/${id}/redirect-uris`)
  const { action, fields } = formOf(page, 'redirectUris-add')
  testApp.clock.nowMs += 601_000
  const [payload = ''] = payloads
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  const response = await owner.post(action, { ...fields, redirectUris: payload, [payload]: payload }, headers)
  const found = testApp.store.reader.selectFrom('users').select('id').where('name', '=', 'owner-1 Example')
  await testApp.signIn(owner, (await found.executeTakeFirstOrThrow()).id)
  return `/portal/confirm?request=${new URLSearchParams(response.location?.replace(/^.*\?/, '')).get('request')}`
}

const pageHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': /max-age=\d+/,
  'permissions-policy': /./,
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

function check(t: Test, page: Shown): void {
  t.ok(page.status < 400, `${page.path}: ${page.status}`)
  if (String(page.headers['content-type']).startsWith('text/html')) {
    t.same(alive(page.body), [], `${page.path} is inert`)
    const policy = String(page.headers['content-security-policy']).split('; ')
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"])
      t.ok(policy.includes(part), `U5 ${page.path}: ${part}`)
    t.notMatch(policy.join(), /unsafe|\*/, `U5 ${page.path}`)
    t.match(page.headers, pageHeaders, `U5 ${page.path}`)
    return
  }
  t.match(page.headers['content-disposition'], /^attachment;/, `${page.path} is no page`)
  t.equal(page.headers['x-content-type-options'], 'nosniff')
}

t.test('the check of this file finds what would run', async (t) => {
  const found = [
    '<p title=""><svg onload=alert(1)>">',
    '<img src=x>',
    "<p id='x' onfocus=alert(1)>",
    '<a href="javascript:alert(1)">',
    '<script>alert(1)</script>',
  ]
  for (const html of found) t.ok(alive(html).length > 0, html)
  t.same(alive('<p title="&lt;img> onload=x">it’s</p><script src="/assets/0a.js" defer></script>'), [])
})

t.test('U4 payloads in every text field are inert on every page', async (t) => {
  const testApp = await openPortal(t)
  const owner = await operator(testApp)
  const { ids, accepted, written } = await poison(testApp)
  const fields = new Set(testApp.managementRoutes.flatMap(({ body }) => textFields(body)))
  t.ok(fields.size > 20, `${fields.size} text fields`)
  t.same(
    [...fields].filter((name) => !written.has(name) && !notKept.includes(name)),
    [],
    'every text field of every body was written to; one that keeps nothing is named above',
  )
  const texts = [
    'application',
    'secret label',
    'federated',
    'API',
    'registration token',
    'tenant',
    'another tenant',
    'person',
  ]
  t.same(
    texts.filter((what) => !accepted.includes(what)),
    [],
    'text fields take any text',
  )
  t.ok(testApp.pages.length > 35, `${testApp.pages.length} pages`)
  const waiting = await keptForm(testApp, owner, ids.id)
  let escaped = 0
  for (const pattern of testApp.pages) {
    const page = await owner.open(pattern === '/portal/confirm' ? waiting : pageAddress(pattern, ids))
    check(t, page)
    if (page.body.includes('&lt;img src=x')) escaped += 1
  }
  t.ok(escaped > 25, `${escaped} pages show what was written, as text`)
})

t.test('U4 payloads in addresses and forms are inert on every page', async (t) => {
  const testApp = await openPortal(t)
  const owner = await operator(testApp)
  const { registration } = testApp
  const { keyId = '' } = registration.secrets[0] ?? {}
  const { userId } = await testApp.person('Grace', 'member')
  const ids = {
    id: registration.applicationId,
    applicationId: registration.applicationId,
    keyId,
    userId,
    credentialId: 'x',
    webhookId: 'x',
    deliveryId: 'x',
    apiId: 'things',
    ownApiId: 'x',
    tokenId: 'x',
    deletedId: 'x',
    provider: plantProvider(testApp),
    changeId: await plantToolChange(testApp.store),
  }
  const names = [
    'search',
    'event',
    'application',
    'person',
    'from',
    'to',
    'request',
    'done',
    'kind',
    'path',
    'method',
    'user',
  ]
  for (const pattern of testApp.pages.filter((each) => !each.includes(':credentialId'))) {
    const path = pageAddress(pattern, ids)
    for (const payload of [payloads[0], payloads[1]]) {
      const page = await owner.open(`${path}?${new URLSearchParams(names.map((name) => [name, payload]))}`)
      t.ok(page.status < 500, `${page.path}: ${page.status}`)
      t.same(alive(page.body), [], `${path} is inert`)
    }
    const page = await owner.open(path)
    for (const id of [...page.body.matchAll(/<form id="([\w-]+)" method="post"/g)].map(([, found]) => found ?? '')) {
      const { fields } = formOf(page, id)
      const texts = Object.keys(fields).filter((name) => name !== 'form_token' && fields[name] === '')
      if (texts.length === 0) continue
      const sent = await owner.submit(page, id, Object.fromEntries(texts.map((name) => [name, payloads[1]])))
      t.ok(sent.status < 500, `${path} ${id}: ${sent.status}`)
      t.same(alive(sent.body), [], `${path} ${id} is inert`)
    }
  }
})
