// Events about people that are of no tenant: the administrators of the tenants to which the person belonged see them, and
// of what concerns another tenant they see nothing. Operators see the whole server.

import t from 'tap'
import type { Role } from '../../src/config/settings/settings.js'
import { auditPage } from '../../src/management/audit/audit-pages.js'
import { createSession } from '../../src/users/sessions/sessions.js'
import { atPortal } from '../support/models/isolation.js'
import { type ManagementApp, openManagement } from '../support/rooms/management.js'

interface Listed {
  position: number
  event: string
  tenantId: string | null
  userId: string | null
  address: string | null
  requestId: string | null
  actor: Record<string, unknown>
  details: Record<string, unknown>
  limited?: boolean
}

async function open(t: Parameters<typeof openManagement>[0]) {
  const testApp = await openManagement(t)
  const { manage, caller } = testApp
  const tenant = async (name: string): Promise<string> => (await manage('POST', '/tenants', { name })).json().tenantId
  const [contoso, fabrikam] = [await tenant('Contoso'), await tenant('Fabrikam')]
  const person = async (name: string, tenantId: string, role: Role = 'member') => {
    const body = { email: `${name}@example.test`, name, tenantId, role }
    return (await manage('POST', '/users', body)).json().userId as string
  }
  const owners = {
    [contoso]: await person('cora', contoso, 'owner'),
    [fabrikam]: await person('fay', fabrikam, 'owner'),
  }
  const as = (tenantId: string, userId = owners[tenantId] ?? '') => {
    const signIn = { authTime: Math.floor(testApp.now() / 1000), acr: '2' }
    caller.principal = atPortal(userId, tenantId, signIn)
  }
  const read = async (path: string): Promise<Listed[]> => {
    const answer = await manage('GET', path)
    if (answer.statusCode !== 200) throw new Error(answer.body)
    return answer.json().value
  }
  /** What the owner of a tenant sees, the oldest first. */
  const seen = async (tenantId: string, query = '', list = 'auditEvents') => {
    as(tenantId)
    const found = await read(`/${list}?$top=200${query}`)
    caller.principal = { kind: 'local' }
    return found.reverse()
  }
  return { ...testApp, contoso, fabrikam, owners, person, as, seen, read }
}

const signIn = (testApp: ManagementApp, userId: string, address = '192.0.2.7') =>
  createSession(
    { ...testApp.deps.users, requestId: 'r-1', address, actor: { kind: 'user', userId } },
    {
      ...{ userId, acr: '2', amr: ['pwd', 'otp'], userAgent: 'A browser', address },
    },
  )
const words = (found: readonly Listed[]) => found.map(({ event }) => event)

t.test(
  'sign-ins and what happens to the account of a member are seen by the administrators of the tenant',
  async (t) => {
    const testApp = await open(t)
    const { contoso, fabrikam, person, seen, manage, as } = testApp
    const mia = await person('mia', contoso)
    await signIn(testApp, mia)
    as(contoso)
    t.equal((await manage('PATCH', `/users/${mia}`, { state: 'disabled' })).statusCode, 200)
    testApp.caller.principal = { kind: 'local' }
    const found = await seen(contoso, `&userId=${mia}`)
    t.same(words(found), ['membership.added', 'user.signed-in', 'user.disabled'])
    t.match(found[1], { tenantId: null, userId: mia, address: '192.0.2.7', requestId: 'r-1', details: { acr: '2' } })
    t.match(found[2], { actor: { kind: 'user', userId: testApp.owners[contoso] } })
    t.notOk(
      found.some(({ limited }) => limited),
      'they are of this tenant only, so all of it is shown',
    )
    t.same(words(await seen(contoso, '&event=user.disabled')), ['user.disabled'], 'and found by the event')
    t.same(await seen(fabrikam, `&userId=${mia}`), [], 'another tenant sees nothing of it')
    t.match((await manage('GET', '/auditEvents/verification')).json(), { clean: true })
  },
)

