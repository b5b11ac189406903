// People at the portal: who sees them, what administrators do with them, and what is refused with the reason on the
// page.

import t from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { addMembership } from '../../src/users/memberships/memberships.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { formOf, type Shown, textOf } from '../support/browser/scripted-browser.js'
import { mailRates, startMailServer } from '../support/people/mail-server.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'

const path = '/portal/people'
const payload = '<img src=x onerror=alert(1)>'
const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }

/** A form that does not stand on the page: the page's own token with other fields. */
function forged(page: Shown, fields: Record<string, string>): Record<string, string> {
  return { form_token: /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? '', ...fields }
}

async function stateOf({ store }: PortalApp, userId: string) {
  return store.reader.selectFrom('users').select('state').where('id', '=', userId).executeTakeFirst()
}

t.test('U1 U2 what every page of people refuses, and to whom', async (t) => {
  const testApp = await openPortal(t)
  const { userId } = await testApp.person('Member', 'member')
  const pages = [
    { path: `${path}?tenant=${testApp.tenantId}`, form: { id: 'invite-form', fields: { email: 'x@example.test' } } },
    { path: `${path}/${userId}`, form: { id: 'disable-form', fields: {} } },
    { path: `${path}/${userId}/remove`, form: { id: 'confirm-form', fields: {} } },
    { path: `${path}/${userId}/delete`, form: { id: 'confirm-form', fields: { typed: 'Member Example' } } },
  ]
  const developer = await testApp.as('developer')
  const owner = await testApp.as('owner')
  for (const page of pages) {
    await checkRefusals(t, testApp, page)
    const refused = await developer.get(page.path)
    t.equal(refused.status, 403, `${page.path} as developer`)
    t.notMatch(refused.body, userId)
    const { action, fields } = formOf(await owner.get(page.path), page.form.id)
    const sent = await developer.post(action, { ...fields, ...page.form.fields }, headers)
    t.equal(sent.status, 403, `U1 ${page.path}: a form that was shown to somebody else`)
  }
  t.equal((await stateOf(testApp, userId))?.state, 'enabled')
  t.equal((await owner.get(`${path}/00000000-0000-4000-8000-000000000000`)).status, 404)
  t.equal((await owner.get(`${path}/${userId}/elsewhere`)).status, 404)
})

t.test('an invitation: its link is shown once, to its maker, and can be taken back', async (t) => {
  const testApp = await openPortal(t)
  const administrator = await testApp.as('administrator')
  const wrong = await administrator.submit(await administrator.get(path), 'invite-form', { email: 'not <one>' })
  t.equal(wrong.status, 400)
  t.match(textOf(wrong, 'email-error'), /address/)
  t.match(wrong.body, /id="email"[^>]*value="not &lt;one>"/, 'what was typed stays')
  const invited = await administrator.submit(wrong, 'invite-form', { email: 'new@example.test', role: 'developer' })
  t.equal(invited.status, 201)
  t.equal(invited.headers['cache-control'], 'no-store')
  const link = /https:\/\/portcullis\.test\/invitation\/pcl_ol_\w+/.exec(invited.body)?.[0] ?? ''
  t.ok(link)
  t.match(textOf(invited, 'invitations'), /new@example\.test.*as developer, for another/s)
  const again = await administrator.get(path)
  t.notMatch(again.body, 'pcl_ol_', 'once')
  t.match(textOf(again, 'invitations'), 'new@example.test')
  const id = /id="(end-[0-9A-Za-z_-]{12})"/.exec(again.body)?.[1] ?? ''
  const gone = await administrator.submit(again, id)
  t.match(textOf(gone, 'done'), 'Invitation revoked')
  t.notMatch(gone.body, 'new@example.test')
  t.equal((await administrator.submit(again, id)).status, 404, 'it is gone')
  const owner = forged(gone, { email: 'boss@example.test', role: 'owner' })
  const above = await administrator.post(path, owner, headers)
  t.equal(above.status, 403, 'nobody invites above their own role')
})

