// An example of a source: everything in this process's memory, gone when it ends. Start from this file to serve data
// that lives somewhere else: implement ResourceSource, run test/backend/source-contract.ts over it, and hand it to
// createBackend (src/backend/index.ts). Three duties are easy to miss: a record of another tenant does not exist, a
// change happens only at the version that the caller has read, and text is ordered by code point, which `<` on strings
// is not.

import type {
  Profile,
  ProfileOwner,
  ResourceSource,
  Subscription,
  SubscriptionPair,
} from '../../../src/backend/source.js'
import type { SortKey, SubscriptionCondition } from '../../../src/storage/sql/resources/subscription-lists.js'
import type { SubscriptionVersion } from '../../../src/storage/sql/resources/subscriptions.js'

interface Tenant {
  /** By user id; the tenant's own under the empty string. */
  profiles: Map<string, Profile>
  pairs: Map<string, SubscriptionPair>
}

/** A source that starts empty; `addProfile` puts a profile into it, which the API itself never does. */
export function createMemorySource(): ResourceSource & { addProfile(owner: ProfileOwner, profile: Profile): void } {
  const tenants = new Map<string, Tenant>()

  function tenant(tenantId: string): Tenant {
    const known = tenants.get(tenantId) ?? { profiles: new Map(), pairs: new Map() }
    tenants.set(tenantId, known)
    return known
  }

  /**
   * The pair, if it still is at that version. Nothing is awaited between this look and the write: that makes it atomic.
   */
  function pairAt({ tenantId, id, version }: SubscriptionVersion): SubscriptionPair | undefined {
    const pair = tenant(tenantId).pairs.get(id)
    return pair?.subscription.version === version ? pair : undefined
  }

  return {
    addProfile: ({ tenantId, userId }, profile) => void tenant(tenantId).profiles.set(userId ?? '', profile),
    findProfile: async ({ tenantId, userId }) => tenant(tenantId).profiles.get(userId ?? ''),
    changeProfile: async ({ tenantId, userId }, change) => {
      const { profiles } = tenant(tenantId)
      const profile = profiles.get(userId ?? '')
      if (profile === undefined) return undefined
      const changed = { ...profile, ...change }
      profiles.set(userId ?? '', changed)
      return changed
    },

    listSubscriptions: async (tenantId, { filter, order, after, limit }) =>
      [...tenant(tenantId).pairs.values()]
        .map((pair) => pair.subscription)
        .filter((subscription) => filter === undefined || satisfies(subscription, filter))
        .filter((subscription) => after === undefined || compare(valuesOf(subscription, order), after, order) > 0)
        .sort((a, b) => compare(valuesOf(a, order), valuesOf(b, order), order))
        .slice(0, limit),
    findSubscription: async (tenantId, id) => tenant(tenantId).pairs.get(id),
    addSubscription: async (tenantId, pair) => void tenant(tenantId).pairs.set(pair.subscription.id, pair),
    changeSubscription: async (at, { displayName, state, provisioningState }) => {
      const pair = pairAt(at)
      if (pair === undefined) return undefined
      const changed = {
        subscription: { ...pair.subscription, displayName, state, version: at.version + 1 },
        group: { ...pair.group, name: displayName, provisioningState },
      }
      tenant(at.tenantId).pairs.set(at.id, changed)
      return changed
    },
    deleteSubscription: async (at) => pairAt(at) !== undefined && tenant(at.tenantId).pairs.delete(at.id),

    listResourceGroups: async (tenantId, { afterId, limit }) =>
      [...tenant(tenantId).pairs.values()]
        .map((pair) => pair.group)
        .filter((group) => afterId === undefined || compareValues(group.id, afterId) > 0)
        .sort((a, b) => compareValues(a.id, b.id))
        .slice(0, limit),
    findResourceGroup: async (tenantId, id) => {
      const pair = [...tenant(tenantId).pairs.values()].find((candidate) => candidate.group.id === id)
      return pair === undefined ? undefined : { group: pair.group, version: pair.subscription.version }
    },
  }
}

function satisfies(subscription: Subscription, condition: SubscriptionCondition): boolean {
  switch (condition.kind) {
    case 'compare':
      return (subscription[condition.field] === condition.value) === (condition.operator === 'eq')
    case 'starts-with':
      return subscription[condition.field].startsWith(condition.value)
    case 'not':
      return !satisfies(subscription, condition.condition)
    case 'and':
      return condition.conditions.every((part) => satisfies(subscription, part))
    case 'or':
      return condition.conditions.some((part) => satisfies(subscription, part))
  }
}

function valuesOf(subscription: Subscription, order: readonly SortKey[]): (string | number)[] {
  return order.map(({ field }) => subscription[field])
}

function compare(a: readonly (string | number)[], b: readonly (string | number)[], order: readonly SortKey[]): number {
  for (const [index, { direction }] of order.entries()) {
    const difference = compareValues(a[index] ?? '', b[index] ?? '')
    if (difference !== 0) return direction === 'asc' ? difference : -difference
  }
  return 0
}

/** By code point: the order of the UTF-8 bytes. */
function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}