t.test('a person of two tenants: each sees what happened to the account, not where, nor who else did it', async (t) => {
  const testApp = await open(t)
  const { contoso, fabrikam, person, seen, manage } = testApp
  const zoe = await person('zoe', contoso)
  await manage('POST', `/tenants/${fabrikam}/memberships`, { userId: zoe, role: 'developer' })
  await signIn(testApp, zoe, '198.51.100.4')
  await manage('PATCH', `/users/${zoe}`, { state: 'disabled' })
  for (const tenantId of [contoso, fabrikam]) {
    const found = (await seen(tenantId, `&userId=${zoe}`)).filter(({ event }) => event.startsWith('user.'))
    t.same(words(found), ['user.signed-in', 'user.disabled'])
    for (const one of found) t.match(one, { limited: true, address: null, requestId: null })
    t.same(found[0]?.actor, { kind: 'user', userId: zoe })
    t.same(Object.keys(found[0]?.details ?? {}).sort(), ['acr', 'amr'], 'no name of the session')
    t.same(found[1]?.actor, { kind: 'other' }, 'who looks after the other tenant is nobody else’s business')
    t.notMatch(JSON.stringify(found), '198.51.100.4')
    t.same(await seen(tenantId, `&userId=${zoe}&search=198.51.100`), [], 'nor is it found by what is not shown')
  }
  t.notMatch(JSON.stringify(await seen(contoso)), fabrikam, 'nor which other tenant it is')
})

t.test('what was before somebody joined, and after they left, is not of the tenant', async (t) => {
  const testApp = await open(t)
  const { contoso, fabrikam, person, seen, manage } = testApp
  const lea = await person('lea', contoso)
  await signIn(testApp, lea)
  await manage('POST', `/tenants/${fabrikam}/memberships`, { userId: lea, role: 'member' })
  t.same(words(await seen(fabrikam, `&userId=${lea}`)), ['membership.added'])
  await manage('DELETE', `/tenants/${contoso}/memberships/${lea}`)
  await signIn(testApp, lea)
  t.same(words(await seen(contoso, `&userId=${lea}`)), ['membership.added', 'user.signed-in', 'membership.removed'])
  t.same(words(await seen(fabrikam, `&userId=${lea}`)), ['membership.added', 'user.signed-in'])
  await manage('DELETE', `/users/${lea}`)
  t.equal(words(await seen(fabrikam, `&userId=${lea}`)).at(-1), 'user.deleted', 'though the membership is gone with it')
})

t.test('that somebody became an operator is for operators', async (t) => {
  const testApp = await open(t)
  const { contoso, person, seen, manage, read } = testApp
  const mia = await person('mia', contoso)
  await manage('PATCH', `/users/${mia}`, { operator: true })
  t.notMatch(words(await seen(contoso, `&userId=${mia}`)).join(), 'operator')
  t.match(words(await read(`/auditEvents?userId=${mia}`)), ['user.operator-made'])
})

t.test('failed sign-ins of members are seen too; those of nobody and of others are not', async (t) => {
  const testApp = await open(t)
  const { contoso, fabrikam, person, seen, deps, manage } = testApp
  const [mia, zoe] = [await person('mia', contoso), await person('zoe', contoso)]
  await manage('POST', `/tenants/${fabrikam}/memberships`, { userId: zoe, role: 'member' })
  for (const userId of [mia, zoe, undefined]) {
    deps.activity.note({ event: 'user.sign-in-failed', userId, address: '192.0.2.9', details: { proof: 'password' } })
  }
  deps.activity.note({ event: 'user.unseen', userId: mia })
  await deps.activity.flush()
  const found = await seen(contoso, '', 'activity')
  t.same(new Set(found.map(({ userId }) => userId)), new Set([mia, zoe]))
  t.match(
    found.find(({ userId }) => userId === mia),
    { address: '192.0.2.9', details: { proof: 'password' } },
  )
  t.match(
    found.find(({ userId }) => userId === zoe),
    { address: null, limited: true, details: { proof: 'password' } },
  )
  t.same(
    (await seen(fabrikam, '', 'activity')).map(({ userId }) => userId),
    [zoe],
  )
})

t.test('a row beside the ledger shows nothing that the ledger does not say of that person', async (t) => {
  const testApp = await open(t)
  const { contoso, fabrikam, person, seen, store } = testApp
  const mia = await person('mia', contoso)
  await signIn(testApp, mia)
  const [signedIn, added] = ['user.signed-in', 'membership.added'].map((event) => ({ event, user_id: mia }))
  const all = await seen(contoso, `&userId=${mia}`)
  const position = all.find(({ event }) => event === 'membership.added')?.position ?? 0
  await store.transaction(async (tx) => {
    const row = { tenant_id: fabrikam, position, limited: 0, event: '', user_id: '' }
    await tx
      .insertInto('ledger_members')
      .values({ ...row, ...added })
      .execute()
    await tx
      .insertInto('ledger_members')
      .values({ ...row, ...signedIn, position: 1 })
      .execute()
  })
  t.same(await seen(fabrikam, `&userId=${mia}`), [])
})

