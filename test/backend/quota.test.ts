// How much one tenant may have: a limit that says so, and how it is raised; and nobody else's tenant has less for it.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createSqlSource } from '../../src/backend/sql-source.js'
import { registerApplication } from '../../src/directory/applications/registration.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { now, openStore, tenantA, tenantB } from '../support/rooms/backend-app.js'
import { openDirectory } from '../support/rooms/directory.js'

const pair = () => ({
  subscription: {
    ...{ id: randomUUID(), subscriptionId: randomUUID(), displayName: 'x', state: 'Enabled' as const },
    ...{ version: 1, createdAt: now },
  },
  group: { id: randomUUID(), name: 'x', location: 'global', provisioningState: 'Succeeded' as const },
})

t.test('gateway M8: a tenant has so many subscriptions and no more', async (t) => {
  const source = createSqlSource(await openStore(t), { subscriptions: 2 })
  for (let at = 0; at < 2; at += 1) await source.addSubscription(tenantA, pair())
  const refused = source.addSubscription(tenantA, pair())
  await t.rejects(refused, { status: 409, code: 'TooManySubscriptions', message: /at most 2 .* quotas\.subscriptions/ })
  await source.addSubscription(tenantB, pair())
  const order = [{ field: 'id', direction: 'asc' } as const]
  const [first] = await source.listSubscriptions(tenantA, { filter: undefined, order, after: undefined, limit: 9 })
  t.equal(await source.deleteSubscription({ tenantId: tenantA, id: first?.id ?? '', version: 1 }), true)
  await source.addSubscription(tenantA, pair())
})

t.test('gateway H6: a tenant has so many applications and no more', async (t) => {
  const { writes } = await openDirectory(t)
  const deps = { ...writes, quotas: { applications: 2, people: 2 } }
  // The first tenant has the command line's application already.
  await createTenant(deps, { name: 'first' })
  const [one, other] = [await createTenant(deps, { name: 'one' }), await createTenant(deps, { name: 'other' })]
  const register = ({ tenantId }: typeof one) => registerApplication(deps, { name: 'app', type: 'native', tenantId })
  for (let at = 0; at < 2; at += 1) await register(one)
  await t.rejects(register(one), { code: 'TooManyApplications', message: /at most 2 .* quotas\.applications/ })
  await register(other)
})
