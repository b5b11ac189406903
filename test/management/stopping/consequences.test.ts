// What hangs on an application, a person, a tenant or the keys: counted for those whose business it is, before anything
// is stopped.

import t from 'tap'
import type { TokenPrincipal } from '../../../src/access/principal.js'
import type { Consequences } from '../../../src/management/stopping/consequence-schemas.js'
import { consequenceLines } from '../../../src/management/stopping/consequence-words.js'
import { insertClientRegistration } from '../../../src/storage/sql/registrations/client-registrations.js'
import { setOperator } from '../../../src/users/accounts/user-state.js'
import { createUser } from '../../../src/users/accounts/users.js'
import { createSession } from '../../../src/users/sessions/sessions.js'
import { atPortal, openWorld } from '../../support/models/isolation.js'
import { ownResource } from '../../support/rooms/directory.js'
import { openManagement } from '../../support/rooms/management.js'

t.test('an application, a tenant, a person and the keys: numbers of this moment', async (t) => {
  const testApp = await openManagement(t)
  const { tenantA: tenantId, tenantB } = await openWorld(testApp)
  const { applicationId } = (await testApp.registerDemo({ name: 'reader', tenantId })).registration
  const principal = { kind: 'application', applicationId, tenantId, resource: ownResource } as unknown as TokenPrincipal
  for (let i = 0; i < 7; i += 1) testApp.usage.allowed(principal, { id: 'GET /posts' }, [])
  const decision = {
    ...({ what: 'token', outcome: 'granted', reason: 'granted', status: 200 } as const),
    isProved: true,
  }
  for (const requestId of ['1', '2', '3']) testApp.decisions.note({ ...decision, applicationId, tenantId, requestId })
  const person = { email: 'zoe@example.test', name: 'Zoe', membership: { tenantId, role: 'developer' as const } }
  const { userId } = await createUser(testApp.deps.users, person)
  const browser = { acr: '1', amr: ['pwd'], userAgent: 'test', address: '127.0.0.1' }
  await createSession(testApp.deps.users, { ...browser, userId })
  await createSession(testApp.deps.users, { ...browser, userId })
  const ask = async (path: string) => testApp.manage('GET', `${path}/consequences`)

  const application = (await ask(`/applications/${applicationId}`)).json<Consequences>()
  t.match(application, { applications: 1, people: 0, signIns: 0, sessions: null, tokens: 3, atLeast: [] })
  t.same(application.calls, { lastHour: 7, lastDay: 7 })
  t.same(consequenceLines(application).slice(-3), [
    ['Tokens issued in the last hour', '3'],
    ['Calls in the last hour', '7'],
    ['Calls in the last 24 hours', '7'],
  ])
  const tenant = (await ask(`/tenants/${tenantId}`)).json<Consequences>()
  t.match(tenant, { tenantId, tokens: 3, calls: { lastHour: 7 } })
  t.ok(tenant.applications >= 1 && tenant.people >= 1)
  t.match((await ask(`/tenants/${tenantB}`)).json(), { tokens: 0, calls: { lastHour: 0, lastDay: 0 } })
  t.match((await ask(`/users/${userId}`)).json(), { people: 1, sessions: 2, calls: null })
  const keys = (await ask('/keys')).json<Consequences>()
  t.match(keys, { tenantId: null, tokens: 3, calls: { lastHour: 7 } })
  t.ok(keys.applications >= tenant.applications)
  testApp.clock.nowMs += 2 * 3_600_000
  const later = (await ask(`/applications/${applicationId}`)).json<Consequences>()
  t.match(later, { tokens: 0, calls: { lastHour: 0, lastDay: 7 } }, 'what has ended is not counted')

  const administrator = {
    email: 'adm@example.test',
    name: 'Adm',
    membership: { tenantId, role: 'administrator' as const },
  }
  const { userId: adm } = await createUser(testApp.deps.users, administrator)
  testApp.caller.principal = atPortal(adm, tenantId)
  t.equal((await ask(`/tenants/${tenantId}`)).statusCode, 200)
  t.equal((await ask(`/tenants/${tenantB}`)).statusCode, 404, 'another tenant’s numbers')
  t.equal((await ask('/keys')).statusCode, 403, 'the whole server is for operators')
  t.match((await ask(`/applications/${applicationId}`)).json(), { tenantId }, 'only what is in their own tenant')
  testApp.caller.principal = atPortal(userId, tenantId)
  t.equal((await ask(`/tenants/${tenantId}`)).statusCode, 403, 'a developer')
  t.equal((await ask(`/users/${adm}`)).statusCode, 403)
  await setOperator(testApp.deps.users, adm, true)
  testApp.caller.principal = atPortal(adm, tenantId)
  t.equal((await ask(`/tenants/${tenantB}`)).statusCode, 200)
  t.equal((await ask('/tenants/00000000-0000-4000-8000-000000000000')).statusCode, 404)
})

