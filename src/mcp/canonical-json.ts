// JSON in its one canonical form (RFC 8785): members in the order of their code units, numbers and texts as ECMAScript
// writes them, no blanks. Two texts that say the same have the same digest.

import { createHash } from 'node:crypto'

/** Of a value that JSON.parse gave; its depth is bounded by what read it (RFC 8785 §3.2). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** SHA-256 of the canonical form, in base64url. */
export function canonicalDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url')
}
