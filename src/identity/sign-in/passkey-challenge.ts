// The challenge that a passkey signs (WebAuthn Level 3 §13.4.3): made without a row, so that a page that is only looked at
// writes nothing; good for one browser, one purpose, ten minutes and one use.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { PageDependencies } from '../browser/browser.js'

type Deps = Pick<PageDependencies, 'derive' | 'counters' | 'monotonic' | 'now'>

const lifetimeMs = 10 * 60_000
const nonceBytes = 16
const timeBytes = 6
const macBytes = 32

/** A challenge as bytes. `purpose`: `get`, or `create:<user id>`. */
export function makeChallenge(deps: Deps, browser: { key: string }, purpose: string): Buffer {
  const [key] = deps.derive('passkey-challenge')
  if (key === undefined) throw new Error('there is no key for passkey challenges')
  const time = Buffer.alloc(timeBytes)
  time.writeUIntBE(deps.now() + lifetimeMs, 0, timeBytes)
  const head = Buffer.concat([randomBytes(nonceBytes), time])
  return Buffer.concat([head, mac(key, browser.key, purpose, head)])
}

/** Whether the challenge (base64url) is one that this browser got for this purpose, in time, and not used before. Uses it up. */
export async function takeChallenge(
  deps: Deps,
  browser: { key: string },
  purpose: string,
  challenge: string,
): Promise<boolean> {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.byteLength !== nonceBytes + timeBytes + macBytes) return false
  const head = bytes.subarray(0, nonceBytes + timeBytes)
  const presented = bytes.subarray(head.byteLength)
  const known = deps
    .derive('passkey-challenge')
    .some((key) => timingSafeEqual(mac(key, browser.key, purpose, head), presented))
  if (!known || head.readUIntBE(nonceBytes, timeBytes) <= deps.now()) return false
  return await deps.counters.firstUse(`passkey-challenge;${head.toString('base64url')}`, lifetimeMs, deps.monotonic())
}

function mac(key: Uint8Array, browserKey: string, purpose: string, head: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([browserKey, purpose]))
    .update(head)
    .digest()
}