t.test('a credential, a registration token and an account that is recovered: what hangs on each', async (t) => {
  const testApp = await openManagement(t)
  const { tenantA: tenantId } = await openWorld(testApp)
  const { registration } = await testApp.registerDemo({ name: 'reader', tenantId })
  const { applicationId } = registration
  const principal = { kind: 'application', applicationId, tenantId, resource: ownResource } as unknown as TokenPrincipal
  for (let i = 0; i < 5; i += 1) testApp.usage.allowed(principal, { id: 'GET /posts' }, [])
  const ask = async (path: string) => testApp.manage('GET', path)
  const { secrets } = (await ask(`/applications/${applicationId}`)).json<{ secrets: { keyId: string }[] }>()
  const ofSecret = (await ask(`/credentials/${secrets[0]?.keyId}/consequences`)).json<Consequences>()
  t.match(ofSecret, { applications: 1, calls: { lastHour: 5 }, proofs: null, registrations: null })
  for (const none of ['nobody', 'fed_nobody']) t.equal((await ask(`/credentials/${none}/consequences`)).statusCode, 404)

  const made = await testApp.manage('POST', '/registrationTokens', { label: 'pipeline', uses: 4, tenantId })
  const { id } = made.json<{ id: string }>()
  const row = { token_hash: 'h', previous_hash: null, registration_token_id: id, grant_types: '[]', permissions: '[]' }
  await testApp.store.transaction(async (tx) => {
    const about = { auth_method: 'none', application_type: 'web', updated_at: testApp.clock.nowMs }
    await insertClientRegistration(tx, { application_id: applicationId, ...row, ...about })
  })
  const ofToken = async () => (await ask(`/registrationTokens/${id}/consequences`)).json<Consequences>()
  t.match((await ofToken()).registrations, { sofar: 1, lastHour: 1, left: 4 })
  testApp.clock.nowMs += 2 * 3_600_000
  t.match((await ofToken()).registrations, { sofar: 1, lastHour: 0, left: 4 })
  testApp.clock.nowMs += 24 * 3_600_000
  t.match((await ofToken()).registrations, { sofar: 1, left: 0 }, 'it has ended')
  t.equal((await ask('/registrationTokens/7a1c1c3e-0000-4000-8000-000000000009/consequences')).statusCode, 404)
  t.same(consequenceLines(await ofToken()), [
    ['Applications registered with it, which stay', '1'],
    ['Registered in the last hour', 'none'],
    ['Registrations that are left and end', 'none'],
  ])

  const { userId } = await createUser(testApp.deps.users, { email: 'zoe@example.test', name: 'Zoe' })
  await createSession(testApp.deps.users, { userId, acr: '1', amr: ['pwd'], userAgent: 'test', address: '127.0.0.1' })
  const ofMail = async (email: string) =>
    (await ask(`/recoveryLinks/consequences?email=${encodeURIComponent(email)}`)).json<Consequences>()
  const proofs = { secondFactor: false, passkeys: 0, providers: 0 }
  t.match(await ofMail('Zoe@example.test'), { people: 1, sessions: 1, proofs })
  t.match(await ofMail('nobody@example.test'), { people: 0, sessions: 0, proofs }, 'nobody has it yet')
})
