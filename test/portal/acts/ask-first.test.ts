// Every form of the portal, walked through page by page: those that stop others ask first, with numbers, and the others
// are named with the reason why they need not. Nothing is done before the answer.
// full: every page of the portal, and each form that asks, sent

import t, { type Test } from 'tap'
import { plantDelivery } from '../../support/browser/planted-delivery.js'
import { plantProvider } from '../../support/browser/planted-provider.js'
import { plantToolChange } from '../../support/browser/planted-tool-change.js'
import { pageAddress } from '../../support/browser/portal-pages.js'
import { formOf, type Shown, textOf } from '../../support/browser/scripted-browser.js'
import { openPortal } from '../../support/rooms/portal.js'
import { startReceiver } from '../../support/upstreams/receiver.js'

/** What a form of a page does: `asks` by a question after it, `is the question` itself, or why it asks nothing. */
const forms: Readonly<Record<string, string>> = {
  'add-form': 'makes something new',
  'again-form': 'sends once more what was sent there',
  'brand-form': 'nothing stops; pages look otherwise',
  'check-form': 'changes nothing',
  'confirm-email-form': 'gives, and takes nothing',
  'confirm-form': 'is the question',
  'details-form': 'words only',
  'device-codes-form': 'asks',
  'dismiss-form': 'takes a notice away',
  'explain-form': 'changes nothing',
  'federation-form': 'makes something new',
  'grant-form': 'gives, and takes nothing',
  'import-form': 'changes nothing',
  'invite-form': 'makes something new',
  'make-form': 'gives, and takes nothing',
  'new-form': 'makes something new',
  'override-form': 'no token ends; the numbers are changed again by one click',
  'owner-form': 'gives, and takes nothing',
  'api-form': 'makes something new',
  'approve-form': 'lets be called what waits; it stands below the difference',
  'delete-form': 'an API whose permissions an application has is not deleted: the page says so and has no form',
  'name-form': 'words only',
  'permission-form': 'what an application has is not taken away: the API refuses it',
  'pkce-form': 'is offered only when nobody came without PKCE for 30 days',
  'proof-form': 'asks',
  'provider-link-form': 'a link: nothing changes until its person uses it',
  'redirectUris-add': 'makes something new',
  'adminConsentRedirectUris-add': 'makes something new',
  'logoutRedirectUris-add': 'makes something new',
  'redirectUris-remove': 'asks',
  'register-form': 'makes something new',
  'remove-form': 'is the question',
  'remove-owner': 'no token, sign-in or call ends; they are added again by one click',
  'replay-form': 'sends once more what was given up there',
  'reset-form': 'a link: the old password works until somebody uses it',
  'role-form': 'asks',
  'restore-form': 'brings something back; with credentials or consents it asks (restoring.test.ts)',
  'rotate-form': 'asks',
  'sign-out-form': 'asks',
  'state-form': 'asks',
  'switch-form': 'asks',
  'test-form': 'sends a test event where events go already',
  'webhook-form': 'words only; what it sends changes, and can be changed back',
  'tenant-form': 'asks',
  'token-form': 'makes something new',
  'withdraw-form': 'asks',
  'disable-form': 'asks',
}

/** What is entered so that the form stops something; the others stop by what is in them. */
const entered: Readonly<Record<string, Record<string, string>>> = {
  'proof-form': { authMethod: 'private_key_jwt', jwks: '' },
  'role-form': { role: 'member' },
  'rotate-form': { 'rotate-days': '180', 'rotate-overlap': '0', overlap: '0', when: 'now' },
  'tenant-form': { name: 'Contoso', consent: 'administrators' },
}

const idOf = (found: string) =>
  found
    .replace(/^(redirectUris|adminConsentRedirectUris|logoutRedirectUris)-remove$/, '$1-remove')
    .replace(/^(switch|dismiss)-[0-9a-f-]{36}$/, '$1-form')
    .replace(/^remove-[0-9a-f-]{36}$/, 'remove-owner')
    .replace(/-\d+$/, '')

const postForms = ({ body }: Shown) =>
  [...body.matchAll(/<form\b[^>]*>/g)]
    .filter(([tag]) => /method="post"/.test(tag))
    .map(([tag]) => /\bid="([^"]*)"/.exec(tag)?.[1] ?? '')

