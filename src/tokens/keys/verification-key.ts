// Which public keys may verify anything, and how one signature is checked. Synchronous: jose verifies in a thread pool
// that slow work elsewhere can fill, and costs twice as much.

import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import type { JWK } from 'jose'
import { derSignature } from './ecdsa-form.js'
import type { VerificationAlgorithm, VerificationKey } from './keys.js'

/** RFC 7518 §3.3: a key of 2048 bits or larger. */
const leastRsaBits = 2048

/** Order of P-256, big endian; r and s of a signature are below it and not zero (FIPS 186-5 §6.4.2). */
const p256Order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
const zero = Buffer.alloc(32)

/** RFC 7518 §3.5: the salt is as long as the hash. */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }

/**
 * Ed25519 points of small order (RFC 8032 §8.9, RFC 8725 §3.4), without their sign bit: their "signatures" fit
 * anything.
 */
const smallOrderPoints = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

/**
 * A key that may verify signatures of `alg` and of nothing else. `jwk` is public or private; only its public part is
 * kept. Throws Error when the key does not fit the algorithm or is weak (RFC 8725 §3.4).
 */
export function createVerificationKey(kid: string, alg: VerificationAlgorithm, jwk: JWK): VerificationKey {
  const publicKey = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  const problem = keyProblem(alg, publicKey)
  if (problem !== undefined) throw new Error(`key ${kid} cannot be used for ${alg}: ${problem}`)
  return { kid, alg, publicKey }
}

/**
 * Whether `signature` is `key`'s over `input`, in the form that RFC 7518 §3.3, §3.4 and RFC 8037 §3.1 give it. Never
 * throws.
 */
export function isSignatureValid(key: VerificationKey, input: Buffer, signature: Buffer): boolean {
  switch (key.alg) {
    case 'ES256':
      return isEcdsaShape(signature) && verify('sha256', input, key.publicKey, derSignature(signature))
    case 'RS256':
      return verify('sha256', input, key.publicKey, signature)
    case 'PS256':
      return verify('sha256', input, { key: key.publicKey, ...pss }, signature)
    case 'EdDSA':
      return signature.length === 64 && verify(null, input, key.publicKey, signature)
    default:
      return false
  }
}

/** 64 bytes, r and s each at least 1 and below the order, said here and not left to a library (CVE-2022-21449). */
function isEcdsaShape(signature: Buffer): boolean {
  if (signature.length !== 64) return false
  return isScalar(signature, 0) && isScalar(signature, 32)
}

function isScalar(signature: Buffer, at: number): boolean {
  return signature.compare(zero, 0, 32, at, at + 32) > 0 && signature.compare(p256Order, 0, 32, at, at + 32) < 0
}

function keyProblem(alg: VerificationAlgorithm, key: KeyObject): string | undefined {
  const type = key.asymmetricKeyType
  const details = key.asymmetricKeyDetails
  if (alg === 'ES256') return type === 'ec' && details?.namedCurve === 'prime256v1' ? undefined : 'not a P-256 key'
  if (alg === 'RS256' || alg === 'PS256') {
    const isStrong = type === 'rsa' && (details?.modulusLength ?? 0) >= leastRsaBits
    return isStrong ? undefined : `not an RSA key of at least ${leastRsaBits} bits`
  }
  if (alg !== 'EdDSA' || type !== 'ed25519') return 'not an Ed25519 key'
  return isSmallOrder(key) ? 'a point of small order' : undefined
}

function isSmallOrder(key: KeyObject): boolean {
  const point = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
  point.writeUInt8(point.readUInt8(31) & 0x7f, 31)
  return smallOrderPoints.has(point.toString('hex'))
}
