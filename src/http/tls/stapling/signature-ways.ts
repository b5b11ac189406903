// In which ways an answer about a certificate may be signed, and whether it is. Nothing with SHA-1.

import { constants, type KeyObject, verify } from 'node:crypto'
import { type Der, elements, tags } from './der.js'
import { expectTag, inside } from './der-shapes.js'

/** A way to sign that clients take. */
export interface SignatureWay {
  /** Null: the key says it. */
  hash: string | null
  /** Kinds of keys that sign so, as node:crypto names them. */
  keys: readonly string[]
  /** RSA with a salt of so many bytes (PSS); undefined: without one. */
  saltBytes?: number
}

const rsaPss = '2a864886f70d01010a'
const maskByHash = '2a864886f70d010108'

/** By the hexadecimal identifier. */
const ways = new Map<string, SignatureWay>([
  ['2a864886f70d01010b', { hash: 'sha256', keys: ['rsa'] }],
  ['2a864886f70d01010c', { hash: 'sha384', keys: ['rsa'] }],
  ['2a864886f70d01010d', { hash: 'sha512', keys: ['rsa'] }],
  ['2a8648ce3d040302', { hash: 'sha256', keys: ['ec'] }],
  ['2a8648ce3d040303', { hash: 'sha384', keys: ['ec'] }],
  ['2a8648ce3d040304', { hash: 'sha512', keys: ['ec'] }],
  ['2b6570', { hash: null, keys: ['ed25519'] }],
])

const pssHashes = new Map<string, Required<SignatureWay>>([
  ['608648016503040201', { hash: 'sha256', keys: ['rsa', 'rsa-pss'], saltBytes: 32 }],
  ['608648016503040202', { hash: 'sha384', keys: ['rsa', 'rsa-pss'], saltBytes: 48 }],
  ['608648016503040203', { hash: 'sha512', keys: ['rsa', 'rsa-pss'], saltBytes: 64 }],
])

/** Of an AlgorithmIdentifier; undefined for what is not taken. Throws Malformed. */
export function signatureWay(found: Der | undefined): SignatureWay | undefined {
  const [id, parameters] = elements(expectTag(found, tags.sequence).value)
  const name = hexOf(id)
  return name === rsaPss ? pssWay(parameters) : ways.get(name)
}

/** Whether this key signed these bytes so. */
export function isSignedIn(
  way: SignatureWay,
  key: KeyObject,
  { data, signature }: Record<'data' | 'signature', Buffer>,
) {
  if (!way.keys.includes(key.asymmetricKeyType ?? '')) return false
  const { saltBytes: saltLength } = way
  return saltLength === undefined
    ? verify(way.hash, data, key, signature)
    : verify(way.hash, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }, signature)
}

/** The one hash for data and mask, and a salt of its length: what libraries of TLS read (RFC 4055 §3.1). */
function pssWay(parameters: Der | undefined): SignatureWay | undefined {
  const [hash, mask, salt, ...more] = elements(expectTag(parameters, tags.sequence).value)
  if (hash?.tag !== 0xa0 || mask?.tag !== 0xa1 || salt?.tag !== 0xa2 || more.length > 0) return undefined
  const way = pssHashes.get(hashName(hash.value))
  const [maskName, maskHash] = inside(mask.value, tags.sequence)
  if (way === undefined || hexOf(maskName) !== maskByHash) return undefined
  const isOneHash = maskHash !== undefined && hashName(maskHash.whole) === hashName(hash.value)
  const [length] = elements(salt.value)
  return isOneHash && expectTag(length, tags.integer).value.equals(Buffer.of(way.saltBytes)) ? way : undefined
}

function hashName(algorithm: Buffer): string {
  return hexOf(inside(algorithm, tags.sequence)[0])
}

function hexOf(found: Der | undefined): string {
  return expectTag(found, tags.oid).value.toString('hex')
}
