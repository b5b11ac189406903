// Half a sign-in: what was proved first, while the second factor is requested. It is a row of the Store, because wrong
// codes are counted in it; so many for one person, and for one person from one network, that an attacker with a stolen
// password fills nothing and keeps nobody out.

import { addressGroup } from '../../limits/address-group.js'
import { createOpaqueToken, hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import type { Bucket } from '../../storage/counters/counters.js'
import {
  findPendingRequest,
  insertPendingRequest,
  takePendingRequest,
  updatePendingRequest,
} from '../../storage/sql/grants/pending-requests.js'
import type { Browser } from '../../web/browser.js'
import type { IdentityDependencies } from '../dependencies.js'

const lifetimeMs = 10 * 60_000
const kind = 'second-factor'
/** In the time that one of them lives. */
const quotas = {
  network: { limit: 30, periodMs: lifetimeMs },
  person: { limit: 300, periodMs: lifetimeMs },
}

/** What was proved before (RFC 8176): a password, or another provider's word. */
export type First = 'pwd' | 'fed'

export interface Proven {
  userId: string
  first: First
  /** By which way, as Session has it. */
  way: string
  /**
   * What lastAccessEnd said before: a new password, a disabling or a sign-out everywhere ends half a sign-in too (C14).
   */
  provenAfter: number
  /** Who they are at the provider, where that is what was proved. */
  identity?: { issuer: string; subject: string } | undefined
  /** The hash of the session that the second factor is added to; absent where it makes a new one. */
  session?: string | undefined
}

export interface Step extends Proven {
  /** As it stands in the address. */
  id: string
  wrong: number
}

/** Remembers what this person has proved in this browser: the step, or after how many seconds there is room for one. */
export async function beginStep(
  deps: IdentityDependencies,
  browser: Browser,
  proven: Proven,
  address: string,
): Promise<Step | { retryAfterSeconds: number }> {
  const states = await deps.counters.take(bucketsOf(proven.userId, address), deps.monotonic())
  // A count that is shared with others, for want of room, says nothing of this person.
  const full = states.find(({ allowed, shared }) => !allowed && shared !== true)
  if (full !== undefined)
    return {
      retryAfterSeconds: Math.max(1, Math.ceil(full.retryAfterMs / 1000)),
    }
  const id = createOpaqueToken('pcl_st_')
  const createdAt = deps.now()
  await deps.store.transaction((tx) =>
    insertPendingRequest(tx, {
      id_hash: hashOpaqueToken(id),
      browser_hash: hashOpaqueToken(browser.key),
      kind,
      application_id: null,
      body: bodyOf({ ...proven, wrong: 0 }),
      created_at: createdAt,
      expires_at: createdAt + lifetimeMs,
    }),
  )
  return { ...proven, id, wrong: 0 }
}

/** The step of this browser with this id; undefined when it is over. Throws StoreUnavailable. */
export async function findStep(
  deps: IdentityDependencies,
  browser: Browser,
  id: string | undefined,
): Promise<Step | undefined> {
  if (id === undefined) return undefined
  const hashes = {
    idHash: hashOpaqueToken(id),
    browserHash: hashOpaqueToken(browser.key),
  }
  const row = await findPendingRequest(deps.store.reader, {
    ...hashes,
    now: deps.now(),
  })
  if (row?.kind !== kind) return undefined
  const {
    userId,
    first,
    way = '',
    provenAfter,
    identity,
    session,
    wrong,
  } = JSON.parse(row.body) as Omit<Step, 'id' | 'way'> & { way?: string }
  // One that was begun at a provider before this was noted begins again.
  if (first === 'fed' && identity === undefined && session === undefined) return undefined
  return { id, userId, first, way, provenAfter, identity, session, wrong }
}

/** Counts a wrong code. */
export async function noteWrong(deps: IdentityDependencies, step: Step): Promise<void> {
  const body = bodyOf({ ...step, wrong: step.wrong + 1 })
  await deps.store.transaction((tx) => updatePendingRequest(tx, hashOpaqueToken(step.id), body))
}

/** Ends it: true exactly once. */
export function takeStep(deps: IdentityDependencies, { id }: Step): Promise<boolean> {
  return deps.store.transaction((tx) => takePendingRequest(tx, hashOpaqueToken(id)))
}

function bodyOf({ userId, first, way, provenAfter, identity, session, wrong }: Omit<Step, 'id'>): string {
  return JSON.stringify({ userId, first, way, provenAfter, identity, session, wrong })
}

function bucketsOf(userId: string, address: string): Bucket[] {
  const bucket = (name: keyof typeof quotas, subject: string): Bucket => ({
    key: `second-step-${name};s${subject.length}:${subject}`,
    algorithm: { kind: 'quota', ...quotas[name] },
    cost: 1,
    mode: 'local',
  })
  return [bucket('network', `${userId} ${addressGroup(address)}`), bucket('person', userId)]
}
