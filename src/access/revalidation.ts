// A refusal that may only mean that this instance has not heard of something yet: another one signed with a new key a
// moment ago, or enabled what was disabled here. Before such a token is refused, the Store is looked at once.
//
// Untrusted parties can invent key ids by the thousand. One look answers everybody who waits; a look begins at most
// every tenth of a second; and a key id that was not there is remembered, because a key is in the Store before anything
// is signed with it.

import type { BearerError } from '../oauth/errors/errors.js'
import { UnknownKey } from '../tokens/verify.js'
import { StateRefusal } from './state-refusal.js'

export interface Revalidation {
  /**
   * Undefined when the refusal stands. Else whether the token should be verified once more, after a look; rejects when
   * the look failed, because then nobody knows: answer 503.
   */
  after(error: BearerError): Promise<boolean> | undefined
}

export interface RevalidationOptions {
  /** Whether the key id belongs to any key that there is or was here. */
  keyring: { knows(kid: string): boolean }
  feed: { readonly seq: number; catchUp(): Promise<void> }
  /** Milliseconds of a clock that never goes back. */
  monotonic: () => number
}

/** Between the beginnings of two looks. */
const pauseMs = 100
/** Nobody waits longer for a look. */
const patienceMs = 1_000
const absentMs = 60_000
const mostAbsent = 1_000

/** Looks through `feed.catchUp`, which brings the keyring and the view up to date. */
export function createRevalidation(options: RevalidationOptions): Revalidation {
  const { keyring, feed, monotonic } = options
  const look = createLook(options)
  const absent = createAbsentKeys(monotonic)

  async function afterUnknownKey(kid: string): Promise<boolean> {
    await look()
    if (keyring.knows(kid)) return true
    absent.add(kid)
    return false
  }

  return {
    after(error) {
      if (error instanceof UnknownKey) {
        const isSettled = keyring.knows(error.kid) || absent.has(error.kid)
        return isSettled ? undefined : afterUnknownKey(error.kid)
      }
      if (error instanceof StateRefusal && error.seq > feed.seq) return look().then(() => feed.seq >= error.seq)
      return undefined
    },
  }
}

/** Resolves after a look that began after the call; all who call before it begins share it. */
function createLook({ feed, monotonic }: RevalidationOptions): () => Promise<void> {
  let startedAt = Number.NEGATIVE_INFINITY
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined

  async function lookSoon(): Promise<void> {
    await running
    await pause(startedAt + pauseMs - monotonic())
    next = undefined
    startedAt = monotonic()
    const looked = feed.catchUp()
    running = looked.catch(() => {})
    return looked
  }

  return () => {
    next ??= lookSoon()
    return withPatience(next)
  }
}

function pause(ms: number): Promise<void> | undefined {
  return ms <= 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms).unref())
}

function withPatience(work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the Store took too long to say what is new')), patienceMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Key ids that a look did not find; the oldest leave when there are many. */
function createAbsentKeys(monotonic: () => number) {
  const until = new Map<string, number>()
  return {
    has: (kid: string) => (until.get(kid) ?? 0) > monotonic(),
    add(kid: string): void {
      const [oldest] = until.keys()
      if (until.size >= mostAbsent && oldest !== undefined) until.delete(oldest)
      until.delete(kid)
      until.set(kid, monotonic() + absentMs)
    },
  }
}
