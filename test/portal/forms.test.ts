// A form is shown to those who may send it, and to nobody else: every role on every page of the portal, and who may
// not register sees no way to try (issue 12).

import t from 'tap'
import type { Role } from '../../src/config/settings/settings.js'
import { addOwner } from '../../src/directory/applications/owners.js'
import { setRole } from '../../src/users/memberships/memberships.js'
import { plantDelivery } from '../support/browser/planted-delivery.js'
import { plantToolChange } from '../support/browser/planted-tool-change.js'
import { pageAddress } from '../support/browser/portal-pages.js'
import { formOf, type Received, type ScriptedBrowser, textOf } from '../support/browser/scripted-browser.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'

t.setTimeout(240_000)
const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
const visitors = ['member', 'developer', 'owning developer', 'administrator', 'owner'] as const
type Visitor = (typeof visitors)[number]

/**
 * A person who was no developer when the test app gave applications to them, and owns only what they are given here.
 */
async function enter(testApp: PortalApp, visitor: Visitor, applicationId: string): Promise<ScriptedBrowser> {
  const role: Role = visitor === 'owning developer' ? 'developer' : visitor
  const { userId } = await testApp.person(`visitor-of-${applicationId}`, 'member')
  if (role !== 'member') await setRole(testApp.deps.users, { userId, tenantId: testApp.tenantId, role })
  if (visitor === 'owning developer') await addOwner(testApp.writes, applicationId, { kind: 'user', ownerId: userId })
  const browser = testApp.browser()
  await testApp.signIn(browser, userId)
  return browser
}

/** Fresh things for a page to be about, so that what one form ends is there for the next. */
async function populate(testApp: PortalApp) {
  const made = await testApp.registerDemo({
    tenantId: testApp.tenantId,
    name: 'one',
    redirectUris: ['https://a.test/cb'],
  })
  const { applicationId, secrets } = made.registration
  testApp.caller.principal = { kind: 'local' }
  const trust = { name: 'ci', issuer: 'https://issuer.example', subject: 'repo', audience: 'https://api.example' }
  const credential = await testApp.manage('POST', `/applications/${applicationId}/federatedCredentials`, trust)
  const { userId } = await testApp.person(`somebody-${applicationId}`, 'member')
  const credentialId = credential.json().credentialId ?? 'none'
  const webhookId = await freshWebhook(testApp)
  const deliveryId = await plantDelivery(testApp.store, webhookId)
  const about = { id: applicationId, applicationId, keyId: secrets[0]?.keyId ?? '', credentialId }
  const token = await testApp.manage('POST', '/registrationTokens', { label: 'x', tenantId: testApp.tenantId })
  const tokenId = token.json().id ?? 'none'
  const spare = await testApp.manage('POST', '/applications', { name: 'x', type: 'native', tenantId: testApp.tenantId })
  const deletedId = spare.json().applicationId
  await testApp.manage('DELETE', `/applications/${deletedId}`)
  const changeId = await plantToolChange(testApp.store, undefined, `tool-${applicationId}`)
  const configured = { apiId: 'things', provider: 'corp', deletedId, changeId }
  return { ...about, ...configured, userId, webhookId, deliveryId, tokenId, ownApiId: await anApi(testApp) }
}

/** One page deletes it. */
async function anApi({ manage, tenantId }: PortalApp): Promise<string> {
  const [there] = (await manage('GET', `/apis?tenantId=${tenantId}`)).json().value
  const permissions = [{ id: 'Orders.Read', describe: 'Reads orders', kinds: ['application'] }]
  const body = { shortName: 'orders', name: 'Orders', permissions, tenantId }
  return (there ?? (await manage('POST', '/apis', body)).json()).apiId
}

/** A tenant has twenty at most. Nobody answers at its address. */
async function freshWebhook({ manage, tenantId }: PortalApp): Promise<string> {
  const { value } = (await manage('GET', '/webhooks')).json()
  for (const { id } of value) await manage('DELETE', `/webhooks/${id}`)
  const body = { url: 'https://127.0.0.1:1/', events: ['*'], tenantId }
  return (await manage('POST', '/webhooks', body)).json().id
}

const postForms = ({ body }: Received) =>
  [...body.matchAll(/<form\b[^>]*\bmethod="post"[^>]*>/g)].map(([tag]) => /\bid="([^"]*)"/.exec(tag)?.[1] ?? '')
