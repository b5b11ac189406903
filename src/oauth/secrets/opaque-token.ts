// Secrets that only name something remembered: codes, refresh tokens, sessions, one-time links. 256 random bits, so
// what is stored of them is a plain hash: nobody finds one that fits, and a stolen database holds none that works.

import { createHash, randomBytes } from 'node:crypto'
import { encodeBase62 } from './base62.js'

/** A new secret: `prefix` (such as `pcl_ac_`, for people and scanners) and 43 base62 characters. */
export function createOpaqueToken(prefix: string, random: (size: number) => Uint8Array = randomBytes): string {
  return prefix + encodeBase62(random(32), 43)
}

/** What is stored instead: hex SHA-256. */
export function hashOpaqueToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
