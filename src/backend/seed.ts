// What a new tenant starts with, so that the first calls show something: a profile with a name and figures, and three
// subscriptions with their resource groups.

import { randomUUID } from 'node:crypto'
import { findProfile, insertProfile } from '../storage/sql/resources/profiles.js'
import type { Statements } from '../storage/sql/store.js'
import { insertPair } from './sql-source.js'
import type { SubscriptionState } from './subscription-states.js'
import { defaultLocation } from './subscriptions/create.js'
import { blankTenantProfile } from './tenant-profile.js'

const subscriptions: readonly { displayName: string; state: SubscriptionState }[] = [
  { displayName: 'Production', state: 'Enabled' },
  { displayName: 'Development', state: 'Enabled' },
  { displayName: 'Archive', state: 'Disabled' },
]

/**
 * Fills a tenant that has no profile of its own yet. Call it in a Store transaction; `now` is epoch milliseconds.
 * True when it wrote something, false when the tenant had been filled before.
 */
export async function seedTenant(
  tx: Statements,
  tenantId: string,
  now: number,
  newId: () => string = randomUUID,
): Promise<boolean> {
  if ((await findProfile(tx, { tenantId, userId: null })) !== undefined) return false
  const profile = blankTenantProfile(tenantId, now, newId)
  await insertProfile(tx, {
    ...profile,
    public_name: 'Example Business',
    email: 'business@example.com',
    follows_count: 12,
    followers_count: 340,
  })
  for (const [index, { displayName, state }] of subscriptions.entries()) {
    const id = newId()
    const createdAt = now + index
    await insertPair(tx, tenantId, {
      subscription: { id, subscriptionId: newId(), displayName, state, version: 1, createdAt },
      group: { id: newId(), name: displayName, location: defaultLocation, provisioningState: 'Succeeded' },
    })
  }
  return true
}
