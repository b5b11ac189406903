// Tokens as an attacker or a broken issuer would write them: every part by hand, signed or not by a key of one's
// choice.

import { createHmac, type KeyObject, sign } from 'node:crypto'
import type { JWK } from 'jose'
import type { AccessTokenClaims } from '../../../src/tokens/claims.js'
import type { KeyPurpose, Keyring, SigningAlgorithm } from '../../../src/tokens/keys/keys.js'
import { createVerificationKey } from '../../../src/tokens/keys/verification-key.js'
import { newKeyPair } from './key-pair.js'

export const issuer = 'https://localhost:8443'
export const resource = `${issuer}/api/v2`
export const applicationId = '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01'
export const tenantId = '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02'
export const userId = '5d7e6a0b-2b68-4f0e-8a53-1c2d3e4f5a03'

/** 2027-01-15T08:00:00Z in epoch seconds: the moment at which the tests of tokens happen. */
export const nowSeconds = 1_800_000_000

export interface TestKey {
  kid: string
  alg: SigningAlgorithm
  publicKey: KeyObject
  privateKey: KeyObject
}

/** A new key pair under a name. */
export async function testKey(kid: string, alg: SigningAlgorithm): Promise<TestKey> {
  if (alg === 'ES256') return { kid, alg, ...(await newKeyPair('ec', { namedCurve: 'P-256' })) }
  if (alg === 'RS256') return { kid, alg, ...(await newKeyPair('rsa', { modulusLength: 2048 })) }
  return { kid, alg, ...(await newKeyPair('ed25519')) }
}

/** A keyring of these keys for tokens; `generation` can be set, and keys removed from `keys`. */
export function testKeyring(...given: TestKey[]) {
  const keys = new Map(given.map((key) => [key.kid, key]))
  const keyring = {
    keys,
    generation: 1,
    lookups: 0,
    verificationKey(purpose: KeyPurpose, kid: string) {
      keyring.lookups += 1
      const key = purpose === 'token' ? keys.get(kid) : undefined
      return key && createVerificationKey(kid, key.alg, key.publicKey.export({ format: 'jwk' }) as JWK)
    },
    signingKey: () => given[0] as TestKey,
  }
  return keyring satisfies Pick<Keyring, 'verificationKey' | 'signingKey' | 'generation'>
}

/** The claims of a good app token, with changes; a claim set to undefined is absent. */
export function appClaims(changes: Record<string, unknown> = {}): AccessTokenClaims {
  return {
    iss: issuer,
    aud: resource,
    sub: applicationId,
    client_id: applicationId,
    iat: nowSeconds,
    nbf: nowSeconds,
    exp: nowSeconds + 3600,
    jti: 'b8f1a2c3-0d4e-4f5a-8b6c-7d8e9f0a1b04',
    tid: tenantId,
    idtyp: 'app',
    scope: 'User.Read.All',
    roles: ['User.Read.All'],
    cid: 'k1',
    seq: 7,
    ...changes,
  } as AccessTokenClaims
}

/** The claims of a good user token, with changes. */
export function userClaims(changes: Record<string, unknown> = {}): AccessTokenClaims {
  return appClaims({ sub: userId, idtyp: 'user', roles: undefined, scope: 'User.Read', gid: 'grant-1', ...changes })
}

/** A segment: text, bytes, or the JSON of a value. */
export function segment(value: unknown): string {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return Buffer.from(value).toString('base64url')
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Header and payload signed with the key, in the way of the key's own algorithm; text and bytes go in as they are. */
export function forge(key: TestKey, payload: unknown = appClaims(), header: unknown = {}): string {
  const isRaw = typeof header === 'string' || Buffer.isBuffer(header)
  const whole = isRaw ? header : { alg: key.alg, typ: 'at+jwt', kid: key.kid, ...(header as object) }
  const input = `${segment(whole)}.${segment(payload)}`
  return `${input}.${signatureOf(key, input).toString('base64url')}`
}

/** The signature of `input` by `key`. */
export function signatureOf(key: TestKey, input: string): Buffer {
  const bytes = Buffer.from(input)
  if (key.alg === 'EdDSA') return sign(null, bytes, key.privateKey)
  return sign('sha256', bytes, { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
}

/** A token whose "signature" is an HMAC under `secret`. */
export function forgeWithHmac(secret: string | Buffer, header: object, payload: unknown = appClaims()): string {
  const input = `${segment(header)}.${segment(payload)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
