// How user codes are kept and how often somebody may try one (RFC 8628 §5.1). A user code is short, so its hash is keyed:
// a stolen database without the master key holds none that works. And it could be guessed, so tries are counted by browser,
// by address and over all; the last bound lets one code in some hundred million through while a code lives.

import { createHash, createHmac } from 'node:crypto'
import { addressGroup } from '../../limits/address-group.js'
import type { Browser, PageDependencies } from '../browser/browser.js'
import { PageError } from '../pages/page-error.js'

const minuteMs = 60_000
const tries = [
  { of: 'browser', limit: 10 },
  { of: 'address', limit: 40 },
  { of: 'all', limit: 2000 },
] as const

/** The hashes of a plain user code, under each key that may have been in use, the newest first. */
export function userCodeHashes(derive: PageDependencies['derive'], code: string): readonly [string, ...string[]] {
  const [newest, ...older] = derive('device-user-code').map((key) =>
    createHmac('sha256', key).update(code).digest('hex'),
  )
  if (newest === undefined) throw new Error('there is no key for user codes')
  return [newest, ...older]
}

/**
 * Counts one try of a user code. Throws PageError 429 when this browser, its address or everybody together tried too often:
 * then it is not looked at. Throws CountersUnavailable.
 */
export async function countTry(
  deps: Pick<PageDependencies, 'counters' | 'monotonic'>,
  browser: Pick<Browser, 'key'>,
  address: string,
): Promise<void> {
  const keys = { browser: digest(browser.key), address: addressGroup(address), all: '' }
  const buckets = tries.map(({ of, limit }) => ({
    key: `user-code;${of};${keys[of]}`,
    algorithm: { kind: 'quota' as const, limit, periodMs: 15 * minuteMs },
    cost: 1,
  }))
  const states = await deps.counters.take(buckets, deps.monotonic())
  const full = states.filter((state) => !state.allowed)
  if (full.length === 0) return
  const waitMs = Math.min(Math.max(...full.map(({ retryAfterMs }) => retryAfterMs)), 15 * minuteMs)
  const minutes = Math.ceil(waitMs / minuteMs)
  throw new PageError({
    status: 429,
    title: 'Too many codes were tried',
    what: 'Too many codes were typed here in a short time, so this one was not looked at.',
    mend: `Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then type the code that the device shows then.`,
    reason: 'user_code_throttled',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
