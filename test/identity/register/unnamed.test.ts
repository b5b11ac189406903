// identity L2, RFC 7591 §2: clients that say no name are called alike, and none is refused for it (decision 101).

import t from 'tap'
import { createRegistrationToken } from '../../../src/directory/applications/registration-tokens.js'
import type { Actor } from '../../../src/ledger/ledger.js'
import { makePerson } from '../../support/rooms/delegation.js'
import { openIdentity } from '../../support/rooms/identity.js'
import { openRegistering, redirectUri, registerPath } from '../../support/rooms/registering.js'

const client = { redirect_uris: [redirectUri] }

t.test('identity L2: RFC 7591 §2 registrations without client_name, by tokens of several people', async (t) => {
  const testApp = await openIdentity(t)
  const { tenantId, register, send } = await openRegistering(testApp)
  const registerAs = async (actor: Actor, label: string, metadata: object) => {
    const about = { tenantId, label, lifetimeMs: 86_400_000, uses: 5, permissions: [] }
    const { secret } = await createRegistrationToken({ ...testApp.writes, actor }, about)
    return register(metadata, secret)
  }
  const registerBy = async (label: string, metadata: object) => {
    const { userId } = await makePerson(testApp.deps, tenantId, { role: 'administrator' })
    return registerAs({ kind: 'user', userId }, label, metadata)
  }
  for (const label of ['one', 'two']) {
    const answer = await registerBy(label, client)
    t.match(
      { status: answer.statusCode, name: answer.json().client_name },
      { status: 201, name: 'Unnamed application' },
    )
  }
  const named = (await registerBy('three', { ...client, client_name: 'Lighthouse' })).json()
  const put = await send('PUT', `${registerPath}/${named.client_id}`, {
    token: named.registration_access_token,
    body: { ...client, client_id: named.client_id },
  })
  t.match({ status: put.statusCode, name: put.json().client_name }, { status: 200, name: 'Unnamed application' })
  const { applicationId } = (await testApp.registerDemo({ name: 'Robot', tenantId })).registration
  const robot = { kind: 'application', applicationId } as const
  t.equal((await registerAs(robot, 'four', client)).statusCode, 201)
  const alike = await registerAs(robot, 'five', { ...client, client_name: 'Unnamed appIication' })
  t.equal(alike.statusCode, 400, 'only this very name is everybody’s')
})
