// Members, invitations, sessions and tenants, a page at a time.

import t from 'tap'
import { createSession } from '../../src/users/sessions/sessions.js'
import { type ManagementApp, openManagement, refusal } from '../support/rooms/management.js'

interface Page {
  value: Record<string, string>[]
  nextLink?: string
}

/** Every page of a list, one row each, as long as there is a link. */
async function oneByOne({ manage }: ManagementApp, path: string): Promise<Record<string, string>[]> {
  const found: Record<string, string>[] = []
  let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}$top=1`
  while (next !== undefined) {
    const page: Page = (await manage('GET', next)).json()
    found.push(...page.value)
    next = page.nextLink?.replace('/api/v2', '')
  }
  return found
}

t.test('gateway M8: members, invitations, sessions and tenants are listed in pages', async (t) => {
  const testApp = await openManagement(t)
  const { manage, deps, clock } = testApp
  const { tenantId } = (await manage('POST', '/tenants', { name: 'Contoso' })).json()
  await manage('POST', '/tenants', { name: 'Fabrikam' })
  const people: string[] = []
  for (const [at, name] of ['owner', 'ada', 'ben'].entries()) {
    const person = { email: `${name}@example.test`, name, tenantId, role: at === 0 ? 'owner' : 'developer' }
    people.push((await manage('POST', '/users', person)).json().userId)
    await manage('POST', '/invitations', { tenantId, email: `new-${name}@example.test` })
    clock.nowMs += 1000
  }
  const [userId = ''] = people
  const proof = { userId, acr: '1', amr: ['pwd'], address: '::1' }
  for (const userAgent of ['one', 'two', 'three']) {
    await createSession(deps.users, { ...proof, userAgent })
    clock.nowMs += 1000
  }
  const lists = [
    [`/tenants/${tenantId}/memberships`, 'userId', people],
    [`/invitations?tenantId=${tenantId}`, 'email', ['owner', 'ada', 'ben'].map((name) => `new-${name}@example.test`)],
    [`/sessions?userId=${userId}`, 'userAgent', ['three', 'two', 'one']],
  ] as const
  for (const [path, column, expected] of lists) {
    const rows = await oneByOne(testApp, path)
    t.same(
      rows.map((row) => row[column]),
      expected,
      path,
    )
    t.same((await manage('GET', path)).json(), { value: rows }, 'and all at once')
    const more = path.includes('?') ? '&' : '?'
    t.match(refusal(await manage('GET', `${path}${more}$top=0`)), { status: 400, target: '$top' })
    t.match(refusal(await manage('GET', `${path}${more}$skiptoken=x.y`)), { status: 400, target: '$skiptoken' })
  }
  const tenants = (await manage('GET', '/tenants')).json().value
  t.ok(tenants.length > 1, 'of more than one page')
  t.same(await oneByOne(testApp, '/tenants'), tenants)
})

t.test('gateway M8: a page token of the members of one tenant is none of another', async (t) => {
  const { manage } = await openManagement(t)
  const places: string[] = []
  for (const name of ['Contoso', 'Fabrikam']) {
    const { tenantId } = (await manage('POST', '/tenants', { name })).json()
    places.push(tenantId)
    for (const who of ['a', 'b']) {
      await manage('POST', '/users', { email: `${who}@${name}.test`, name: who, tenantId, role: 'owner' })
    }
  }
  const [one = '', other = ''] = places
  const { nextLink } = (await manage('GET', `/tenants/${one}/memberships?$top=1`)).json()
  const otherTenantLink = nextLink.replace('/api/v2', '').replace(one, other)
  t.match(refusal(await manage('GET', otherTenantLink)), { status: 400, target: '$skiptoken' })
})

t.test('gateway M8: the people of a tenant are listed with their role in it, all people without', async (t) => {
  const { manage } = await openManagement(t)
  const { tenantId } = (await manage('POST', '/tenants', { name: 'Contoso' })).json()
  await manage('POST', '/users', { email: 'ada@example.test', name: 'Ada', tenantId, role: 'owner' })
  t.match((await manage('GET', `/users?tenantId=${tenantId}`)).json(), { value: [{ name: 'Ada', role: 'owner' }] })
  const found = await manage('GET', `/users?tenantId=${tenantId}&email=ada%40example.test`)
  t.match(found.json(), { value: [{ name: 'Ada', role: 'owner' }] })
  const [ada] = (await manage('GET', '/users?email=ada%40example.test')).json().value
  t.notOk('role' in ada)
})
