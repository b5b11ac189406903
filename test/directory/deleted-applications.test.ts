// Anyone who may register and delete applications may do so in a loop: each leaves a revocation, and of those there are
// so many.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import { deleteApplication } from '../../src/directory/applications/delete-application.js'
import { registerApplication } from '../../src/directory/applications/registration.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { createRevocationView, type RevocationFollower } from '../../src/revocation/revocation-view.js'
import { openDirectory } from '../support/rooms/directory.js'

const dayMs = 86_400_000

t.test('gateway H6: a loop of applications ends for the person who runs it, then for the tenant', async (t) => {
  const views: RevocationFollower[] = []
  const { writes, store, clock } = await openDirectory(t, {
    followers: ({ feed }) => {
      views.push(createRevocationView({ feed, staleAfterMs: 600_000, horizonMs: dayMs }))
      return views
    },
  })
  const [one, other] = [await createTenant(writes, { name: 'one' }), await createTenant(writes, { name: 'other' })]
  const quotas = { applications: 100, people: 100, deletedApplications: 30 }
  const by = () => ({ ...writes, quotas, actor: { kind: 'user' as const, userId: randomUUID() } })
  const [ada, ben] = [by(), by()]
  const register = (deps: ReturnType<typeof by>, { tenantId } = one) =>
    registerApplication(deps, { name: `app ${randomUUID()}`, type: 'native', tenantId })
  const tokens: Parameters<RevocationFollower['refusal']>[0][] = []
  const loop = async (deps: ReturnType<typeof by>) => {
    const { applicationId, tenantId } = (await register(deps)).registration
    const seq = views[0]?.seq ?? 0
    tokens.push({ ...{ jti: randomUUID(), credentialId: applicationId, applicationId, tenantId, seq } })
    await deleteApplication(deps, applicationId)
  }
  const kept = await register(ada)
  for (let at = 0; at < 3; at += 1) await loop(ada)
  await t.rejects(register(ada), { code: 'TooManyApplications', message: /You have deleted 3 .* tomorrow/ })
  await loop(ben)
  await register(ada, other)
  await deleteApplication(ada, kept.registration.applicationId)
  for (let at = 0; at < 9; at += 1) {
    const next = by()
    for (let own = 0; own < 3 && tokens.length < 29; own += 1) await loop(next)
  }
  await t.rejects(register(by()), { code: 'TooManyApplications', message: /In this tenant 30 .*quotas\.deletedAppl/ })
  const rows = await store.reader.selectFrom('revocations').select('id').execute()
  t.equal(rows.length, 30)
  t.ok((views[0]?.entries ?? 0) <= 61, `${views[0]?.entries} entries: a revocation each, and that it is none any more`)
  t.equal(tokens.filter((token) => views[0]?.refusal(token, clock.nowMs) === undefined).length, 0, 'all are refused')
  clock.nowMs += 2 * dayMs
  await register(ada)
})
