// How an application proves itself, and where it may send people, at the portal: private keys, rotation, own keys, the
// lists.

import t from 'tap'
import type { Answer } from '../../src/management/schemas.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { formOf, type Shown, textOf } from '../support/browser/scripted-browser.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'
import { newKeyPair } from '../support/tokens/key-pair.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const at = ({ registration }: PortalApp, rest: string) => `/portal/applications/${registration.applicationId}${rest}`

async function read(testApp: PortalApp): Promise<Answer<'application'>> {
  testApp.caller.principal = { kind: 'local' }
  return (await testApp.manage('GET', `/applications/${testApp.registration.applicationId}`)).json()
}

/** Whether the token endpoint takes that private key. */
async function works(testApp: PortalApp, secret: string): Promise<boolean> {
  const { applicationId } = testApp.registration
  const form = { grant_type: 'client_credentials', client_id: applicationId, client_secret: secret, scope: 'default' }
  return (await testApp.post('/api/v2/oauth2/v2.0/token', form)).statusCode === 200
}

const secretOn = (page: Shown) => /id="client-secret"[^>]* value="(pcl_sk_[^"]*)"/.exec(page.body)?.[1] ?? ''
/** The line of a private key in the table. */
const lineOf = (page: Shown, secret: string) => textOf(page, `secret-${secret.split('_')[2]}`)

t.test('rotation with overlap: both work, the page shows which was used last, the old one ends on time', async (t) => {
  const testApp = await openPortal(t)
  const path = at(testApp, '/credentials')
  const browser = await testApp.as('developer')
  const page = await browser.get(path)
  t.match(lineOf(page, testApp.secret), /Never.*Good/s)
  t.notMatch(lineOf(page, testApp.secret), 'Used last')
  const form = { 'rotate-overlap': '3600', 'rotate-label': 'production', 'rotate-days': '90' }
  const rotated = await browser.submit(page, 'rotate-form', form)
  t.equal(rotated.status, 201)
  t.equal(rotated.headers['cache-control'], 'no-store', 'U9')
  const fresh = secretOn(rotated)
  t.ok(await works(testApp, testApp.secret), 'the old one')
  await testApp.directory.flush()
  const first = await browser.get(path)
  t.notMatch(first.body, fresh, 'U9 nowhere else')
  t.match(lineOf(first, testApp.secret), /in 1 hour.*Used last.*Ends soon/s)
  t.match(lineOf(first, fresh), /production.*in 90 days.*Never.*Good/s)
  testApp.clock.nowMs += 5 * 60_000
  t.ok(await works(testApp, fresh), 'the new one')
  await testApp.directory.flush()
  const second = await browser.get(path)
  t.match(lineOf(second, fresh), 'Used last')
  t.notMatch(lineOf(second, testApp.secret), 'Used last')
  testApp.clock.nowMs += hourMs - 5 * 60_000 - 10_000
  t.ok(await works(testApp, testApp.secret), 'the old one, ten seconds before its end')
  testApp.clock.nowMs += 10_000
  t.notOk(await works(testApp, testApp.secret), 'it ended')
  t.ok(await works(testApp, fresh))
  const later = await browser.get(path)
  t.match(lineOf(later, testApp.secret), 'Ended')
  t.notMatch(lineOf(later, testApp.secret), 'End now')
})

t.test('each overlap is what it says; none ends the old one at once', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const rotate = async (overlap: string) =>
    browser.submit(await browser.get(at(testApp, '/credentials')), 'rotate-form', {
      'rotate-overlap': overlap,
      confirmed: 'yes',
    })
  let last = testApp.secret
  for (const [overlap, ms] of [
    ['604800', 7 * dayMs],
    ['86400', dayMs],
    ['3600', hourMs],
  ] as const) {
    const next = secretOn(await rotate(overlap))
    const ended = (await read(testApp)).secrets.find(({ keyId }) => keyId === last.split('_')[2])
    t.equal(Date.parse(ended?.endsAt ?? '') - testApp.clock.nowMs, ms, overlap)
    last = next
  }
  const only = secretOn(await rotate('0'))
  t.notOk(await works(testApp, last))
  t.ok(await works(testApp, only))
})

