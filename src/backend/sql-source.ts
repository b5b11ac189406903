// The source that ships: the Store's own tables. Each write is one Store transaction, conditional on the version.

import { ApiError } from '../http/answers/api-error.js'
import { isFull } from '../storage/sql/registrations/quota-counts.js'
import {
  findProfile,
  insertProfile,
  type StoredProfile,
  type StoredProfileChange,
  updateProfile,
} from '../storage/sql/resources/profiles.js'
import {
  findResourceGroup,
  insertResourceGroup,
  listResourceGroups,
  type StoredResourceGroup,
  updateResourceGroup,
} from '../storage/sql/resources/resource-groups.js'
import { listSubscriptions } from '../storage/sql/resources/subscription-lists.js'
import {
  deleteSubscription,
  findSubscription,
  insertSubscription,
  type StoredSubscription,
  updateSubscription,
} from '../storage/sql/resources/subscriptions.js'
import type { Statements, Store } from '../storage/sql/store.js'
import { blankProfileOf } from './blank-profile.js'
import { type ProvisioningState, provisioningStates } from './provisioning-states.js'
import type {
  Profile,
  ProfileChange,
  ProfileOwner,
  ResourceGroup,
  ResourceSource,
  Subscription,
  SubscriptionPair,
} from './source.js'
import { type SubscriptionState, subscriptionStates } from './subscription-states.js'

/**
 * A source over the Store's profiles, subscriptions and resource_groups; without `quotas` a tenant has what it likes.
 */
export function createSqlSource(store: Store, quotas?: { subscriptions: number }): ResourceSource {
  return {
    findProfile: async (owner) => optional(await findOrMakeProfile(store, owner), profileOf),
    changeProfile: async (owner, change, now) => {
      await findOrMakeProfile(store, owner)
      return store.transaction(async (tx) =>
        optional(await updateProfile(tx, owner, columnsOf(change), now), profileOf),
      )
    },

    listSubscriptions: async (tenantId, stretch) =>
      (await listSubscriptions(store.reader, tenantId, stretch)).map(subscriptionOf),
    findSubscription: (tenantId, id) => store.snapshot((tx) => findPair(tx, tenantId, id)),
    addSubscription: (tenantId, pair) =>
      store.transaction(async (tx) => {
        if (quotas !== undefined) await checkRoom(tx, tenantId, quotas.subscriptions)
        await insertPair(tx, tenantId, pair)
      }),
    changeSubscription: (at, change, now) =>
      store.transaction(async (tx) => {
        const changed = await updateSubscription(tx, at, change, now)
        if (changed === undefined) return undefined
        const group = { name: change.displayName, provisioningState: change.provisioningState }
        await updateResourceGroup(tx, { tenantId: at.tenantId, subscriptionRecordId: at.id }, group, now)
        return findPair(tx, at.tenantId, at.id)
      }),
    deleteSubscription: (at) => store.transaction((tx) => deleteSubscription(tx, at)),

    listResourceGroups: async (tenantId, page) => (await listResourceGroups(store.reader, tenantId, page)).map(groupOf),
    findResourceGroup: async (tenantId, id) =>
      optional(await findResourceGroup(store.reader, tenantId, { id }), (row) => ({
        group: groupOf(row),
        version: row.version,
      })),
  }
}

async function checkRoom(tx: Statements, tenantId: string, most: number): Promise<void> {
  if (!(await isFull(tx, 'subscriptions', tenantId, most))) return
  const message = `A tenant has at most ${most} subscriptions: delete some, or have quotas.subscriptions raised.`
  throw new ApiError(409, 'TooManySubscriptions', message)
}

/**
 * A tenant's own profile is made when it is first requested; a member's comes with the membership, or here when there
 * is none for whatever reason. Nobody else has one.
 */
async function findOrMakeProfile(store: Store, owner: ProfileOwner): Promise<StoredProfile | undefined> {
  const found = await findProfile(store.reader, owner)
  if (found !== undefined) return found
  return store.transaction(async (tx) => {
    const raced = await findProfile(tx, owner)
    if (raced !== undefined) return raced
    const profile = await blankProfileOf(tx, owner, Date.now())
    if (profile !== undefined) await insertProfile(tx, profile)
    return profile === undefined ? undefined : findProfile(tx, owner)
  })
}

/** Writes a new subscription and its group; also what seed.ts fills a tenant with. Call it in a transaction. */
export async function insertPair(tx: Statements, tenantId: string, pair: SubscriptionPair): Promise<void> {
  const { subscription, group } = pair
  await insertSubscription(tx, {
    id: subscription.id,
    tenant_id: tenantId,
    subscription_id: subscription.subscriptionId,
    display_name: subscription.displayName,
    state: subscription.state,
    version: subscription.version,
    created_at: subscription.createdAt,
    updated_at: subscription.createdAt,
  })
  await insertResourceGroup(tx, {
    id: group.id,
    tenant_id: tenantId,
    subscription_record_id: subscription.id,
    name: group.name,
    location: group.location,
    provisioning_state: group.provisioningState,
    updated_at: subscription.createdAt,
  })
}

async function findPair(tx: Statements, tenantId: string, id: string): Promise<SubscriptionPair | undefined> {
  const subscription = await findSubscription(tx, tenantId, id)
  if (subscription === undefined) return undefined
  const group = await findResourceGroup(tx, tenantId, { subscriptionRecordId: id })
  if (group === undefined) throw new Error(`subscription record ${id} has no resource group`)
  return { subscription: subscriptionOf(subscription), group: groupOf(group) }
}

function optional<Row, Value>(row: Row | undefined, map: (row: Row) => Value): Value | undefined {
  return row === undefined ? undefined : map(row)
}

function profileOf(row: StoredProfile): Profile {
  return {
    id: row.id,
    publicName: row.public_name,
    idProvider: row.id_provider,
    email: row.email,
    coverURL: row.cover_url,
    avatarURL: row.avatar_url,
    followsCount: row.follows_count,
    followersCount: row.followers_count,
    enrollmentsCount: row.enrollments_count,
    socialProfileID: row.social_profile_id,
    cartID: row.cart_id,
    walletID: row.wallet_id,
    currencyID: row.currency_id,
    currencyExchange: row.currency_exchange,
  }
}

function columnsOf(change: ProfileChange): StoredProfileChange {
  return {
    ...(change.publicName === undefined ? {} : { public_name: change.publicName }),
    ...(change.coverURL === undefined ? {} : { cover_url: change.coverURL }),
    ...(change.avatarURL === undefined ? {} : { avatar_url: change.avatarURL }),
    ...(change.currencyID === undefined ? {} : { currency_id: change.currencyID }),
  }
}

function subscriptionOf(row: StoredSubscription): Subscription {
  if (!isOf(subscriptionStates, row.state)) throw new Error(`subscription record ${row.id} is in an unknown state`)
  return {
    id: row.id,
    subscriptionId: row.subscription_id,
    displayName: row.display_name,
    state: row.state satisfies SubscriptionState,
    version: row.version,
    createdAt: row.created_at,
  }
}

function groupOf(row: StoredResourceGroup): ResourceGroup {
  const state = row.provisioning_state
  if (!isOf(provisioningStates, state)) throw new Error(`resource group ${row.id} is in an unknown state`)
  return { id: row.id, name: row.name, location: row.location, provisioningState: state satisfies ProvisioningState }
}

function isOf<Name extends string>(table: Readonly<Record<Name, unknown>>, value: string): value is Name {
  return Object.hasOwn(table, value)
}
