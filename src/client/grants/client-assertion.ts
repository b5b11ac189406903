// private_key_jwt (RFC 7523 §2.2 and §3, OpenID Connect Core §9): a client that signs who it is. The assertion is for
// the issuer, is used once, and lives so short that clocks may differ by two minutes and no more.

import { randomText, toBase64url } from '../base64url.js'
import { ClientError } from '../errors.js'
import type { Clock } from '../surroundings.js'

/** A private key for signing as WebCrypto has it; it need not be extractable. */
export type SigningKey = Parameters<typeof globalThis.crypto.subtle.sign>[1]

/** RFC 7517; `kid` names it. */
export type PrivateJwk = Readonly<Record<string, unknown>>

export interface ClientKey {
  key: SigningKey | PrivateJwk
  /** The `kid` under which the public part is registered; default: that of the JWK. */
  keyId?: string | undefined
}

type Algorithm = 'ES256' | 'RS256' | 'EdDSA'

const lifetimeSeconds = 180
const parameters = {
  ES256: { import: { name: 'ECDSA', namedCurve: 'P-256' }, sign: { name: 'ECDSA', hash: 'SHA-256' } },
  RS256: { import: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, sign: { name: 'RSASSA-PKCS1-v1_5' } },
  EdDSA: { import: { name: 'Ed25519' }, sign: { name: 'Ed25519' } },
} as const

/** A function that makes a new assertion each time. Throws ClientError `wrong_use` for a key that cannot sign one. */
export function createAssertions(
  { key, keyId }: ClientKey,
  { clientId, issuer, clock }: { clientId: string; issuer: string; clock: Clock },
): () => Promise<string> {
  const kid = keyId ?? ('kid' in key && typeof key.kid === 'string' ? key.kid : undefined)
  if (kid === undefined) throw new ClientError('wrong_use', 'the key has no id: say keyId')
  let imported: ReturnType<typeof signingKey> | undefined
  return async () => {
    imported ??= signingKey(key)
    const { alg, signing } = await imported
    const now = Math.floor(clock.wallMs() / 1000)
    const times = { iat: now, exp: now + lifetimeSeconds }
    const claims = { iss: clientId, sub: clientId, aud: issuer, jti: randomText(), ...times }
    const signed = `${part({ alg, typ: 'JWT', kid })}.${part(claims)}`
    const bytes = new TextEncoder().encode(signed)
    const signature = await crypto.subtle.sign(parameters[alg].sign, signing, bytes)
    return `${signed}.${toBase64url(new Uint8Array(signature))}`
  }
}

async function signingKey(key: SigningKey | PrivateJwk): Promise<{ alg: Algorithm; signing: SigningKey }> {
  if (isCryptoKey(key)) {
    const alg = algorithmOf(key.algorithm.name, (key.algorithm as { namedCurve?: string }).namedCurve)
    return { alg, signing: key }
  }
  const alg = algorithmOf(String(key['kty']), String(key['crv']))
  try {
    // Only what the key is made of: `use` and `key_ops` would have to agree with what it is imported for.
    const { use: _use, key_ops: _operations, alg: _alg, ext: _ext, ...material } = key
    return { alg, signing: await crypto.subtle.importKey('jwk', material, parameters[alg].import, false, ['sign']) }
  } catch (error) {
    throw new ClientError('wrong_use', 'the key is no private JWK that can sign', { cause: error })
  }
}

function isCryptoKey(key: SigningKey | PrivateJwk): key is SigningKey {
  return 'algorithm' in key && 'usages' in key
}

function algorithmOf(name: string, curve: string | undefined): Algorithm {
  if ((name === 'ECDSA' || name === 'EC') && curve === 'P-256') return 'ES256'
  if (name === 'RSASSA-PKCS1-v1_5' || name === 'RSA') return 'RS256'
  if (name === 'Ed25519' || (name === 'OKP' && curve === 'Ed25519')) return 'EdDSA'
  throw new ClientError('wrong_use', `a key of ${name} ${curve ?? ''} cannot sign here: P-256, RSA or Ed25519 can`)
}

function part(value: object): string {
  return toBase64url(new TextEncoder().encode(JSON.stringify(value)))
}
