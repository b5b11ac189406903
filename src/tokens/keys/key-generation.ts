// New key pairs, and the form in which they are kept: the private part sealed.

import { generateKeyPair as generateWithCallback, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { KeyEncryption } from './key-encryption.js'
import type { SigningAlgorithm } from './keys.js'

const generate = promisify(generateWithCallback)

/** RSA of 2048 bits verifies fastest of what RFC 7518 §3.3 allows; larger ones only slow down the signing. */
const rsaBits = 2048

export interface GeneratedKey {
  /** RFC 7638 thumbprint: the same key always has the same name, and two never share one. */
  kid: string
  alg: SigningAlgorithm
  publicJwk: string
  sealedPrivateJwk: string
}

export interface KeyPair {
  publicKey: KeyObject
  privateKey: KeyObject
}

/**
 * Makes a key pair for `alg` whose name does not begin with a hyphen, because a command line takes such a word for an
 * option. RSA takes about a tenth of a second, off the event loop.
 */
export async function generateKeyPair(alg: SigningAlgorithm): Promise<KeyPair> {
  for (;;) {
    const pair = await anyKeyPair(alg)
    if (!(await nameOf(pair)).startsWith('-')) return pair
  }
}

async function anyKeyPair(alg: SigningAlgorithm): Promise<KeyPair> {
  switch (alg) {
    case 'ES256':
      return generate('ec', { namedCurve: 'P-256' })
    case 'RS256':
      return generate('rsa', { modulusLength: rsaBits, publicExponent: 0x10001 })
    case 'EdDSA':
      return generate('ed25519')
  }
}

/** The form in which a key pair is kept: its name, its public part, and its private part sealed. */
export async function sealedKey(
  alg: SigningAlgorithm,
  pair: KeyPair,
  encryption: KeyEncryption,
): Promise<GeneratedKey> {
  const publicJwk = pair.publicKey.export({ format: 'jwk' }) as JWK
  const kid = await nameOf(pair)
  const sealedPrivateJwk = encryption.seal(JSON.stringify(pair.privateKey.export({ format: 'jwk' })), kid)
  return { kid, alg, publicJwk: JSON.stringify(publicJwk), sealedPrivateJwk }
}

function nameOf({ publicKey }: KeyPair): Promise<string> {
  return calculateJwkThumbprint(publicKey.export({ format: 'jwk' }) as JWK, 'sha256')
}
