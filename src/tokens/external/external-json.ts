// JSON in a token of an issuer outside. Others write white space and escapes that ours never has; a member that is
// given twice is refused all the same (RFC 7519 §4), because two readers could take different ones.

import { isUtf8 } from 'node:buffer'
import { BearerError } from '../../oauth/errors/errors.js'

/** Every text of the document, and whether it is the name of a member. */
const texts = /"(?:[^"\\]|\\.)*"(\s*:)?/gs

/** An object in UTF-8 without a member given twice. Throws BearerError `invalid_token`. */
export function readExternalJson(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw malformed('token_encoding')
  const text = bytes.toString('utf8')
  let value: unknown
  let members: number
  try {
    value = JSON.parse(text)
    // Here, because thousands of brackets within each other are more than can be counted.
    members = countMembers(value)
  } catch (cause) {
    throw malformed('token_json', cause)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('token_json')
  let named = 0
  for (const [, colon] of text.matchAll(texts)) if (colon !== undefined) named += 1
  if (named !== members) throw malformed('token_json')
  return value as Record<string, unknown>
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inside = Object.values(value).reduce((sum: number, item) => sum + countMembers(item), 0)
  return Array.isArray(value) ? inside : inside + Object.keys(value).length
}

function malformed(reason: string, cause?: unknown): BearerError {
  return new BearerError('invalid_token', reason, 'The access token is not valid.', cause)
}
