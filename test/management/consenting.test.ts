// Anyone who consents for a tenant could use what they consent to; found by the random calls of test/privileges.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import { atPortal, openWorld, withToken } from '../support/models/isolation.js'
import { openManagement, refusal } from '../support/rooms/management.js'

t.test(
  'identity H2: an administrator gives no application what is for owners, and has it by way of that',
  async (t) => {
    const { testApp, tenantA, a } = await openWorld(await openManagement(t))
    const definitions = [
      { id: 'vault', describe: 'Vault', kinds: ['application', 'delegated'], role: 'owner', adminConsent: true },
      {
        id: 'approve',
        describe: 'Approve',
        kinds: ['application', 'delegated'],
        role: 'administrator',
        adminConsent: true,
      },
    ]
    testApp.caller.principal = atPortal(a.owner, tenantA)
    const api = await testApp.manage('POST', '/apis', { shortName: 'pay', name: 'Pay', permissions: definitions })
    const { identifier: resource } = api.json()
    for (const kind of ['application', 'delegated']) {
      const [vault, approve] = ['vault', 'approve'].map((id) => ({ kind, resource, id }))
      testApp.caller.principal = atPortal(a.administrator, tenantA)
      const registration = { name: `app ${randomUUID()}`, type: 'web', permissions: [vault, approve] }
      const atOnce = await testApp.manage('POST', '/applications', { ...registration, consent: true })
      t.match(refusal(atOnce), { status: 403, code: 'RoleRequired' }, 'with the registration')
      const { applicationId } = (await testApp.manage('POST', '/applications', registration)).json()
      const path = `/applications/${applicationId}/consents`
      t.match(refusal(await testApp.manage('POST', path, {})), { status: 403, code: 'RoleRequired' })
      t.match(refusal(await testApp.manage('POST', path, { permissions: [vault] })), {
        status: 403,
        code: 'RoleRequired',
      })
      t.equal((await testApp.manage('POST', path, { permissions: [approve] })).statusCode, 200, 'what they could use')
      testApp.caller.principal = atPortal(a.owner, tenantA)
      t.equal((await testApp.manage('POST', path, {})).statusCode, 200, 'an owner may')
      testApp.caller.principal = atPortal(a.administrator, tenantA)
      t.equal(
        (await testApp.manage('POST', path, {})).statusCode,
        200,
        'what was granted already is required of nobody again',
      )
      t.match(refusal(await testApp.manage('POST', `/applications/${applicationId}/secrets`, {})), {
        code: 'HoldsMore',
      })
    }
  },
)

t.test('identity M3: through an application nobody acts as more than an administrator', async (t) => {
  const world = await openWorld(await openManagement(t))
  const { testApp, tenantA, a } = world
  const path = `/tenants/${tenantA}/memberships/${a.member}`
  testApp.caller.principal = withToken(world, tenantA, ['Member.ReadWrite.All'], a.owner)
  t.match(refusal(await testApp.manage('PATCH', path, { role: 'owner' })), { status: 403, code: 'RoleRequired' })
  t.equal((await testApp.manage('PATCH', path, { role: 'administrator' })).statusCode, 200)
  testApp.caller.principal = atPortal(a.owner, tenantA)
  t.equal((await testApp.manage('PATCH', path, { role: 'owner' })).statusCode, 200, 'an owner at the portal')
})