t.test('adding one beside the others, with what the server refuses said at its field', async (t) => {
  const testApp = await openPortal(t)
  const path = at(testApp, '/credentials')
  await checkRefusals(t, testApp, { path, form: { id: 'add-form', fields: { 'add-label': 'forged' } } })
  const browser = await testApp.as('developer')
  const page = await browser.get(path)
  const wrong = await browser.submit(page, 'add-form', { 'add-label': 'pro\u202educt', 'add-days': '30' })
  t.equal(wrong.status, 400)
  t.match(textOf(wrong, 'add-label-error'), /U\+202E at place 4 changes the direction/)
  t.match(wrong.body, /<details open/)
  t.match(wrong.body, /<option value="30" selected/, 'what was chosen is kept')
  t.notMatch(wrong.body, 'id="rotate-label-error"')
  for (const days of ['0', '731', 'many', '1.5']) {
    const refused = await browser.submit(page, 'rotate-form', { 'rotate-days': days, 'rotate-label': 'kept' })
    t.equal(refused.status, 400, days)
    t.ok(textOf(refused, 'rotate-days-error').length > 10, days)
    t.match(refused.body, 'value="kept"')
  }
  t.equal((await read(testApp)).secrets.length, 1, 'nothing was made')
  const added = await browser.submit(page, 'add-form', { 'add-label': 'second', 'add-days': '30' })
  t.equal(added.status, 201)
  t.ok(await works(testApp, secretOn(added)))
  t.ok(await works(testApp, testApp.secret), 'the other one stays')
})

t.test('ending one now asks first, and refuses what was got with it', async (t) => {
  const testApp = await openPortal(t)
  const keyId = testApp.secret.split('_')[2] ?? ''
  const path = at(testApp, `/secrets/${keyId}/end`)
  await checkRefusals(t, testApp, { path, form: { id: 'confirm-form', fields: {} } })
  const browser = await testApp.as('developer')
  for (const none of ['nothing', `${keyId}x`]) {
    t.equal((await browser.get(at(testApp, `/secrets/${none}/end`))).status, 404, none)
  }
  const page = await browser.get(path)
  t.match(page.body, 'was never used')
  t.ok(await works(testApp, testApp.secret), 'looking changes nothing')
  const done = await browser.submit(page, 'confirm-form')
  t.equal(done.path, at(testApp, '/credentials?done=ended'))
  t.match(done.body, 'id="no-secret"', 'and the page says that none is left')
  t.notOk(await works(testApp, testApp.secret))
})

t.test('a warning precedes the end of the last private key, and what nobody would miss is marked', async (t) => {
  const testApp = await openPortal(t)
  const path = at(testApp, '/credentials')
  t.notMatch((await (await testApp.as('developer')).get(path)).body, 'id="ends-soon"')
  testApp.clock.nowMs += 167 * dayMs
  const browser = await testApp.as('developer')
  const soon = await browser.get(path)
  t.match(textOf(soon, 'ends-soon'), /ends in 1\d days/)
  const fresh = secretOn(await browser.submit(soon, 'rotate-form', { 'rotate-overlap': '604800' }))
  await used(testApp, fresh, testApp.clock.nowMs + 60_000)
  testApp.clock.nowMs += 2 * dayMs
  const later = await (await testApp.as('developer')).get(path)
  t.notMatch(later.body, 'id="ends-soon"')
  t.match(lineOf(later, testApp.secret), 'Safe to delete')
  t.notMatch(lineOf(later, fresh), 'Safe to delete')
})

t.test('a person who may not use what an application was granted gets no private key of it', async (t) => {
  const testApp = await openPortal(t)
  const { applicationId } = testApp.registration
  await testApp.store.transaction((tx) =>
    tx
      .insertInto('permission_grants')
      .values({
        ...{ application_id: applicationId, tenant_id: testApp.tenantId, kind: 'application' },
        ...{ resource: testApp.catalogue.own.id, permission_id: 'Consent.ReadWrite.All' },
        ...{ granted_at: testApp.now(), granted_by: 'local' },
      })
      .execute(),
  )
  const browser = await testApp.as('developer')
  const page = await browser.submit(await browser.get(at(testApp, '/credentials')), 'rotate-form')
  t.equal(page.status, 403)
  t.match(textOf(page, 'problem'), /granted Consent\.ReadWrite\.All.*an administrator has to do this/)
  t.equal(secretOn(page), '')
  const uris = await browser.submit(await browser.get(at(testApp, '/redirect-uris')), 'redirectUris-add', {
    redirectUris: 'https://evil.example/',
  })
  t.equal(uris.status, 403)
  t.match(textOf(uris, 'problem'), /an administrator has to do this/)
})