async function open(t: Test) {
  const receiver = await startReceiver(t)
  const testApp = await openPortal(t, { events: { allow: ['localhost'], ca: receiver.ca } })
  const browser = await testApp.as('owner')
  const [{ id = '' } = {}] = await testApp.store.reader.selectFrom('users').select('id').execute()
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PATCH', `/users/${id}`, { operator: true })
  const mia = await testApp.person('Mia', 'administrator')
  await testApp.person('Owner', 'developer')
  const { registration, pages } = testApp
  const applicationId = registration.applicationId
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PATCH', `/applications/${applicationId}`, { redirectUris: ['https://demo.test/back'] })
  await testApp.manage('POST', `/applications/${applicationId}/consents`, {})
  const trust = { name: 'ci', issuer: 'https://ci.test', subject: 'demo' }
  const federated = (await testApp.manage('POST', `/applications/${applicationId}/federatedCredentials`, trust)).json()
  const shown = (await testApp.manage('GET', `/applications/${applicationId}`)).json()
  const hook = { url: `${receiver.origin}/hook`, events: ['*'] }
  const webhook = (await testApp.manage('POST', '/webhooks', hook)).json()
  const spare = { name: 'spare', type: 'native', tenantId: testApp.tenantId }
  const deletedId = (await testApp.manage('POST', '/applications', spare)).json().applicationId
  await testApp.manage('DELETE', `/applications/${deletedId}`)
  const ids = {
    ...{ id: applicationId, keyId: shown.secrets[0].keyId, credentialId: federated.id, userId: mia.userId },
    applicationId,
    apiId: 'things',
    webhookId: webhook.id,
    deliveryId: await plantDelivery(testApp.store, webhook.id),
    provider: plantProvider(testApp),
    changeId: await plantToolChange(testApp.store),
    deletedId,
    tokenId: (await testApp.manage('POST', '/registrationTokens', { label: 'ci' })).json().id,
    ownApiId: (
      await testApp.manage('POST', '/apis', { shortName: 'x', name: 'X', permissions: [], tenantId: testApp.tenantId })
    ).json().apiId,
  }
  const configured = shown.permissions[0]
  const permission = `?permission=${encodeURIComponent(`${configured.kind} ${configured.resource} ${configured.id}`)}`
  // Pages about an API have nothing that is sent.
  const addresses = pages
    .filter((pattern) => !/export$|\/confirm$|\/apis\/:apiId/.test(pattern))
    .map((pattern) => pageAddress(pattern, ids) + (pattern.endsWith('/permissions/remove') ? permission : ''))
  return { testApp, browser, addresses }
}

t.test('each form that stops others asks with numbers and the way back; the others say why they do not', async (t) => {
  const { testApp, browser, addresses } = await open(t)
  const met = new Map<string, [Shown, string]>()
  for (const address of [...addresses, '/portal/applications/new?kind=server']) {
    const page = await browser.open(address)
    t.equal(page.status, 200, address)
    for (const id of postForms(page)) {
      const known = idOf(id)
      t.ok(Object.hasOwn(forms, known), `${address}: the form ${id} is named here`)
      if (forms[known] !== 'is the question') met.set(`${known} ${address.split('/')[2]}`, [page, id])
      else t.match(page.body, /name="confirmed" value="yes"/, `${address} sends the answer along`)
      if (forms[known] === 'is the question')
        t.match(textOf(page, 'consequences'), /Applications|People|Events/, address)
    }
  }
  const before = (await testApp.events()).length
  for (const [where, [page, id]] of met) {
    const [known = '', room] = where.split(' ')
    if (forms[known] !== 'asks') continue
    const question = await browser.submit(page, id, entered[known] ?? {})
    t.equal(question.status, 200, `${known}: ${question.body.slice(0, 300)}`)
    t.match(formOf(question, 'confirm-form').fields, { confirmed: 'yes' }, where)
    // Webhooks have their own numbers.
    if (room === 'webhooks') continue
    t.match(textOf(question, 'consequences'), /(Calls|Tokens) (issued )?in the last/, `${where} asks with numbers`)
    t.ok(textOf(question, 'undo').length > 20, `${where} says how it is taken back`)
  }
  t.equal((await testApp.events()).length, before, 'a question changes nothing')
  const shown = new Set([...met.keys()].map((where) => where.split(' ')[0] ?? ''))
  const asking = [...met.keys()].filter((where) => forms[where.split(' ')[0] ?? ''] === 'asks')
  t.ok(asking.length >= 10, `${asking.join(' ')} ask`)
  t.same(
    Object.keys(forms).filter((form) => !shown.has(form) && forms[form] !== 'is the question'),
    [],
    'every form that is named was met',
  )
})
