// The tables of the bundled resource service. Text ids, epoch milliseconds, as in tables.ts, which takes these in.

interface ProfilesTable {
  id: string
  tenant_id: string
  /** The user whose profile it is; null for the tenant's own, which app-only tokens see. */
  user_id: string | null
  public_name: string
  id_provider: string
  email: string
  cover_url: string
  avatar_url: string
  follows_count: number
  followers_count: number
  enrollments_count: number
  social_profile_id: string
  cart_id: string
  wallet_id: string
  currency_id: string
  currency_exchange: number
  updated_at: number
}

interface SubscriptionsTable {
  id: string
  tenant_id: string
  subscription_id: string
  display_name: string
  state: string
  /** Grows by one at each write; the ETag. */
  version: number
  created_at: number
  updated_at: number
}

interface ResourceGroupsTable {
  id: string
  tenant_id: string
  /** One group for each subscription record. */
  subscription_record_id: string
  name: string
  location: string
  provisioning_state: string
  updated_at: number
}

/** Their part of the tables. */
export interface ResourceTables {
  profiles: ProfilesTable
  subscriptions: SubscriptionsTable
  resource_groups: ResourceGroupsTable
}
