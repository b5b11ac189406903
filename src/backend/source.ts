// Where the backend's data lives, as an interface: sql-source.ts ships, test/support/rooms/memory-source.ts is the
// example to start your own from. A source only remembers; who may do what, states and preconditions are decided before
// it is called. What every source must do is a test suite: test/backend/source-contract.ts.

import type { SubscriptionStretch } from '../storage/sql/resources/subscription-lists.js'
import type { SubscriptionVersion } from '../storage/sql/resources/subscriptions.js'
import type { ProvisioningState } from './provisioning-states.js'
import type { SubscriptionState } from './subscription-states.js'

/** The fifteen fields of GET /api/v2/me but for currencyISO, which is the first part of currencyID. */
export interface Profile {
  id: string
  publicName: string
  idProvider: string
  email: string
  coverURL: string
  avatarURL: string
  followsCount: number
  followersCount: number
  enrollmentsCount: number
  socialProfileID: string
  cartID: string
  walletID: string
  currencyID: string
  currencyExchange: number
}

/** What the owner of a profile may change. */
export type ProfileChange = Partial<Pick<Profile, 'publicName' | 'coverURL' | 'avatarURL' | 'currencyID'>>

/** Whose profile: a user's in a tenant, or (`userId` null) the tenant's own. */
export interface ProfileOwner {
  tenantId: string
  userId: string | null
}

export interface Subscription {
  /** GUID of the record, lower case; the one in paths. */
  id: string
  subscriptionId: string
  displayName: string
  state: SubscriptionState
  /** Counts every change of the subscription or its resource group; from 1. */
  version: number
  /** Epoch milliseconds. */
  createdAt: number
}

export interface ResourceGroup {
  id: string
  name: string
  location: string
  provisioningState: ProvisioningState
}

/** A subscription and the one resource group that belongs to it. */
export interface SubscriptionPair {
  subscription: Subscription
  group: ResourceGroup
}

/** What a subscription and its group become. The group's name is the subscription's displayName. */
export interface SubscriptionChange {
  displayName: string
  state: SubscriptionState
  provisioningState: ProvisioningState
}

/**
 * Every method keeps to the tenant that it is given: a record of another tenant does not exist. A deleted subscription
 * is never returned, whether the source erases it or keeps a trace. Every method throws StoreUnavailable
 * (storage/sql/store.ts) when it cannot answer now. Times are epoch milliseconds.
 */
export interface ResourceSource {
  findProfile(owner: ProfileOwner): Promise<Profile | undefined>
  /**
   * Sets the named fields and leaves the others, atomically; the profile as it is now, or undefined when there is none.
   */
  changeProfile(owner: ProfileOwner, change: ProfileChange, now: number): Promise<Profile | undefined>

  /** At most `limit` subscriptions in exactly the wanted order (text by code point), those beyond `after` only. */
  listSubscriptions(tenantId: string, stretch: SubscriptionStretch): Promise<readonly Subscription[]>
  findSubscription(tenantId: string, id: string): Promise<SubscriptionPair | undefined>
  /** Adds both or neither. */
  addSubscription(tenantId: string, pair: SubscriptionPair): Promise<void>
  /**
   * Changes both in one step and counts the version up; undefined, and nothing changed, when it is not at that version.
   */
  changeSubscription(
    at: SubscriptionVersion,
    change: SubscriptionChange,
    now: number,
  ): Promise<SubscriptionPair | undefined>
  /** Removes both in one step; false, and nothing changed, when it is not at that version. */
  deleteSubscription(at: SubscriptionVersion): Promise<boolean>

  /** At most `limit` groups in the order of their ids (by code point), those after `afterId` only. */
  listResourceGroups(
    tenantId: string,
    page: { afterId: string | undefined; limit: number },
  ): Promise<readonly ResourceGroup[]>
  /** With the version of its subscription. */
  findResourceGroup(tenantId: string, id: string): Promise<{ group: ResourceGroup; version: number } | undefined>
}
