// E-mail addresses: one spelling for finding, the person's own for writing to.

import { UserRefusal } from '../refusal.js'

/** RFC 5321 §4.5.3.1. */
const longest = 254
/**
 * A local part of printable characters, one `@`, a host name with at least one letter; no quotes, comments or literals.
 */
const shape =
  /^[^\s@"(),:;<>[\\\]\p{C}]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)*[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u

/**
 * What an address is found by: NFC, lower case, without outer spaces. Two addresses with one key are one address to us.
 */
export function emailKey(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

/** The address as it is stored and written to, and its key. Throws UserRefusal (InvalidEmail). */
export function checkEmail(email: string): { email: string; key: string } {
  const stored = email.trim().normalize('NFC')
  const wrong = stored.length > longest || !shape.test(stored) || /^\.|\.@|\.\./.test(stored)
  if (wrong) throw new UserRefusal('InvalidEmail', 'That is not an e-mail address.', 'email')
  return { email: stored, key: emailKey(stored) }
}