t.test('tokens that an operator took as an application of the tenant are seen by its administrators', async (t) => {
  const testApp = await open(t)
  const { contoso, seen, manage } = testApp
  const body = { name: 'reader', type: 'web', tenantId: contoso, consent: true }
  const permissions = [{ kind: 'application', id: 'User.Read.All' }]
  const { applicationId } = (await manage('POST', '/applications', { ...body, permissions })).json()
  t.equal((await manage('POST', `/applications/${applicationId}/token`, {})).statusCode, 200)
  t.match(await seen(contoso, '&event=token.issued-to-operator'), [{ applicationId, tenantId: contoso }])
})

t.test('the whole server is for its operators: everybody’s events, with names, filtered by names', async (t) => {
  const testApp = await open(t)
  const { contoso, fabrikam, person, owners, manage, as, deps } = testApp
  const mia = await person('mia', contoso)
  await signIn(testApp, mia)
  deps.activity.note({ event: 'user.sign-in-failed', address: '192.0.2.9', details: { proof: 'password' } })
  await deps.activity.flush()
  for (const path of ['/auditEvents/server', '/activity/server']) {
    as(contoso)
    t.equal((await manage('GET', path)).statusCode, 403, `${path} as an owner`)
  }
  testApp.caller.principal = { kind: 'local' }
  await manage('PATCH', `/users/${owners[fabrikam]}`, { operator: true })
  as(fabrikam)
  const found = (await manage('GET', '/auditEvents/server?person=MIA')).json()
  t.match(words(found.value), ['user.signed-in', 'membership.added'])
  t.match(found.value[0], { address: '192.0.2.7' })
  t.match(found.names, { people: { [mia]: 'mia' }, tenants: { [contoso]: 'Contoso' } })
  const ofTenant = (await manage('GET', '/auditEvents/server?tenant=conto&event=membership.added')).json().value
  t.ok(ofTenant.length === 2 && ofTenant.every(({ tenantId }: Listed) => tenantId === contoso))
  t.equal((await manage('GET', '/activity/server')).json().value.length, 1, 'also what nobody can be named for')
  t.same((await manage('GET', `/auditEvents?person=mia`)).json().value, [], 'and their own tenant stays their own')
})

t.test('names are those of the own people; a search is bounded and goes on; pages lead both ways', async (t) => {
  const testApp = await open(t)
  const { contoso, fabrikam, person, manage, as } = testApp
  const [mia] = [await person('mia', contoso), await person('mira', fabrikam)]
  for (let index = 0; index < 7; index += 1) await manage('PATCH', `/tenants/${contoso}`, { name: `Name ${index}` })
  as(contoso)
  const get = async (path: string) => (await manage('GET', path.replace('/api/v2', ''))).json()
  const byName = await get('/auditEvents?person=mi')
  t.same(
    byName.value.map(({ userId }: Listed) => userId),
    [mia],
    'mira is of another tenant',
  )
  t.same(byName.names.people, { [mia]: 'mia' })
  t.same((await get('/auditEvents?person=nobody-is-called-so')).value, [])
  const first = await get('/auditEvents?$top=3&search=name')
  t.equal(first.value.length, 3)
  t.equal(first.previousLink, undefined)
  const second = await get(first.nextLink)
  t.equal(second.value.length, 3)
  t.ok(second.value[0].position < first.value[2].position)
  const back = await get(second.previousLink)
  t.same(
    back.value.map(({ position }: Listed) => position).reverse(),
    first.value.map(({ position }: Listed) => position),
  )
  t.same(await get(back.previousLink).then(({ value }) => value), second.value, 'and forth again')
})

t.test('a search looks at so many rows for a page, and goes on from there', async (t) => {
  const rows = Array.from({ length: 2_500 }, (_, index) => ({
    id: String(index).padStart(5, '0'),
    text: `row ${index}`,
  }))
  const list = {
    path: '/x',
    list: 'ledger' as const,
    read: async ({ limit, after }: { limit: number; after: { id: string } | undefined }) =>
      rows.filter(({ id }) => after === undefined || id > after.id).slice(0, limit),
    placeOf: ({ id }: { id: string }) => ({ name: '', id }),
    shown: ({ text }: { text: string }) => text,
  }
  const key = new Uint8Array(32)
  const first = await auditPage(key, { search: 'ROW 2400' }, list)
  t.same(first.value, [], 'nothing in the first 2,000')
  const skiptoken = new URLSearchParams(first.nextLink?.split('?')[1]).get('$skiptoken') ?? ''
  const second = await auditPage(key, { search: 'ROW 2400', $skiptoken: skiptoken }, list)
  t.same(second.value, ['row 2400'])
  t.equal(second.nextLink, undefined)
})
