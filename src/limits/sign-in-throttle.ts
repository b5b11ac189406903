// The brake on guessing passwords and codes (U7). Failures are counted by (account, address), by address, and by
// account: NIST SP 800-63B-4 §3.2.2 wants an end of guesses wherever they come from. Nobody locks an owner out with it:
// a browser in which the person has signed in before is counted by itself, passkeys and mailed links are not counted.
// What everybody tries together is bounded too, because each attempt costs a password hash; the first few attempts of
// an address, and of such a browser, are outside of that bound, so that a flood from elsewhere does not keep out
// those who just come.

import { createHash } from 'node:crypto'
import type { Bucket, BucketState, Counters } from '../storage/counters/counters.js'
import { addressGroup, addressNetwork } from './address-group.js'

interface Rate {
  limit: number
  periodMs: number
}

export interface SignInAttempt {
  address: string
  /**
   * Whose account, as it was typed and normalised; also of somebody who does not exist. A success clears nothing:
   * an attacker who guesses from elsewhere would learn of each sign-in of the owner, and that there is one, and begin
   * anew.
   */
  account: string
  /**
   * Passwords and six-digit codes can be guessed from many addresses together, so both have a bound for the account.
   * `other`: what cannot be guessed, or is no account's.
   */
  proof: 'password' | 'code' | 'other'
  /** Of a browser in which this account has signed in before: it has a bound of its own in place of the account's. */
  device?: string | undefined
}

export interface AttemptEnd {
  /** This failure was the last that the account has for now. */
  isFull: boolean
}

export type SignInTurn =
  | { allowed: false; retryAfterSeconds: number }
  /** Say how it ended, exactly once; `undefined` when it was never tried. */
  | { allowed: true; end: (result: 'passed' | 'failed' | undefined) => Promise<AttemptEnd> }

export interface SignInThrottle {
  /** Asks for a turn before the proof is looked at. Nobody waits here; who is refused is told when to try again. */
  begin(attempt: SignInAttempt): Promise<SignInTurn>
}

/** Attempts of one address per minute that the bound of all does not count. */
const freeAttempts: Rate = { limit: 3, periodMs: 60_000 }
/**
 * Wrong codes for an account, from wherever: one in five thousand guesses would do within a week. Passkeys and recovery
 * codes stay.
 */
const codesPerAccount: Rate = { limit: 60, periodMs: 3_600_000 }
/** Wrong passwords for an account, from all browsers that it has never signed in with. */
const passwordsPerAccount: Rate = { limit: 100, periodMs: 3_600_000 }
/** Wrong passwords and codes for an account from one browser that it has signed in with. */
const perDevice: Rate = { limit: 30, periodMs: 3_600_000 }
/** The holder of an IPv6 /48 has many /64: together they have this many times what an address has. */
const addressesPerNetwork = 4

/** `counters`: those that the instances share; alone when they cannot be reached. `monotonic`: milliseconds. */
export function createSignInThrottle(options: {
  counters: Counters
  monotonic: () => number
  settings: { perAccount: Rate; perAddress: Rate; overall: Rate }
}): SignInThrottle {
  const { counters, monotonic, settings } = options
  /** Attempts under way by key. They count as failures until they end, or a hundred at once would pass one look. */
  const underWay = new Map<string, number>()

  function failureBuckets({ address, account, proof, device }: SignInAttempt): Bucket[] {
    const group = addressGroup(address)
    const network = addressNetwork(address)
    const { limit, periodMs } = settings.perAddress
    const buckets = [
      bucket('pair', `${digest(account)}a${group.length}:${group}`, settings.perAccount),
      bucket('address', `a${group.length}:${group}`, settings.perAddress),
    ]
    if (network !== undefined) {
      buckets.push(bucket('network', network, { limit: limit * addressesPerNetwork, periodMs }))
    }
    if (proof === 'other') return buckets
    // The last of the list: `end` says when it is full.
    if (device !== undefined) return [...buckets, bucket('device', `${digest(account)}${device}`, perDevice)]
    const rate = proof === 'code' ? codesPerAccount : passwordsPerAccount
    return [...buckets, bucket(proof === 'code' ? 'codes' : 'account', digest(account), rate)]
  }

  const enter = (key: string): number => {
    const before = underWay.get(key) ?? 0
    underWay.set(key, before + 1)
    return before
  }
  const leave = (key: string): void => {
    const now = (underWay.get(key) ?? 1) - 1
    if (now === 0) underWay.delete(key)
    else underWay.set(key, now)
  }

  /** Milliseconds to wait for the bound of all; undefined when there is room, which is taken. */
  async function overallWait({ address, device }: SignInAttempt): Promise<number | undefined> {
    const holder = addressNetwork(address) ?? addressGroup(address)
    const own = [bucket('free', `a${holder.length}:${holder}`, freeAttempts)]
    if (device !== undefined) own.push(bucket('free', `d${device}`, freeAttempts))
    for (const each of own) {
      const [free] = await counters.take([each], monotonic())
      if (free?.allowed === true && free.shared !== true) return undefined
    }
    const [all] = await counters.take([bucket('overall', '', settings.overall)], monotonic())
    return all === undefined || all.allowed ? undefined : all.retryAfterMs
  }

  async function waitFor(attempt: SignInAttempt, buckets: readonly Bucket[], before: readonly number[]) {
    const states = await counters.peek(buckets, monotonic())
    // A state that is shared with others, for want of room, says nothing of this account: nobody is locked out by it.
    const full = states.find((state, i) => state.shared !== true && state.remaining <= (before[i] ?? 0))
    return full === undefined ? overallWait(attempt) : full.retryAfterMs
  }

  return {
    async begin(attempt) {
      const buckets = failureBuckets(attempt)
      const before = buckets.map(({ key }) => enter(key))
      const release = () => {
        for (const { key } of buckets) leave(key)
      }
      try {
        const waitMs = await waitFor(attempt, buckets, before)
        if (waitMs !== undefined) {
          release()
          return { allowed: false, retryAfterSeconds: Math.min(3600, Math.max(1, Math.ceil(waitMs / 1000))) }
        }
      } catch (error) {
        release()
        throw error
      }
      return {
        allowed: true,
        async end(result) {
          try {
            if (result !== 'failed') return { isFull: false }
            let last: BucketState | undefined
            // One by one: a full one must not keep the others from being charged.
            for (const each of buckets) [last] = await counters.take([each], monotonic())
            const isOfAccount = attempt.proof !== 'other' && attempt.device === undefined
            return { isFull: isOfAccount && last?.allowed === true && last.remaining === 0 && last.shared !== true }
          } finally {
            release()
          }
        },
      }
    },
  }
}

function bucket(what: string, subject: string, { limit, periodMs }: Rate): Bucket {
  const algorithm = { kind: 'quota', limit, periodMs } as const
  return { key: `sign-in-${what};${subject}`, algorithm, cost: 1, mode: 'strict', onDown: 'local' }
}

/** Of one length whatever was typed, and no list of addresses for a reader of the Counters. */
function digest(account: string): string {
  return `h${createHash('sha256').update(account).digest('base64url')};`
}