/** What a person would have typed or chosen, as far as the form can be sent. */
function filled(page: Received, formId: string): Record<string, string> {
  const inside = new RegExp(`<form\\b[^>]*\\bid="${formId}"[^>]*>([\\s\\S]*?)</form>`).exec(page.body)?.[1] ?? ''
  const named = [...inside.matchAll(/<(input|textarea|select)\b((?:[^>"]|"[^"]*")*)>/g)]
  const fields = named.flatMap(([, , tag = '']) => {
    const name = /\sname="([^"]*)"/.exec(tag)?.[1]
    if (name === undefined || tag.includes('type="hidden"') || tag.includes('type="checkbox"')) return []
    return [[name, /\svalue="([^"]*)"/.exec(tag)?.[1] ?? 'https://filled.example/x'] as const]
  })
  return Object.fromEntries(fields)
}

t.test('a person who sees a form of the portal may send it, in every role, on every page', async (t) => {
  const testApp = await openPortal(t, { events: { allow: ['127.0.0.1'], ca: undefined } })
  const answersOf = new Map<Visitor, Set<string>>(visitors.map((visitor) => [visitor, new Set()]))
  for (const visitor of visitors) {
    let there: { ids: Awaited<ReturnType<typeof populate>>; browser: ScriptedBrowser } | undefined
    for (const pattern of testApp.pages) {
      // What a form has changed or ended, the next page finds anew.
      if (there === undefined) {
        const ids = await populate(testApp)
        there = { ids, browser: await enter(testApp, visitor, ids.applicationId) }
      }
      const { ids, browser } = there
      const addresses = pattern.endsWith('/new')
        ? ['server', 'web', 'native'].map((kind) => `${pattern}?kind=${kind}`)
        : [pattern]
      for (const address of addresses.map((each) => pageAddress(each, ids))) {
        const page = await browser.get(address)
        for (const form of postForms(page)) {
          answersOf.get(visitor)?.add(`${pattern} ${form.replace(/[0-9a-f-]{8,}|\d+/g, '…')}`)
          const { action, fields } = formOf(page, form)
          there = undefined
          const answer = await browser.post(action, { ...filled(page, form), ...fields }, headers)
          t.not(answer.status, 403, `${visitor}: ${form} on ${pattern}`)
        }
      }
    }
  }
  const forms = (visitor: Visitor) => [...(answersOf.get(visitor) ?? [])].sort()
  const aboutApplications = (each: string) => each.startsWith('/portal/applications/:id')
  t.same(forms('member'), [], 'a member sees no form')
  t.same(forms('developer').filter(aboutApplications), [], 'nor a developer of applications of others')
  t.ok(forms('owning developer').filter(aboutApplications).length >= 10, forms('owning developer').join(', '))
  t.ok(forms('administrator').length > forms('owning developer').length)
  t.comment(visitors.map((visitor) => `${visitor}: ${forms(visitor).length} forms`).join(', '))
})

t.test('a member who may not register sees no form and no way to it, and reads who can', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('member')
  for (const path of [
    '/portal/applications/new',
    '/portal/applications/new?kind=web',
    '/portal/applications/new?kind=nothing',
  ]) {
    const page = await browser.get(path)
    t.equal(page.status, 403, path)
    t.match(textOf(page, 'what'), /developers, administrators and owners can register applications/)
    t.match(textOf(page, 'remedy'), /Ask an administrator/)
    t.same(postForms(page), [], path)
  }
  for (const pattern of testApp.pages) {
    const ids = { id: testApp.registration.applicationId, applicationId: testApp.registration.applicationId }
    const others = { keyId: 'k', credentialId: 'c', userId: 'u', webhookId: 'w', deliveryId: 'd', tokenId: 't' }
    const page = await browser.get(
      pageAddress(pattern, {
        ...ids,
        ...others,
        apiId: 'things',
        ownApiId: 'o',
        provider: 'p',
        deletedId: 'x',
        changeId: 'x',
      }),
    )
    t.notMatch(page.body, /applications\/new/, pattern)
  }
})

t.test('the form sent by hand registers nothing', async (t) => {
  const testApp = await openPortal(t)
  const { userId } = await testApp.person('Ada', 'developer')
  const browser = testApp.browser()
  await testApp.signIn(browser, userId)
  const { action, fields } = formOf(await browser.get('/portal/applications/new?kind=server'), 'register-form')
  await setRole(testApp.deps.users, { userId, tenantId: testApp.tenantId, role: 'member' })
  const answer = await browser.post(action, { ...fields, name: 'by hand' }, headers)
  t.equal(answer.status, 403)
  t.same(postForms(answer), [])
  testApp.caller.principal = { kind: 'local' }
  t.equal((await testApp.manage('GET', '/applications/by%20hand')).statusCode, 404)
})
