// The challenge that a passkey signs (WebAuthn Level 3 §13.4.3): made without a row, so that a page that is only looked
// at writes nothing; good for one browser, one purpose, ten minutes and one use. It is used up only when a passkey has
// signed it, by an account: what somebody sends without a passkey uses up nothing.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { useOnce } from '../../client/single-use.js'
import type { IdentityDependencies } from '../../dependencies.js'

type Deps = Pick<IdentityDependencies, 'derive' | 'counters' | 'monotonic' | 'now' | 'store'>

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

/** Whether the challenge (base64url) is one that this browser got for this purpose, in time. Uses up nothing. */
export function isOwnChallenge(
  deps: Pick<Deps, 'derive' | 'now'>,
  browser: { key: string },
  purpose: string,
  challenge: string,
): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.byteLength !== nonceBytes + timeBytes + macBytes) return false
  const head = bytes.subarray(0, nonceBytes + timeBytes)
  const presented = bytes.subarray(head.byteLength)
  const known = deps
    .derive('passkey-challenge')
    .some((key) => timingSafeEqual(mac(key, browser.key, purpose, head), presented))
  return known && head.readUIntBE(nonceBytes, timeBytes) > deps.now()
}

/**
 * Uses up a challenge of ours that a passkey of this person has signed: true the first time. Throws StoreUnavailable,
 * and OAuthError 503 when this person has used too many.
 */
export async function takeChallenge(deps: Deps, userId: string, challenge: string): Promise<boolean> {
  // Its bytes, not its text: base64url can be spelled in several ways.
  const head = Buffer.from(challenge, 'base64url').subarray(0, nonceBytes + timeBytes)
  const expiresAt = head.readUIntBE(nonceBytes, timeBytes)
  return useOnce(deps, { purpose: 'passkey', subject: userId, id: head.toString('base64url'), expiresAt })
}

function mac(key: Uint8Array, browserKey: string, purpose: string, head: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([browserKey, purpose]))
    .update(head)
    .digest()
}
