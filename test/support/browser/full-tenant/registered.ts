// What a tenant registered over the years, by the management API of a running program: every identifier, grant and event
// is one that the product made.

import { join } from 'node:path'
import { createLocalClient } from '../../../../src/cli/calls/local-client.js'
import type { Program } from '../../programs/program.js'
import type { PageIds } from '../portal-pages.js'
import { applicationName, personName, publisherName } from './names.js'

const atOnce = 8
const callback = 'https://reports.example/callback'
const wanted = ['User.Read.All', 'Subscription.Read.All', 'Subscription.ReadWrite.All', 'ResourceGroup.Read.All']
const orders = ['Orders.Read', 'Orders.Write', 'Orders.Cancel', 'Invoices.Read', 'Invoices.Write', 'Returns.Read']
const further = ['Fabrikam', 'Northwind Traders', 'Tailspin Toys', 'Wide World Importers', 'Litware', 'Proseware']
const roles = ['member', 'developer', 'member', 'administrator', 'developer'] as const

/** What the rest of the filling is about. */
export interface Registered {
  tenantId: string
  applications: string[]
  people: string[]
  webhookId: string
  /** The resource of the API that the tenant defines. */
  ownApi: string
  /** All but what is written straight into the Store. */
  ids: Omit<PageIds, 'deliveryId' | 'changeId'>
}

type Answer = Record<string, string>
type Ask = (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown) => Promise<Answer>

/** Registers that many applications, and some of everything else. */
export async function registerTenant(program: Program, count: number): Promise<Registered> {
  const client = createLocalClient(join(program.folder, 'admin.sock'))
  const ask: Ask = async (method, path, body) => (await client.call(method, path, body)) as Answer
  const { value: tenants } = (await ask('GET', '/tenants')) as unknown as { value: { tenantId: string }[] }
  const tenantId = tenants[0]?.tenantId ?? ''
  for (const name of further) await ask('POST', '/tenants', { name })
  const api = { shortName: 'orders', name: 'Orders and invoices', tenantId, permissions: orders.map(ownPermission) }
  const { apiId: ownApiId = '', identifier: ownApi = '' } = await ask('POST', '/apis', api)
  await ask('POST', '/apis', {
    ...api,
    shortName: 'returns',
    name: 'Returns',
    permissions: [ownPermission('Any.Read', 0)],
  })
  const people = await inTurns(50, (index) => addPerson(ask, tenantId, index))
  const applications = await inTurns(count, (index) => addApplication(ask, { tenantId, ownApi }, index))
  const first = applications[0] ?? { id: '', keyId: '' }
  const around = await addAround(ask, { tenantId, applications: applications.map(({ id }) => id), people })
  const ids = { id: first.id, applicationId: first.id, keyId: first.keyId, userId: people[1] ?? '', ...around }
  return {
    ...{ tenantId, people, ownApi, webhookId: around.webhookId, applications: applications.map(({ id }) => id) },
    ids: { ...ids, apiId: 'resources', ownApiId, provider: 'corp' },
  }
}

/** `count` times, a few at once, in order. */
async function inTurns<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let from = 0; from < count; from += atOnce) {
    const indexes = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => from + index)
    made.push(...(await Promise.all(indexes.map(work))))
  }
  return made
}

function ownPermission(id: string, index: number) {
  const [what = '', act = ''] = id.split('.')
  const describe = `${act} ${what.toLowerCase()} of every customer of the organisation`
  return { id, describe, kinds: index % 2 === 0 ? ['application', 'delegated'] : ['application'] }
}

async function addPerson(ask: Ask, tenantId: string, index: number): Promise<string> {
  const body = { name: personName(index), email: `person-${index}@contoso.example`, tenantId }
  return (await ask('POST', '/users', { ...body, role: roles[index % roles.length] }))['userId'] ?? ''
}

