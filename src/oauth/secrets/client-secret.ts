// Client secrets (contract §2): `pcl_sk_<keyId>_<random>_<crc32>`. The key id finds the one stored hash to compare
// with, however many secrets overlap; the prefix and checksum let scanners recognise a leaked one without asking us.
// Secrets have 256 random bits, so a keyed hash is enough at rest and a slow KDF would only serve attackers who want to
// make the token endpoint work hard.

import { createHash, createHmac, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { encodeBase62 } from './base62.js'
import { hmacKey } from './hmac-key.js'

const pattern = /^(pcl_sk_([0-9A-Za-z]{13})_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/

/**
 * A new secret, to be shown once. `keyId` (72 bits, base62) names it in records, tokens and logs; `hint` is the first
 * three characters of its random part. `random` gives that many bytes.
 */
export function createClientSecret(random: (size: number) => Uint8Array = randomBytes): {
  keyId: string
  secret: string
  hint: string
} {
  const keyId = encodeBase62(random(9), 13)
  const randomPart = encodeBase62(random(32), 43)
  const text = `pcl_sk_${keyId}_${randomPart}`
  return { keyId, secret: `${text}_${checksum(text)}`, hint: randomPart.slice(0, 3) }
}

/** The key id inside a well-formed secret; undefined when its shape or checksum is wrong. */
export function parseClientSecret(secret: string): { keyId: string } | undefined {
  const [, text, keyId, crc] = pattern.exec(secret) ?? []
  return text !== undefined && keyId !== undefined && checksum(text) === crc ? { keyId } : undefined
}

/** What is stored instead of the secret: hex HMAC-SHA-256 of the whole secret under the pepper. */
export function hashClientSecret(secret: string, pepper: Uint8Array): string {
  return createHmac('sha256', hmacKey(pepper)).update(secret).digest('hex')
}

/** There are as many as master keys; each is named once. */
const pepperNames = new WeakMap<Uint8Array, string>()

/** The name of a pepper, stored beside each hash so that peppers can be rotated. Tells nothing about the pepper. */
export function pepperId(pepper: Uint8Array): string {
  const known = pepperNames.get(pepper)
  if (known !== undefined) return known
  const name = createHash('sha256').update('portcullis/pepper-id').update(pepper).digest('hex').slice(0, 16)
  pepperNames.set(pepper, name)
  return name
}

function checksum(text: string): string {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(crc32(text))
  return encodeBase62(bytes, 6)
}
