// C7 C14 Who consents for others is looked at again when it is written: a role or a session that has ended gives nothing
// away.

import t, { type Test } from 'tap'
import { fileConsentRequest, listRequests } from '../../../src/directory/consents/consent-requests.js'
import { setOperator, setUserState } from '../../../src/users/accounts/user-state.js'
import { removeMembership } from '../../../src/users/memberships/leave-tenant.js'
import { setRole } from '../../../src/users/memberships/memberships.js'
import { signOutEverywhere } from '../../../src/users/sessions/end-access.js'
import type { Shown } from '../../support/browser/scripted-browser.js'
import { delegated, openAuthorize } from '../../support/rooms/authorize.js'
import { withMeanwhile } from '../../support/storage/meanwhile.js'

const path = '/api/v2/oauth2/v2.0/adminconsent'
const back = 'https://app.test/consented'

async function open(t: Test) {
  const permissions = [delegated('User.Read'), delegated('Server.Read')]
  const registration = { permissions, consentBy: undefined, adminConsentRedirectUris: [back] }
  const testApp = await openAuthorize(t, { consented: false, registration })
  const [{ userId }, another] = [await testApp.person({ role: 'administrator' }), await testApp.person()]
  for (const one of [userId, another.userId]) await setOperator(testApp.deps.users, one, true)
  const { users } = testApp.deps
  const { tenantId, registration: app } = testApp
  const during = (send: () => Promise<Shown>, meanwhile: () => Promise<unknown>) =>
    withMeanwhile(testApp, send, meanwhile)
  const endings: Record<string, () => Promise<unknown>> = {
    'signed out everywhere': () => signOutEverywhere(users, userId),
    disabled: () => setUserState(users, userId, 'disabled'),
    demoted: () => setRole(users, { tenantId, userId, role: 'member' }),
    'operator no more': () => setOperator(users, userId, false),
  }
  const granted = async () =>
    (await testApp.directory.findInstallation(app.applicationId, tenantId))?.granted.length ?? 0
  return { testApp, userId, admin: await testApp.signedIn(userId), during, endings, granted, app, tenantId }
}

const names = ['signed out everywhere', 'disabled', 'demoted', 'operator no more']

t.test('C7 C14 the admin consent page', async (t) => {
  for (const name of names) {
    const { admin, app, during, endings, granted } = await open(t)
    const query = new URLSearchParams({ client_id: app.applicationId, redirect_uri: back })
    const page = await admin.open(`${path}?${query}`)
    const answer = await during(
      () => admin.submit(page, 'admin-consent', { decision: 'grant' }),
      endings[name] ?? (async () => undefined),
    )
    t.equal(answer.status, 403, name)
    t.equal(await granted(), 0, name)
  }
})

t.test('C14 what waits for an administrator goes with a person who leaves the tenant', async (t) => {
  const { testApp, app, tenantId } = await open(t)
  const asking = { applicationId: app.applicationId, tenantId, permissions: [delegated('User.Read')], reason: '' }
  const [leaves, stays] = [await testApp.person(), await testApp.person()]
  for (const { userId } of [leaves, stays]) {
    await fileConsentRequest(testApp.deps.users, { ...asking, requestedBy: userId })
  }
  await removeMembership(testApp.deps.users, { tenantId, userId: leaves.userId })
  const left = await listRequests(testApp.store.reader, { tenantIds: [tenantId] })
  t.same(
    left.map(({ requestedBy }) => requestedBy),
    [stays.userId],
  )
})

t.test('C7 C14 the list of requests', async (t) => {
  for (const name of names) {
    const { testApp, admin, app, tenantId, during, endings, granted } = await open(t)
    const asks = { applicationId: app.applicationId, tenantId, requestedBy: testApp.user.userId }
    await fileConsentRequest(testApp.deps.users, {
      ...asks,
      permissions: [delegated('User.Read'), delegated('Server.Read')],
      reason: '',
    })
    const [request] = await listRequests(testApp.store.reader, { tenantIds: [tenantId] })
    const inbox = await admin.open('/consent-requests')
    const answer = await during(
      () => admin.submit(inbox, `decide-${request?.requestId}`, { decision: 'approved' }),
      endings[name] ?? (async () => undefined),
    )
    t.equal(answer.status, 403, name)
    t.equal(await granted(), 0, name)
    t.match(await listRequests(testApp.store.reader, { tenantIds: [tenantId] }), [{ state: 'pending' }], name)
  }
})
