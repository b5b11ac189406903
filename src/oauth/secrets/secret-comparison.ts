// The one comparison of a presented client secret with what is stored. It costs the same for a right secret, a wrong
// one, one without a record and one of an unknown client: one HMAC and one constant-time comparison.

import { timingSafeEqual } from 'node:crypto'
import { hashClientSecret, pepperId } from './client-secret.js'

/** Of a whole secret, in characters. */
const secretLength = 71

/** Compared with when there is nothing to compare with; the outcome is then refused whatever it says. */
const nothing = Buffer.alloc(32)

/**
 * Whether `presented` is the secret that `stored` (hex hash and the id of its pepper) was made from. `stored`
 * undefined, or made with a pepper that is not among `peppers`, gives false after the same work. Throws when there is
 * no pepper.
 */
export function matchesStoredSecret(
  presented: string,
  stored: { hash: string; pepperId: string } | undefined,
  peppers: readonly Uint8Array[],
): boolean {
  const [first] = peppers
  if (first === undefined) throw new Error('there is no pepper to compare client secrets with')
  const name = stored?.pepperId
  const pepper = peppers.find((candidate) => pepperId(candidate) === name)
  const digest = Buffer.from(hashClientSecret(presented, pepper ?? first), 'hex')
  const expected = stored === undefined ? nothing : Buffer.from(stored.hash, 'hex')
  const comparable = expected.byteLength === digest.byteLength
  const equal = timingSafeEqual(digest, comparable ? expected : nothing)
  return equal && comparable && stored !== undefined && pepper !== undefined
}

/** The key id that a text of this shape names, its checksum unread: for those who compare the whole secret anyway. */
export function namedKeyId(text: string): string | undefined {
  return text.length === secretLength && text.startsWith('pcl_sk_') ? text.slice(7, 20) : undefined
}
