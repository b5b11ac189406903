// The two client identifiers of a registration (contract §2): the application identifier, a GUID, and the public key
// `pcl_pk_…`. Both are names, not secrets (RFC 6749 §2.2), both are made here and never chosen by a developer, so
// neither can be made to equal a user's identifier (RFC 9700 §4.15).

import { randomBytes } from 'node:crypto'
import { encodeBase62 } from './base62.js'
import { parseGuid } from './guid.js'

const publicKeyPattern = /^pcl_pk_[0-9A-Za-z]{22}$/

/** A new public key: `pcl_pk_` and 128 random bits as 22 base62 characters. `random` gives that many bytes. */
export function createPublicKey(random: (size: number) => Uint8Array = randomBytes): string {
  return `pcl_pk_${encodeBase62(random(16), 22)}`
}

/**
 * The client identifier in its stored form (a GUID in lower case, a public key as it is), or undefined when the text
 * can be neither. Strict, so that nothing else ever reaches a query, a cache key or a log.
 */
export function parseClientIdentifier(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  return publicKeyPattern.test(text) ? text : parseGuid(text)
}