t.test('with a mail server nobody but the invited sees the link', async (t) => {
  const testApp = await openPortal(t)
  const server = await startMailServer(t)
  Object.assign(testApp.deps.users, {
    mail: { url: { reveal: () => server.url }, from: 'gate@example.test', ...mailRates },
  })
  const administrator = await testApp.as('administrator')
  const { userId } = await testApp.person('Grace', 'member')
  const sent = await administrator.submit(await administrator.get(path), 'invite-form', { email: 'post@example.test' })
  t.equal(sent.status, 200)
  t.match(textOf(sent, 'done'), 'by mail')
  t.notMatch(sent.body, /pcl_o[lm]_/)
  t.match(await server.mailTo('post@example.test', '/invitation/'), 'pcl_om_')
  const reset = await administrator.submit(await administrator.get(`${path}/${userId}`), 'reset-form')
  t.match(textOf(reset, 'done'), 'by mail')
  t.notMatch(reset.body, /pcl_o[lm]_/)
})

t.test('one person: role, a new password, signed out, disabled, removed, deleted', async (t) => {
  const testApp = await openPortal(t)
  const administrator = await testApp.as('administrator')
  const { userId } = await testApp.person('Grace', 'member')
  const here = `${path}/${userId}`
  const page = await administrator.get(here)
  t.match(textOf(page, 'person-facts'), /grace@example\.test.*enabled.*password/s)
  const changed = await administrator.submit(page, 'role-form', { role: 'developer', confirmed: 'yes' })
  t.match(textOf(changed, 'done'), 'The role is changed')
  t.match(changed.body, /<option value="developer" selected/)
  const reset = await administrator.submit(changed, 'reset-form')
  t.equal(reset.status, 201)
  t.equal(reset.headers['cache-control'], 'no-store')
  t.match(reset.body, /\/reset-password\/pcl_ol_/)
  t.notMatch((await administrator.get(here)).body, 'pcl_ol_', 'once')
  const browser = testApp.browser()
  await testApp.signIn(browser, userId)
  t.equal((await browser.open('/portal/tenant')).status, 200)
  const leaving = await administrator.submit(page, 'sign-out-form')
  t.match(textOf(leaving, 'consequences'), /Browsers signed in/)
  t.match(textOf(await administrator.submit(leaving, 'confirm-form'), 'done'), 'signed out everywhere')
  t.equal((await browser.get('/portal/tenant')).status, 303, 'signed out')
  const disabled = await administrator.submit(await administrator.submit(page, 'disable-form'), 'confirm-form')
  t.match(textOf(disabled, 'person-facts'), 'disabled')
  t.match(textOf(await administrator.submit(disabled, 'enable-form'), 'done'), 'works again')
  t.match(textOf(await administrator.get(path), `person-${userId}`), /Grace Example.*developer/s)
  const removed = await administrator.submit(await administrator.get(`${here}/remove`), 'confirm-form')
  t.match(textOf(removed, 'done'), 'Removed from the tenant')
  t.equal((await administrator.get(here)).status, 404)
  const { userId: second } = await testApp.person('Hopper', 'member')
  const asking = await administrator.get(`${path}/${second}/delete`)
  const mistyped = await administrator.submit(asking, 'confirm-form', { typed: 'Grace Example' })
  t.equal(mistyped.status, 400)
  t.match(textOf(mistyped, 'typed-error'), 'not what stands above')
  const deleted = await administrator.submit(mistyped, 'confirm-form', { typed: 'Hopper Example' })
  t.match(textOf(deleted, 'done'), 'The account is deleted')
  t.equal(await stateOf(testApp, second), undefined)
  const own = (await testApp.events()).filter(({ event }) =>
    /^(?:user\.deleted|membership\.(?:changed|removed))$/.test(event),
  )
  t.same(new Set(own.map(({ actor }) => actor['kind'])), new Set(['user']), 'X6 in the name of the administrator')
})

