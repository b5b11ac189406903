// The rows of clients that nobody registered (decision 152): made once however many come, within the bounds of a person
// and a tenant, and made another one by a newer document only.

import t from 'tap'
import { writesAs } from '../../../src/directory/actor.js'
import type { ClientDocument } from '../../../src/directory/documents/client-document.js'
import { changeDocument, ensureDocumentApplication } from '../../../src/directory/documents/document-applications.js'
import { documentRegistration } from '../../../src/directory/documents/document-registration.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import { type DirectoryWrites, write } from '../../../src/directory/writes.js'
import { openDirectory } from '../../support/rooms/directory.js'
import { unknownGuid } from '../../support/rooms/identity.js'

const document = (path: string, more: Partial<ClientDocument> = {}): ClientDocument => ({
  ...{ url: `https://agent.example/${path}`, clientName: 'Agent', type: 'native', jwks: undefined },
  ...{ redirectUris: ['https://agent.example/callback'], grantTypes: ['authorization_code'], fetchedAt: 1_000 },
  ...more,
})

async function open(t: Parameters<typeof openDirectory>[0]) {
  const testApp = await openDirectory(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  const as = (userId: string): DirectoryWrites => writesAs(testApp.writes, { actor: { kind: 'user', userId } })
  const of = (one: ClientDocument) => documentRegistration(one, { tenantId, configured: [] })
  const allow = (one: ClientDocument, acting = as('ada')) =>
    write(acting, (writing) => ensureDocumentApplication(acting, writing, of(one)))
  return { testApp, as, of, allow }
}

t.test('many who allow a client at once make one application', async (t) => {
  const { testApp, as, of, allow } = await open(t)
  const one = document('client.json')
  const people = Array.from({ length: 8 }, () => as(unknownGuid()))
  t.same(await Promise.all(people.map((acting) => allow(one, acting))), Array(8).fill(true))
  const rows = await testApp.store.reader.selectFrom('applications').select(['id', 'name']).execute()
  const made = rows.filter(({ name }) => name === 'agent.example/client.json')
  t.same(made, [{ id: of(one).applicationId, name: 'agent.example/client.json' }])
  t.equal(
    await allow(document('client.json', { redirectUris: ['https://other.example/'] })),
    false,
    'of another document',
  )
})

t.test('one person brings a hundred clients into a tenant, and the others are not held up', async (t) => {
  const { as, allow } = await open(t)
  for (let i = 0; i < 100; i += 1) await allow(document(`c${i}.json`))
  await t.rejects(allow(document('one-more.json')), { code: 'TooManyApplications' })
  t.equal(await allow(document('c7.json')), true, 'those that are there stay usable')
  t.equal(await allow(document('one-more.json'), as('bob')), true)
})

t.test('the quota of applications counts them', async (t) => {
  const { as, allow } = await open(t)
  // One of them is the application of the command line.
  const acting = { ...as('ada'), quotas: { applications: 3, people: 10 } }
  await allow(document('a.json'), acting)
  await allow(document('b.json'), acting)
  await t.rejects(allow(document('c.json'), acting), { code: 'TooManyApplications' })
})

t.test('of two documents the later one counts, whichever instance comes with it', async (t) => {
  const { testApp, as, of, allow } = await open(t)
  const first = document('client.json', { fetchedAt: 2_000 })
  const redirectUris = ['https://agent.example/other']
  await allow(first)
  t.equal(await changeDocument(as('ada'), of(document('client.json', { redirectUris, fetchedAt: 1_000 }))), false)
  t.equal(await changeDocument(as('ada'), of(document('client.json', { redirectUris, fetchedAt: 2_000 }))), false)
  t.equal(await changeDocument(as('ada'), of(document('client.json', { fetchedAt: 3_000 }))), false, 'the same')
  t.equal(await changeDocument(as('ada'), of(document('absent.json', { fetchedAt: 3_000 }))), false, 'nobody has it')
  t.equal(await changeDocument(as('ada'), of(document('client.json', { redirectUris, fetchedAt: 3_000 }))), true)
  t.match(await testApp.directory.findRegistration(of(first).applicationId), { redirectUris })
})
