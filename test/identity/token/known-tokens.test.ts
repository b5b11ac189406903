// What an application's token requests were decided to be for is remembered for as long as what decided on it.

import t from 'tap'
import { createLiveCatalogue } from '../../../src/directory/permissions/live-catalogue.js'
import type { Directory, Installation, Registration, Tenant } from '../../../src/directory/records.js'
import type { IdentityDependencies } from '../../../src/identity/dependencies.js'
import type { ApplicationToken } from '../../../src/identity/token/issue-token.js'
import { decideAndRemember, findKnownToken, type WrittenRequest } from '../../../src/identity/token/known-tokens.js'
import type { Store } from '../../../src/storage/sql/store.js'
import { testCatalogue } from '../../support/rooms/directory.js'

const homeId = 'home'
const empty: WrittenRequest = {
  scope: undefined,
  requestedScopes: undefined,
  tenant: undefined,
  requestedEnrollment: undefined,
  resources: [],
}
const words = (scope: string): WrittenRequest => ({ ...empty, scope })

/** Records that a test replaces, and a counted decision on them. */
function scene() {
  const tenant = () => ({ state: 'enabled' }) as Tenant
  const records: Record<string, unknown> = {
    home: tenant(),
    other: tenant(),
    installation: { granted: [] } as unknown as Installation,
  }
  const directory = {
    findTenant: (id: string) => records[id],
    findInstallation: () => records['installation'],
  } as unknown as Directory
  const catalogue = createLiveCatalogue(testCatalogue(), {} as Store)
  const settings = { catalogue } as unknown as IdentityDependencies['settings']
  const registration = { applicationId: 'app', tenantId: homeId } as Registration
  let decisions = 0
  const decide = async (): Promise<ApplicationToken> => {
    decisions += 1
    return { claims: { encoded: String(decisions), rest: '' }, scope: undefined }
  }
  const deps = { directory, settings }
  const find = (request: WrittenRequest, of = registration) => findKnownToken(deps, of, request)
  const remember = (request: WrittenRequest, by = decide, tenantId = homeId) =>
    decideAndRemember(deps, registration, { request, tenantId, decide: by })
  return { records, catalogue, registration, find, remember, decide }
}

t.test('the same request has the same decision; one that differs in any parameter has none yet', async (t) => {
  const { find, remember } = scene()
  t.equal(find(words('a')), undefined)
  const token = await remember(words('a'))
  t.equal(find(words('a')), token)
  const others: WrittenRequest[] = [
    empty,
    words('a b'),
    { ...empty, requestedScopes: 'a' },
    { ...words('a'), tenant: 'a' },
    { ...words('a'), requestedEnrollment: 'a' },
    { ...words('a'), resources: ['a'] },
  ]
  for (const other of others) t.equal(find(other), undefined, JSON.stringify(other))
  t.equal(find(words('a'), { applicationId: 'app', tenantId: homeId } as Registration), undefined, 'a newer record')
})

t.test('it ends with each of the records that it was made of', async (t) => {
  for (const name of ['home', 'installation', 'other', 'catalogue']) {
    const { find, remember, records, catalogue, decide } = scene()
    const token = await remember(words('a'), decide, 'other')
    t.equal(find(words('a')), token)
    // As a reload does it: the object stays, and what it says is another thing.
    if (name === 'catalogue') catalogue.configure(testCatalogue())
    else records[name] = { ...(records[name] as object) }
    t.equal(find(words('a')), undefined, name)
    const next = await remember(words('a'), decide, 'other')
    t.equal(find(words('a')), next, 'and the next one takes its place')
  }
})

t.test('what has to be loaded, or changes meanwhile, and a refusal are not remembered', async (t) => {
  const { find, remember, records, decide } = scene()
  await remember(words('a'), () => {
    records['installation'] = {}
    return decide()
  })
  t.equal(find(words('a')), undefined, 'changed')
  const { home } = records
  records['home'] = Promise.resolve(home)
  await remember(words('a'))
  t.equal(find(words('a')), undefined, 'to be loaded')
  records['home'] = home
  t.equal(find(words('a')), undefined)
  await t.rejects(
    remember(words('a'), async () => {
      throw new Error('no')
    }),
    { message: 'no' },
  )
  t.equal(find(words('a')), undefined, 'refused')
  await remember(words('a'))
  records['installation'] = Promise.resolve()
  t.equal(find(words('a')), undefined, 'forgotten by the directory')
})

t.test('of one application the last four, and none with very long parameters', async (t) => {
  const { find, remember } = scene()
  for (const scope of ['a', 'b', 'c', 'd', 'e']) await remember(words(scope))
  t.equal(find(words('a')), undefined)
  for (const scope of ['b', 'c', 'd', 'e']) t.ok(find(words(scope)), scope)
  await remember(words('x'.repeat(600)))
  t.equal(find(words('x'.repeat(600))), undefined)
  t.ok(find(words('b')))
})