async function addApplication(
  ask: Ask,
  { tenantId, ownApi }: { tenantId: string; ownApi: string },
  index: number,
): Promise<{ id: string; keyId: string }> {
  const isNative = index % 11 === 10
  const application = wanted.filter((_, place) => (index + place) % 3 === 0).map((id) => ({ kind: 'application', id }))
  const own = index % 4 === 0 ? [{ kind: 'application', resource: ownApi, id: orders[index % orders.length] }] : []
  const delegated = [{ kind: 'delegated', id: 'User.Read' }]
  const made = (await ask('POST', '/applications', {
    ...{ name: applicationName(index), publisher: publisherName(index), tenantId },
    type: isNative ? 'native' : 'web',
    permissions: isNative ? delegated : [...application, ...own, ...(index % 2 === 0 ? delegated : [])],
    ...(isNative || index % 2 === 0 ? { redirectUris: [callback] } : {}),
    ...(isNative ? {} : { secretLabel: 'first' }),
    consent: index % 9 !== 8,
  })) as unknown as { applicationId: string; secrets?: { keyId: string }[] }
  return { id: made.applicationId, keyId: made.secrets?.[0]?.keyId ?? '' }
}

/** What stands around applications and people: tokens, webhooks, owners, plans, and what waits for somebody. */
async function addAround(
  ask: Ask,
  { tenantId, applications, people }: { tenantId: string; applications: string[]; people: string[] },
) {
  const first = `/applications/${applications[0]}`
  for (const label of ['second', 'of the nightly job']) await ask('POST', `${first}/secrets`, { label })
  let credentialId = ''
  for (const branch of ['main', 'staging']) {
    const subject = `repo:contoso/customer-relationship-synchronisation:ref:refs/heads/${branch}`
    const trust = { name: `Pipeline of ${branch}`, issuer: 'https://token.actions.example', subject }
    credentialId = (await ask('POST', `${first}/federatedCredentials`, trust))['id'] ?? ''
  }
  for (const userId of people.filter((_, index) => roles[index % roles.length] === 'developer').slice(0, 12))
    await ask('POST', `${first}/owners`, { userId })
  for (const id of applications.slice(2, 20).filter((_, index) => index % 2 === 0)) {
    await ask('PATCH', `/applications/${id}`, { redirectUris: [callback, `https://new-${id.slice(0, 6)}.example/cb`] })
  }
  for (let index = 0; index < 6; index += 1) {
    const email = `new-colleague-${index}@contoso.example`
    await ask('POST', '/invitations', { email, role: index % 2 === 0 ? 'member' : 'developer', tenantId })
  }
  for (const [index, id] of applications.slice(20, 60).entries()) {
    if (index % 4 === 0) await ask('PUT', `/applications/${id}/plan`, { plan: index % 8 === 0 ? 'free' : 'partner' })
    const wish = { plan: 'partner', reason: `The season begins on Monday; we expect ${index + 2} times the calls.` }
    if (index % 4 === 1) await ask('POST', `/applications/${id}/planRequest`, wish)
  }
  const overrides = { limits: { daily: { quota: '5000/day' } } }
  await ask('PUT', `${first}/plan`, { plan: 'free', overrides })
  await ask('POST', `${first}/planRequest`, { plan: 'partner', reason: 'We signed the contract on Monday.' })
  let webhookId = ''
  for (const [host, events] of [
    ['chat.contoso.example', ['*']],
    ['siem.contoso.example', ['token.*', 'key.*', 'secret.created']],
    ['hooks.contoso.example', ['consent.*', 'secret.expiring', 'application.deleted']],
  ] as const) {
    const url = `https://${host}/portcullis/events?team=platform`
    webhookId = (await ask('POST', '/webhooks', { url, events, tenantId }))['id'] ?? ''
  }
  let tokenId = ''
  for (const [index, label] of ['Deployment pipeline', 'Partner portal', 'Workshop of 12 November'].entries()) {
    const body = { label, uses: 5 + index * 20, tenantId, permissions: [{ kind: 'application', id: 'User.Read.All' }] }
    tokenId = (await ask('POST', '/registrationTokens', body))['id'] ?? ''
  }
  let deletedId = ''
  for (const [index, name] of ['Fleet planner of last year', 'Pilot of the returns desk'].entries()) {
    const old = { name, type: index === 0 ? 'web' : 'native', tenantId }
    deletedId = (await ask('POST', '/applications', old))['applicationId'] ?? ''
    await ask('DELETE', `/applications/${deletedId}`)
  }
  return { credentialId, webhookId, tokenId, deletedId }
}
