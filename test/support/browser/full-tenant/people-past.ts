// What people did over the years: browsers they are signed in with, what they allowed applications, what they requested
// of administrators, and how some failed to sign in.

import { randomBytes, randomUUID } from 'node:crypto'
import { createActivity } from '../../../../src/ledger/activity.js'
import type { Store } from '../../../../src/storage/sql/store.js'
import { userAgents } from './names.js'
import type { Registered } from './registered.js'
import { inParts } from './traffic-past.js'

const dayMs = 86_400_000
const hourMs = 3_600_000
const reasons = [
  'The board wants the numbers by Friday.',
  'My team plans the stands of the trade fair with it; without the list of suppliers we copy everything by hand, each week.',
  '',
]

/** Writes all of it. `owner`: who looks at the pages. */
export async function addPeoplePast(
  store: Store,
  { registered, owner, resource }: { registered: Registered; owner: string; resource: string },
): Promise<void> {
  const now = Date.now()
  const { applications, tenantId } = registered
  const people = [owner, ...registered.people]
  const sessions = people.flatMap((userId, index) => sessionsOf(userId, index, now))
  const consents = people.flatMap((userId, index) =>
    applications.slice(index % 5, 12 + (index % 7)).map((applicationId, place) => ({
      ...{ user_id: userId, application_id: applicationId, tenant_id: tenantId, resource },
      ...{ permission_id: 'User.Read', granted_at: now - (place + index + 1) * dayMs },
    })),
  )
  const requests = applications.slice(60, 85).map((applicationId, index) => ({
    ...{
      id: randomUUID(),
      application_id: applicationId,
      tenant_id: tenantId,
      state: index < 14 ? 'pending' : 'approved',
    },
    ...{ requested_by: registered.people[index] ?? '', reason: reasons[index % reasons.length] ?? '' },
    permissions: JSON.stringify([
      { kind: 'application', resource, id: 'User.Read.All' },
      { kind: 'delegated', resource, id: 'User.Read' },
    ]),
    ...{ created_at: now - index * 9 * hourMs, decided_at: index < 14 ? null : now - hourMs },
    decided_by: index < 14 ? null : owner,
  }))
  await store.transaction(async (tx) => {
    for (const some of inParts(sessions)) await tx.insertInto('sessions').values(some).execute()
    for (const some of inParts(consents)) await tx.insertInto('user_consents').values(some).execute()
    for (const some of inParts(requests)) await tx.insertInto('consent_requests').values(some).execute()
    for (const some of inParts(grantsOf(people, registered, resource)))
      await tx.insertInto('grants').values(some).execute()
    for (const name of ['Laptop at work', 'Security key', 'Ada’s telephone']) {
      const key = { credential_id: randomBytes(16).toString('base64url'), public_key: '', counter: 0, transports: '[]' }
      const times = { created_at: now - 40 * dayMs, last_used_at: name === 'Security key' ? null : now - dayMs }
      await tx
        .insertInto('passkeys')
        .values({ ...key, ...times, user_id: owner, name })
        .execute()
    }
    const corp = { issuer: 'https://id.corp.example', subject: 'ada', user_id: owner, provider: 'corp' }
    await tx
      .insertInto('external_identities')
      .values({ ...corp, created_at: now - 90 * dayMs })
      .execute()
    for (const [index, id] of people.entries()) {
      const at = index % 7 === 6 ? null : now - index * 5 * hourMs
      await tx
        .updateTable('users')
        .set({ last_sign_in_at: at, created_at: now - (400 - index) * dayMs })
        .where('id', '=', id)
        .execute()
    }
  })
  await addFailures(store, registered)
}

function sessionsOf(userId: string, index: number, now: number) {
  return Array.from({ length: 1 + (index % 3) }, (_, more) => ({
    ...{ id_hash: randomBytes(32).toString('hex'), user_id: userId, created_at: now - (more + 1) * dayMs },
    ...{
      last_seen_at: now - (more * 2 + 1) * hourMs,
      expires_at: now + 3 * dayMs,
      acr: '1',
      amr: '["pwd"]',
      sign_in_way: 'password',
    },
    ...{ authenticated_at: now - (more + 1) * dayMs, user_agent: userAgents[(index + more) % userAgents.length] ?? '' },
    address: more === 1 ? '2001:db8:85a3:8d3:1319:8a2e:370:7348' : `198.51.100.${index}`,
  }))
}

function grantsOf(people: readonly string[], { applications, tenantId }: Registered, resource: string) {
  const now = Date.now()
  return people.slice(0, 30).flatMap((userId, index) =>
    applications.slice(index % 5, (index % 5) + 3).map((applicationId) => ({
      ...{ id: randomUUID(), origin: 'code', user_id: userId, application_id: applicationId, tenant_id: tenantId },
      ...{ resource, permissions: 'User.Read', openid_scopes: 'openid profile', client_identifier: applicationId },
      ...{ authentication: '{}', state: 'active', created_at: now - 2 * dayMs, ended_at: null, refresh_sequence: 1 },
      ...{ idle_expires_at: now + 10 * dayMs, expires_at: now + 80 * dayMs },
    })),
  )
}

/** Wrong passwords and wrong secrets of the last day. */
async function addFailures(store: Store, { people, applications, tenantId }: Registered): Promise<void> {
  let now = Date.now() - 20 * hourMs
  const activity = createActivity({ store, entries: 10_000, now: () => now })
  for (let index = 0; index < 120; index += 1) {
    now += 600_000
    const from = { address: `203.0.113.${index % 40}`, requestId: randomUUID() }
    const details = { proof: index % 4 === 0 ? 'second factor' : 'password' }
    if (index % 3 > 0) activity.note({ event: 'user.sign-in-failed', userId: people[index % 9], ...from, details })
    else {
      const of = { tenantId, applicationId: applications[index % 6] }
      activity.note({ event: 'client.authentication-failed', ...of, ...from, details: { reason: 'secret' } })
    }
  }
  await activity.flush({ last: true })
}
