// A JWS in compact form (RFC 7515 §3.1) under a key of ours. The key is a native handle, the header is written once for
// each key and type, and Node signs: what a library does beside that, conversions at each use, costs as much again
// (decision 135).

import { sign } from 'node:crypto'
import { rawSignature } from './keys/ecdsa-form.js'
import type { SigningKey } from './keys/keys.js'

/** Base64url of the header with the dot behind it, by key and `typ`. */
const headers = new WeakMap<SigningKey, Map<string, string>>()

/** Claims that many tokens have in common, as the begin of a payload. */
export interface WrittenClaims {
  /** Base64url as far as it goes without what follows, and the rest as it is. */
  encoded: string
  rest: string
}

/** Writes claims once for many tokens. There has to be one at least. */
export function writeClaims(claims: object): WrittenClaims {
  const text = JSON.stringify(claims).slice(0, -1)
  // Three bytes are four characters. Where a character may be several bytes, nothing is cut.
  const whole = Buffer.byteLength(text) === text.length ? text.length - (text.length % 3) : 0
  return { encoded: Buffer.from(text.slice(0, whole)).toString('base64url'), rest: text.slice(whole) }
}

/** A JWS of the type `typ` with claims that were written before and `more` behind them, none of which they have. */
export function signWrittenJws(key: SigningKey, typ: string, written: WrittenClaims, more: object) {
  const end = `${written.rest},${JSON.stringify(more).slice(1)}`
  return signPayload(key, typ, written.encoded + Buffer.from(end).toString('base64url'))
}

/** The claims as a JWS of the type `typ`; members that are undefined are left out. */
export function signJws(key: SigningKey, typ: string, claims: object): string | Promise<string> {
  return signPayload(key, typ, Buffer.from(JSON.stringify(claims)).toString('base64url'))
}

/**
 * RSA signs in the thread pool: half a millisecond is too long for the event loop. The others sign at once, which costs
 * less than the way there.
 */
function signPayload(key: SigningKey, typ: string, payload: string): string | Promise<string> {
  const signingInput = headerOf(key, typ) + payload
  const bytes = Buffer.from(signingInput, 'latin1')
  switch (key.alg) {
    case 'ES256':
      return whole(signingInput, rawSignature(sign('sha256', bytes, key.privateKey)))
    case 'EdDSA':
      return whole(signingInput, sign(null, bytes, key.privateKey))
    case 'RS256':
      return new Promise((resolve, reject) => {
        sign('sha256', bytes, key.privateKey, (error, signature) =>
          error === null ? resolve(whole(signingInput, signature)) : reject(error),
        )
      })
  }
}

function whole(signingInput: string, signature: Buffer): string {
  return `${signingInput}.${signature.toString('base64url')}`
}

function headerOf(key: SigningKey, typ: string): string {
  const known = headers.get(key) ?? new Map<string, string>()
  const written = known.get(typ)
  if (written !== undefined) return written
  const header = JSON.stringify({ alg: key.alg, typ, kid: key.kid })
  const text = `${Buffer.from(header).toString('base64url')}.`
  headers.set(key, known.set(typ, text))
  return text
}
