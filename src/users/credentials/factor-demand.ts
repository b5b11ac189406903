// Who has to have a second factor (decision 119): by role, as the configuration says for all tenants, or a tenant for
// its own people. What anybody demands of a person holds for the whole account, because the account is one.

import type { Settings } from '../../config/settings/settings.js'
import type { Tenant } from '../../directory/records.js'
import type { Writing } from '../../directory/writes.js'
import {
  type FactorFacts,
  type FactorPlace,
  noteFactorDemand,
  readFactorFacts,
  readFactors,
} from '../../storage/sql/people/factor-demands.js'
import type { Statements, Store } from '../../storage/sql/store.js'
import { isAtLeast } from '../memberships/roles.js'
import { type Membership, toMembership } from '../records.js'
import { UserRefusal } from '../refusal.js'

/** What is demanded of a person who has proved one factor. */
export interface FactorDemand {
  /** From when on nothing works without; epoch milliseconds. */
  dueAtMs: number
  /** Whether that is now. */
  isDue: boolean
  /** The tenants that demand it themselves; none where the server alone does. */
  tenantIds: readonly string[]
}

interface Deps {
  store: Pick<Store, 'reader' | 'transaction'>
  settings: Pick<Settings['signIn'], 'secondFactor'>
  now: () => number
}

/**
 * What is demanded of this person; undefined: nothing. The first time starts their grace period, which nobody gets
 * twice. Throws StoreUnavailable.
 */
export async function factorDemand(deps: Deps, userId: string): Promise<FactorDemand | undefined> {
  return (await membershipsWithDemand(deps, userId)).demand
}

/** The same, and the memberships that it was read with, the oldest first: one statement for both. */
export async function membershipsWithDemand(
  deps: Deps,
  userId: string,
): Promise<{ memberships: readonly Membership[]; demand: FactorDemand | undefined }> {
  const facts = await readFactorFacts(deps.store.reader, userId)
  if (facts === undefined) return { memberships: [], demand: undefined }
  const memberships = facts.places.map((place) => membershipOf(userId, place))
  return { memberships, demand: await noted(deps, userId, demanding(deps, userId, facts)) }
}

async function noted(
  { store, settings, now }: Deps,
  userId: string,
  found: Demanding | undefined,
): Promise<FactorDemand | undefined> {
  if (found === undefined) return undefined
  const { graceMs } = settings.secondFactor
  const nowMs = now()
  if (found.demandedAt === null && graceMs > 0) {
    await store.transaction((tx) => noteFactorDemand(tx, userId, nowMs))
  }
  const dueAtMs = (found.demandedAt ?? nowMs) + graceMs
  return { dueAtMs, isDue: nowMs >= dueAtMs, tenantIds: found.tenantIds }
}

/**
 * Refuses to take away what is left of the factors of somebody who has to have one, in a grace period too. `left` says
 * how many there are after it. Throws UserRefusal (SecondFactorRequired) and StoreUnavailable.
 */
export async function checkFactorLeft(
  deps: Pick<Deps, 'settings'>,
  { tx }: Pick<Writing, 'tx'>,
  userId: string,
): Promise<void> {
  const { hasCodes, passkeys } = await readFactors(tx, userId)
  if (hasCodes || passkeys > 0) return
  const facts = await readFactorFacts(tx, userId)
  if (facts === undefined || demanding(deps, userId, facts) === undefined) return
  throw new UserRefusal(
    'SecondFactorRequired',
    'This account has to have a second factor: set another one up before you remove this one.',
  )
}

/** Whether a person has neither codes of an app nor a passkey. Throws StoreUnavailable. */
export async function lacksFactor(reader: Statements, userId: string): Promise<boolean> {
  const { hasCodes, passkeys } = await readFactors(reader, userId)
  return !hasCodes && passkeys === 0
}

interface Demanding {
  demandedAt: number | null
  tenantIds: string[]
}

function demanding({ settings }: Pick<Deps, 'settings'>, userId: string, facts: FactorFacts): Demanding | undefined {
  const { required } = settings.secondFactor
  const places = facts.places
    .filter(({ isEnabled }) => isEnabled)
    .map((place) => {
      const { tenantId, role } = membershipOf(userId, place)
      const own = tenantDemand(place.secondFactor)
      return { tenantId, role, isOwn: own !== 'none' && isAtLeast(role, own) }
    })
  const tenantIds = places.filter(({ isOwn }) => isOwn).map(({ tenantId }) => tenantId)
  const byServer = (facts.operator === 1 && required.has('operator')) || places.some(({ role }) => required.has(role))
  return byServer || tenantIds.length > 0 ? { demandedAt: facts.demandedAt, tenantIds } : undefined
}

function membershipOf(userId: string, { tenantId, role, createdAt }: FactorPlace): Membership {
  return toMembership({ user_id: userId, tenant_id: tenantId, role, created_at: createdAt, updated_at: createdAt })
}

/** Whatever is no word of ours demands it of everybody. */
function tenantDemand(text: string): Tenant['secondFactor'] {
  return (['none', 'owner', 'administrator', 'developer'] as const).find((each) => each === text) ?? 'member'
}