t.test('own keys are registered as a set, and a private one is refused without being repeated', async (t) => {
  const testApp = await openPortal(t)
  const path = at(testApp, '/proof')
  const pair = await newKeyPair('ec', { namedCurve: 'P-256' })
  const own = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'key-of-2026', alg: 'ES256' }
  const secret = pair.privateKey.export({ format: 'jwk' })
  await checkRefusals(t, testApp, { path, form: { id: 'proof-form', fields: { authMethod: 'private_key_jwt' } } })
  const browser = await testApp.as('developer')
  const page = await browser.get(path)
  const wrong: [string, string, RegExp][] = [
    ['no JSON', 'key', /not JSON/],
    ['JSON and no set', '[]', /./],
    ['no key', '{"keys":[]}', /1 to 10 keys/],
    ['a private key', JSON.stringify({ keys: [{ ...own, ...secret }] }), /private member d/],
  ]
  for (const [title, jwks, expected] of wrong) {
    const refused = await browser.submit(page, 'proof-form', { authMethod: 'private_key_jwt', jwks, confirmed: 'yes' })
    t.equal(refused.status, 400, title)
    t.match(textOf(refused, 'jwks-error'), expected, title)
    t.match(refused.body, /value="private_key_jwt" selected/, `${title}: what was chosen is kept`)
  }
  t.equal((await read(testApp)).jwks, null)
  const none = await browser.submit(page, 'proof-form', { authMethod: 'anything', confirmed: 'yes' })
  t.equal(none.status, 400)
  t.ok(textOf(none, 'authMethod-error').length > 5)
  const jwks = JSON.stringify({ keys: [own] })
  const done = await browser.submit(page, 'proof-form', { authMethod: 'private_key_jwt', jwks, confirmed: 'yes' })
  t.equal(done.path, at(testApp, '/credentials?done=proof'))
  t.match(textOf(done, 'keys'), /key-of-2026.*ES256.*EC/s)
  t.match(textOf(done, 'auth-method'), /key of its own/)
})

t.test('trusted issuers are added and removed, each as it is typed', async (t) => {
  const testApp = await openPortal(t)
  const path = at(testApp, '/federation')
  const good = { name: 'build <b>', issuer: 'https://ci.example', subject: 'repo:shop', jwks: '' }
  await checkRefusals(t, testApp, { path, form: { id: 'federation-form', fields: good } })
  const browser = await testApp.as('developer')
  const page = await browser.get(path)
  const wrong: [keyof typeof good | 'audience', string, RegExp][] = [
    ['name', ' ', /1 to 120/],
    ['issuer', 'http://ci.example', /https URL/],
    ['issuer', 'https://portcullis.test', /cannot vouch/],
    ['subject', 'repo:*', /no wildcard/],
    ['audience', 'a\u202eb', /invisible/],
    ['jwks', '{', /not JSON/],
    ['jwks', '{"keys":[]}', /1 to 10 keys/],
  ]
  for (const [field, value, expected] of wrong) {
    const refused = await browser.submit(page, 'federation-form', { ...good, [field]: value })
    t.equal(refused.status, 400, `${field} ${value}`)
    t.match(textOf(refused, `${field}-error`), expected, `${field} ${value}`)
    t.match(refused.body, 'value="repo:', 'what was typed is kept')
  }
  const key = (await newKeyPair('ec', { namedCurve: 'P-256' })).publicKey.export({ format: 'jwk' })
  const jwks = JSON.stringify({ keys: [{ ...key, kid: 'k1' }] })
  const done = await browser.submit(page, 'federation-form', { ...good, jwks })
  t.equal(done.path, at(testApp, '/credentials?done=trusted'))
  t.match(
    textOf(done, 'federated'),
    /build <b>.*https:\/\/ci\.example.*repo:shop.*for https:\/\/portcullis\.test.*Never/s,
  )
  t.notMatch(done.body, '<b>', 'U4 the name is text')
  const twice = await browser.submit(await browser.get(path), 'federation-form', { ...good, jwks })
  t.equal(twice.status, 409)
  t.match(textOf(twice, 'subject-error'), /trusts these already/)
  const removal = /href="([^"]*\/federation\/fed_[^"]*)"/.exec(done.body)?.[1] ?? ''
  await checkRefusals(t, testApp, { path: removal, form: { id: 'confirm-form', fields: {} } })
  const removed = await browser.submit(await browser.get(removal), 'confirm-form')
  t.match(textOf(removed, 'done'), /no longer trusted/)
  t.notMatch(removed.body, 'ci.example')
  t.equal((await browser.get(removal)).status, 404)
})

