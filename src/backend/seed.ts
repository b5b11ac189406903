// What a new tenant starts with, so that the first calls show something: a profile with all fifteen fields and three
// subscriptions with their resource groups.

import { randomUUID } from 'node:crypto'
import { findProfile, insertProfile } from '../memory/store/profiles.js'
import type { Statements } from '../memory/store/store.js'
import { insertPair } from './sql-source.js'
import type { SubscriptionState } from './subscription-states.js'
import { defaultLocation } from './subscriptions/create.js'

// Two real pictures, a disc of 32 × 32 pixels and a strip of 96 × 32.
const avatar =
  'data:image/jpeg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAgACADASIAAhEBAxEB/8QAGAAAAwEBAAAAAAAAAAAAAAAABAUGAAP/xAAnEAACAQMCBAcBAAAAAAAAAAABAgMABBEFoSEiMWESQVFxgZGx8P/EABcBAQEBAQAAAAAAAAAAAAAAAAABAwT/xAAXEQADAQAAAAAAAAAAAAAAAAABAhEA/9oADAMBAAIRAxEAPwCpuJ47aIySnAH2T6Ckkmr3UjchWMZ6AZ+81tYkMl6U44jUAcfXjnfag1WuhEEp2DMbBj4dUuVPOVkHcY/KcwzJPGHjOQdqnFWj9MYpceHycY6/NR1Eo1VjYdy1aEreF+JDgHp8f3vQqrVHNCk8ZSQZB2pW+mzIeXDjscftFcSHGU2jCqtG6fGTP4vJRmtHYSk8wCDuc0yijWJAqDAG9GYSDFU3f//Z'
const cover =
  'data:image/jpeg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAgAGADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAwUG/8QAFRABAQAAAAAAAAAAAAAAAAAAAAL/xAAYAQEBAQEBAAAAAAAAAAAAAAABAgMABP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AI8lkUlls85ZNIZNIJZLIpLKSaSyKSyCWTSGTSCWSyKSylzCyWRSWW7MsmkMmkEslkUllJNJZFJZBLJpDJpBLJZFJZS5/9k='

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
  await insertProfile(tx, {
    id: newId(),
    tenant_id: tenantId,
    user_id: null,
    public_name: 'Example Business',
    id_provider: 'portcullis',
    email: 'business@example.com',
    cover_url: cover,
    avatar_url: avatar,
    follows_count: 12,
    followers_count: 340,
    enrollments_count: 1,
    social_profile_id: newId(),
    cart_id: newId(),
    wallet_id: newId(),
    currency_id: 'EUR.DE',
    currency_exchange: 1,
    updated_at: now,
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
