// The shape of a token, checked before anything is decoded or believed (RFC 7515 §3.1, RFC 8725). One token must have
// one spelling: an attacker who could write the same token in two ways could get around whatever is remembered of the
// first.

import { isUtf8 } from 'node:buffer'
import { BearerError } from '../oauth/errors/errors.js'

/** Characters of the longest token that is looked at. */
export const longestToken = 8192

/** Ours are RFC 7638 thumbprints, 43 characters. */
const longestKeyId = 128

/** What is used of a header. Whatever `alg` claims: the verifier compares it with the key's and believes the key. */
export interface JwsHeader {
  kid: string
  alg: unknown
}

/** A JWS in compact form whose shape is right; nothing in it is verified yet. */
export interface CompactJws extends JwsHeader {
  /** The header as it is written. */
  header: string
  payload: Buffer
  signature: Buffer
  /** ASCII of header and payload with the dot between them. */
  signingInput: Buffer
}

/**
 * Takes a token apart: exactly three base64url segments in their only spelling, a header of the type `typ` (RFC 8725
 * §3.11; any case, `application/` in front tolerated) with a key id and without extensions. Of a set any will do; an
 * empty one among them is a header without type. `read` reads the header, unless its text is among the `known` ones of
 * that type. Throws BearerError `invalid_token`.
 */
export function readCompactJws(
  token: string,
  typ: string | ReadonlySet<string>,
  read: (bytes: Buffer) => Record<string, unknown> = readJsonObject,
  known?: ReadonlyMap<string, JwsHeader>,
): CompactJws {
  if (token.length > longestToken) throw malformed('token_too_large')
  // indexOf, because split would allocate for each dot of a hostile token.
  const first = token.indexOf('.')
  const second = token.indexOf('.', first + 1)
  if (first < 1 || second === -1 || token.indexOf('.', second + 1) !== -1) throw malformed('token_shape')
  const header = token.slice(0, first)
  const { alg, kid } = known?.get(header) ?? checkHeader(read(decodeSegment(header)), typ)
  return {
    kid,
    alg,
    header,
    payload: decodeSegment(token.slice(first + 1, second)),
    signature: decodeSegment(token.slice(second + 1)),
    signingInput: Buffer.from(token.slice(0, second), 'latin1'),
  }
}

/**
 * JSON in the one form in which an issuer of ours writes it: an object in UTF-8 without byte order mark, white space or
 * needless escapes. Writing what was read must give the same text, so a member given twice (RFC 7519 §4) cannot pass.
 * Throws BearerError `invalid_token`.
 */
export function readJsonObject(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw malformed('token_encoding')
  const text = bytes.toString('utf8')
  let value: unknown
  let written: string | undefined
  try {
    value = JSON.parse(text)
    written = JSON.stringify(value)
  } catch (cause) {
    throw malformed('token_json', cause)
  }
  if (written !== text) throw malformed('token_json')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('token_json')
  return value as Record<string, unknown>
}

/**
 * Whether a JWS that another library verifies is written in its only spelling, with header and claims that have one
 * reading (RFC 7515 §2, RFC 7519 §4): libraries decode padding, line breaks, blanks and stray bits, and take the last
 * of two members.
 */
export function hasOneSpelling(token: string, read: (bytes: Buffer) => unknown): boolean {
  if (token.length > longestToken) return false
  const [header = '', payload = '', signature = '', more] = token.split('.', 4)
  if (more !== undefined) return false
  try {
    read(decodeSegment(header))
    read(decodeSegment(payload))
    decodeSegment(signature)
    return true
  } catch {
    return false
  }
}

/** Node decodes leniently: padding, `+/`, white space and stray trailing bits all pass. Encoding it again tells. */
function decodeSegment(segment: string): Buffer {
  const bytes = Buffer.from(segment, 'base64url')
  if (bytes.length === 0 || bytes.toString('base64url') !== segment) throw malformed('token_encoding')
  return bytes
}

/** `jku`, `x5u`, `jwk` and `x5c` are not looked at: a token does not say which key to trust. */
function checkHeader(header: Record<string, unknown>, typ: string | ReadonlySet<string>): JwsHeader {
  // RFC 7515 §4.1.11: an extension that is not understood is refused, and none is. RFC 7797 and compression likewise.
  if (header['crit'] !== undefined || header['b64'] !== undefined || header['zip'] !== undefined) {
    throw malformed('token_extension')
  }
  if (!isType(header['typ'], typ)) throw malformed('token_type')
  const { alg, kid } = header
  if (typeof kid !== 'string' || kid.length === 0 || kid.length > longestKeyId) throw malformed('token_key')
  return { alg, kid }
}

function isType(given: unknown, wanted: string | ReadonlySet<string>): boolean {
  if (given === wanted) return true
  if (typeof given !== 'string') return given === undefined && typeof wanted !== 'string' && wanted.has('')
  const plain = given.toLowerCase().replace(/^application\//, '')
  return typeof wanted === 'string' ? plain === wanted : plain !== '' && wanted.has(plain)
}

function malformed(reason: string, cause?: unknown): BearerError {
  return new BearerError('invalid_token', reason, 'The token is not one that this service issues.', cause)
}
