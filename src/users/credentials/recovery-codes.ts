// Ten codes for a lost second factor, each good once: 80 random bits in sixteen letters and digits, kept as a keyed
// hash.

import { createHmac, randomBytes } from 'node:crypto'
import type { Writing } from '../../directory/writes.js'
import { replaceRecoveryCodes, takeRecoveryCode } from '../../storage/sql/people/recovery-codes.js'
import type { UserWrites } from '../writes.js'

const howMany = 10
const codeBytes = 10
/** RFC 4648 §6 in lower case: nothing in it is taken for something else. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** New codes in the place of all former ones; the only copy of them. */
export async function writeRecoveryCodes(deps: UserWrites, { tx }: Writing, userId: string, codes: readonly string[]) {
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => hashesOf(deps, userId, code)[0] ?? ''),
  )
}

/** Codes as they are shown: `abcd-efgh-ijkl-mnop`. Made before the transaction, because that may run twice. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: howMany }, () => {
    const text = base32(randomBytes(codeBytes))
    return (text.match(/.{4}/g) ?? []).join('-')
  })
}

/** Uses a code up: true exactly once, however it was typed. */
export async function useRecoveryCode(deps: UserWrites, { tx, nowMs }: Writing, userId: string, code: string) {
  return takeRecoveryCode(tx, userId, hashesOf(deps, userId, code), nowMs)
}

/** Under each master key, newest first. */
function hashesOf(deps: UserWrites, userId: string, code: string): string[] {
  const plain = code.toLowerCase().replace(/[^a-z2-7]/g, '')
  return deps
    .derive('recovery-codes')
    .map((key) => createHmac('sha256', key).update(`${userId}\n${plain}`).digest('hex'))
}

function base32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet.charAt(Number.parseInt(five, 2))).join('')
}
