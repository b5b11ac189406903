// identity H3: whose an application is that registers itself by standard (RFC 7591, decision 84).

import t, { type Test } from 'tap'
import { listOwners } from '../../../src/directory/applications/owners-in-transaction.js'
import { createRegistrationToken } from '../../../src/directory/applications/registration-tokens.js'
import type { Actor } from '../../../src/ledger/ledger.js'
import { setRole } from '../../../src/users/memberships/memberships.js'
import { makePerson } from '../../support/rooms/delegation.js'
import { openIdentity } from '../../support/rooms/identity.js'
import { openRegistering, redirectUri } from '../../support/rooms/registering.js'

async function open(t: Test) {
  const testApp = await openIdentity(t)
  const registering = await openRegistering(testApp)
  const { tenantId, register } = registering
  /** The owners of what registers by a token that this actor made. */
  const ownersBy = async (actor: Actor, label: string) => {
    const about = { tenantId, label, lifetimeMs: 86_400_000, uses: 1, permissions: [] }
    const { secret } = await createRegistrationToken({ ...testApp.writes, actor }, about)
    return { owners: () => ownersOf(secret, label) }
  }
  const ownersOf = async (secret: string, label: string) => {
    const answer = await register({ client_name: label, redirect_uris: [redirectUri] }, secret)
    if (answer.statusCode !== 201) throw new Error(answer.body)
    const owners = await testApp.store.snapshot((tx) => listOwners(tx, answer.json().client_id))
    return owners.map(({ ownerId, kind }) => ({ ownerId, kind }))
  }
  return { ...testApp, ...registering, ownersBy }
}

t.test('identity H3: what registers itself belongs to the maker of the registration token', async (t) => {
  const testApp = await open(t)
  const { userId } = await makePerson(testApp.deps, testApp.tenantId, { role: 'administrator' })
  const ofPerson = await testApp.ownersBy({ kind: 'user', userId }, 'Lighthouse')
  t.same(await ofPerson.owners(), [{ ownerId: userId, kind: 'user' }])
  const { registration } = await testApp.registerDemo({ tenantId: testApp.tenantId })
  const { applicationId } = registration
  const ofApplication = await testApp.ownersBy({ kind: 'application', applicationId }, 'Windmill')
  t.same(await ofApplication.owners(), [{ ownerId: applicationId, kind: 'application' }])
})

t.test(
  'identity H3 C22: it is the administrators’ when the local socket made the token; one of a dismissed maker is worth nothing',
  async (t) => {
    const testApp = await open(t)
    t.same(await (await testApp.ownersBy({ kind: 'operator' }, 'Harbour')).owners(), [], 'the local socket')
    const { userId } = await makePerson(testApp.deps, testApp.tenantId, { role: 'administrator' })
    const token = await testApp.ownersBy({ kind: 'user', userId }, 'Lighthouse')
    await setRole(testApp.deps.users, { userId, tenantId: testApp.tenantId, role: 'member' })
    await t.rejects(token.owners(), /registering is not valid/, 'who was made a mere member meanwhile')
  },
)