t.test(
  'what is above the visitor, shared with others, or the last of its kind is refused with the reason',
  async (t) => {
    const testApp = await openPortal(t)
    const owner = await testApp.person('Olive', 'owner')
    const administrator = await testApp.as('administrator')
    const page = await administrator.get(`${path}/${owner.userId}`)
    t.match(textOf(page, 'above'), 'above yours')
    t.notMatch(page.body, 'id="role-form"', 'no button that is refused anyway')
    const token = await administrator.get(`${path}/${owner.userId}/remove`)
    for (const fields of [{ do: 'role', role: 'member' }, { do: 'reset' }, { do: 'sign-out' }, { do: 'disable' }]) {
      const other = await administrator.get(path)
      const sent = await administrator.post(`${path}/${owner.userId}`, forged(other, fields), headers)
      t.equal(sent.status, 403, `${fields.do} with the form of another page`)
    }
    const refused = await administrator.submit(token, 'confirm-form')
    t.equal(refused.status, 403)
    t.match(textOf(refused, 'problem'), 'role is above yours')
    const own = testApp.browser()
    await testApp.signIn(own, owner.userId)
    const last = await own.submit(await own.get(`${path}/${owner.userId}`), 'role-form', {
      ...{ role: 'member', confirmed: 'yes' },
    })
    t.equal(last.status, 409)
    t.match(textOf(last, 'problem'), /owner/)
    const leaving = await own.submit(await own.get(`${path}/${owner.userId}/remove`), 'confirm-form')
    t.equal(leaving.status, 409)
    t.match(textOf(leaving, 'problem'), /owner/)
    const shared = await testApp.person('Shared', 'member')
    const { tenantId } = await createTenant(testApp.writes, { name: 'Elsewhere' })
    await addMembership(testApp.deps.users, { userId: shared.userId, tenantId, role: 'member' })
    const both = await administrator.get(`${path}/${shared.userId}`)
    t.notMatch(both.body, tenantId, 'U2 where else somebody belongs is those tenants’ business')
    const not = await administrator.submit(await administrator.submit(both, 'disable-form'), 'confirm-form')
    t.equal(not.status, 403)
    t.match(textOf(not, 'problem'), 'belongs to other tenants too')
    t.equal((await stateOf(testApp, shared.userId))?.state, 'enabled')
  },
)

t.test('many people: a page at a time, and found by a part of name or address', async (t) => {
  const testApp = await openPortal(t)
  const administrator = await testApp.as('administrator')
  const rows = Array.from({ length: 60 }, (_, index) => ({
    ...{ id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`, email: `crowd${index}@example.test` },
    ...{ email_key: `crowd${index}@example.test`, email_verified: 0, name: `Crowd ${index}`, state: 'enabled' },
    ...{
      id_provider: 'local',
      password_hash: null,
      password_changed_at: null,
      totp_secret: null,
      operator: 0,
      factor_demanded_at: null,
      work_mail: 1,
    },
    ...{ totp_last_step: null, created_at: 1, updated_at: 1, last_sign_in_at: null, language: '' },
  }))
  await testApp.store.transaction(async (tx) => {
    await tx.insertInto('users').values(rows).execute()
    const places = rows.map(({ id }) => ({ user_id: id, role: 'member', created_at: 1, updated_at: 1 }))
    await tx
      .insertInto('memberships')
      .values(places.map((each) => ({ ...each, tenant_id: testApp.tenantId })))
      .execute()
  })
  const first = await administrator.get(path)
  t.equal([...first.body.matchAll(/id="person-/g)].length, 50)
  const more = /id="next" href="([^"]+)"/.exec(first.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  t.equal([...(await administrator.get(more)).body.matchAll(/id="person-/g)].length, 11)
  const found = await administrator.get(`${path}?search=ROWD%204`)
  t.equal([...found.body.matchAll(/id="person-/g)].length, 11)
  t.match(textOf(await administrator.get(`${path}?search=crowd59%40`), 'people'), 'Crowd 59')
  const nobody = await administrator.get(`${path}?search=${encodeURIComponent(payload)}`)
  t.match(textOf(nobody, 'nobody-found'), 'Nobody here is called')
  t.notMatch(nobody.body, payload, 'U4 inert')
  t.equal((await administrator.get(`${path}?after=forged`)).status, 400, 'U3 a page token of nobody')
})

t.test('U4 names are text on every page of people', async (t) => {
  const testApp = await openPortal(t)
  const administrator = await testApp.as('administrator')
  const { userId } = await testApp.person('Eve', 'member')
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PATCH', `/users/${userId}`, { name: payload })
  const own = await administrator.get(path)
  const mail = await administrator.submit(own, 'invite-form', { email: `"${payload}"@example.test` })
  for (const page of [
    own,
    mail,
    ...(await Promise.all(['', '/remove', '/delete'].map((rest) => administrator.get(`${path}/${userId}${rest}`)))),
  ]) {
    t.notMatch(page.body, payload, page.path)
    t.match(page.body, '&lt;img src=x', page.path)
  }
})