t.test('redirect URIs: three lists, each checked, corrected by one press, added and removed one by one', async (t) => {
  const testApp = await openPortal(t)
  const path = at(testApp, '/redirect-uris')
  const browser = await testApp.as('developer')
  const page = await browser.get(path)
  const lists = ['redirectUris', 'adminConsentRedirectUris', 'logoutRedirectUris'] as const
  for (const [index, list] of lists.entries()) {
    await checkRefusals(t, testApp, { path, form: { id: `${list}-add`, fields: { [list]: 'https://evil.example/' } } })
    const wrong = await browser.submit(page, `${list}-add`, { [list]: `http://app${index}.example/back` })
    t.equal(wrong.status, 400, list)
    t.match(textOf(wrong, `${list}-error`), /uses https/)
    t.match(wrong.body, `value="http://app${index}.example/back"`, 'what was typed is kept')
    t.equal(textOf(wrong, `${list}-corrected`), `Use https://app${index}.example/back`)
    for (const other of lists) if (other !== list) t.notMatch(wrong.body, `id="${other}-error"`)
    const { action, fields } = formOf(wrong, `${list}-add`)
    t.match(action, path)
    const corrected = /id="[^"]*-corrected"[^>]*value="([^"]*)"/.exec(wrong.body)?.[1] ?? ''
    const done = await browser.submit(wrong, `${list}-add`, { ...fields, [list]: 'http://x', corrected })
    t.equal(done.path, `${path}?done=added`)
    t.same((await read(testApp))[list], [`https://app${index}.example/back`])
  }
  for (const uri of [
    '',
    'https://*.example/',
    'javascript:alert(1)',
    'https://a.example/#x y',
    `https://${'a'.repeat(3000)}.example`,
  ]) {
    const refused = await browser.submit(page, 'redirectUris-add', { redirectUris: uri })
    t.equal(refused.status, 400, uri.slice(0, 40))
    t.ok(textOf(refused, 'redirectUris-error').length > 10, uri.slice(0, 40))
  }
  await browser.submit(page, 'redirectUris-add', { redirectUris: 'https://app0.example/back' })
  t.same((await read(testApp)).redirectUris, ['https://app0.example/back'], 'twice is once')
  const removed = await browser.submit(await browser.get(path), 'logoutRedirectUris-remove-0', { confirmed: 'yes' })
  t.equal(removed.path, `${path}?done=removed`)
  const after = await read(testApp)
  t.same(after.logoutRedirectUris, [])
  t.same(after.redirectUris, ['https://app0.example/back'], 'the other lists stay')
})

t.test('“Test” runs the sign-in of that redirect URI, with a code that nobody can redeem', async (t) => {
  const testApp = await openPortal(t)
  const uri = 'https://app.example/back?a=b&c'
  const browser = await testApp.as('developer')
  const shown = await browser.submit(await browser.get(at(testApp, '/redirect-uris')), 'redirectUris-add', {
    redirectUris: uri,
  })
  const link = /href="([^"]*authorize[^"]*)"/.exec(shown.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const { origin, pathname, search, searchParams } = new URL(link)
  t.equal(origin, 'https://portcullis.test')
  t.match(Object.fromEntries(searchParams), {
    ...{ client_id: testApp.registration.applicationId, redirect_uri: uri, response_type: 'code', scope: 'openid' },
    code_challenge_method: 'S256',
  })
  const consentPage = await browser.open(`${pathname}${search}`)
  t.equal(consentPage.status, 200, 'the endpoint takes it: the person is prompted')
  t.match(consentPage.body, 'app.example')
})

/** That a private key was used at that moment, as it is written after a while. */
async function used(testApp: PortalApp, secret: string, atMs: number): Promise<void> {
  const keyId = secret.split('_')[2] ?? ''
  await testApp.store.transaction((tx) =>
    tx.updateTable('application_secrets').set({ last_used_at: atMs }).where('key_id', '=', keyId).execute(),
  )
}

t.test('of several who add an address at once nobody’s is lost unnoticed', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const page = await browser.get(at(testApp, '/redirect-uris'))
  const token = /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  const uris = Array.from({ length: 8 }, (_, i) => `https://app.example/${i}`)
  const answers = await Promise.all(
    uris.map((uri) => {
      const form = { form_token: token, list: 'redirectUris', redirectUris: uri }
      return browser.post(at(testApp, '/redirect-uris'), form, headers)
    }),
  )
  const { redirectUris } = await read(testApp)
  for (const [index, { status, body }] of answers.entries()) {
    const uri = uris[index] ?? ''
    if (status === 303) t.ok(redirectUris.includes(uri), `${uri} is there`)
    else t.match({ status, body }, { status: 412, body: /changed meanwhile/ }, `${uri}: and its page says so`)
  }
  t.ok(redirectUris.length > 0)
})
