// How user codes are kept and how often somebody may try one (RFC 8628 §5.1). A user code is short, so its hash is
// keyed: a stolen database without the master key holds none that works. And it could be guessed, so tries are counted
// by browser and by address, by person where somebody is signed in, and over all the others: twenty thousand tries in
// 15 minutes among twenty billion codes. Untrusted parties can use up that last bound; it never counts the first tries
// from an address, nor people who are signed in, so that nobody shuts this page for those who have a code.

import { createHash, createHmac } from 'node:crypto'
import { addressGroup, addressNetwork } from '../../limits/address-group.js'
import type { Bucket } from '../../storage/counters/counters.js'
import type { Browser } from '../../web/browser.js'
import { PageError } from '../../web/pages/page-error.js'
import type { IdentityDependencies } from '../dependencies.js'

const minuteMs = 60_000
/** Tries in 15 minutes. */
const most = { browser: 10, address: 40, person: 40, first: 3, all: 20_000 } as const

/** The hashes of a plain user code, under each key that may have been in use, the newest first. */
export function userCodeHashes(derive: IdentityDependencies['derive'], code: string): readonly [string, ...string[]] {
  const [newest, ...older] = derive('device-user-code').map((key) =>
    createHmac('sha256', key).update(code).digest('hex'),
  )
  if (newest === undefined) throw new Error('there is no key for user codes')
  return [newest, ...older]
}

/**
 * Counts one try of a user code. Throws PageError 429 when this browser, its address, its person or, after the first
 * tries, everybody together tried too often: then it is not looked at. Throws CountersUnavailable.
 */
export async function countTry(
  deps: Pick<IdentityDependencies, 'counters' | 'monotonic'>,
  browser: Pick<Browser, 'key' | 'session'>,
  address: string,
): Promise<void> {
  const { session } = browser
  const own = [bucket('browser', digest(browser.key)), bucket('address', addressGroup(address))]
  const person = session === undefined ? [] : [bucket('person', session.userId)]
  const states = await deps.counters.take([...own, ...person], deps.monotonic())
  // One that is shared for want of room says nothing of the person who tries here.
  const full = states.filter((state) => !state.allowed && state.shared !== true)
  if (full.length > 0) throw tooMany(full.map(({ retryAfterMs }) => retryAfterMs))
  if (session !== undefined) return
  const [first] = await deps.counters.take(
    [bucket('first', addressNetwork(address) ?? addressGroup(address))],
    deps.monotonic(),
  )
  if (first?.allowed === true && first.shared !== true) return
  const [all] = await deps.counters.take([bucket('all', '')], deps.monotonic())
  if (all?.allowed === false) throw tooMany([all.retryAfterMs])
}

function bucket(of: keyof typeof most, subject: string): Bucket {
  const algorithm = { kind: 'quota' as const, limit: most[of], periodMs: 15 * minuteMs }
  return { key: `user-code-${of};s${subject.length}:${subject}`, algorithm, cost: 1 }
}

function tooMany(waits: readonly number[]): PageError {
  const waitMs = Math.min(Math.max(...waits), 15 * minuteMs)
  const minutes = Math.ceil(waitMs / minuteMs)
  return new PageError({
    status: 429,
    title: 'Too many attempts',
    what: 'Too many codes were entered in a short time, so this one was not checked.',
    remedy: `Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then type the code that the device shows then. Or sign in first: then only your own tries count.`,
    links: [{ href: '/sign-in', text: 'Sign in' }],
    reason: 'user_code_throttled',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
