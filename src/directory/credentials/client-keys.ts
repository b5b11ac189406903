// The public keys of an application: which JWK Set may be registered. It proves itself by them with the method
// private_key_jwt only; beside another they say nothing here (RFC 7591 §2). What is stored is rebuilt from the members
// that are needed, so that nothing else of a set is ever kept.

import { createHash } from 'node:crypto'
import type { SigningAlgorithm } from '../../tokens/keys/keys.js'
import { createVerificationKey } from '../../tokens/keys/verification-key.js'
import type { Registration } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'

type ClientKeys = NonNullable<Registration['jwks']>

const mostKeys = 10
const longestKid = 128
/** Members of a private or symmetric key (RFC 7518 §6.2.2, §6.3.2, §6.4; RFC 8037 §2). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
/** By type: the algorithm that such a key signs with, and its public members; with `kty` those of its thumbprint. */
const keyTypes: ReadonlyMap<unknown, { alg: SigningAlgorithm; members: readonly string[] }> = new Map([
  ['EC', { alg: 'ES256', members: ['crv', 'x', 'y'] }],
  ['RSA', { alg: 'RS256', members: ['n', 'e'] }],
  ['OKP', { alg: 'EdDSA', members: ['crv', 'x'] }],
])

/**
 * The set (RFC 7517 §5) as it is stored: 1 to 10 keys, each with a `kid` of its own or named by its thumbprint, for
 * ES256, RS256 (2048 bits or more) or EdDSA. Throws DirectoryRefusal (InvalidKeys) that says which key is wrong and
 * why; it repeats no key.
 */
export function checkClientKeys(jwks: unknown): ClientKeys {
  const keys = isRecord(jwks) ? jwks['keys'] : undefined
  if (!Array.isArray(keys)) throw refused('The keys are a JSON Web Key Set: {"keys": [...]}.')
  if (keys.length === 0 || keys.length > mostKeys) throw refused(`A key set has 1 to ${mostKeys} keys.`)
  const checked = keys.map((key, index) => checkKey(key, `keys[${index}]`))
  const kids = new Set(checked.map(({ kid }) => kid))
  if (kids.size < checked.length) throw refused('Two keys have the same kid.')
  return { keys: checked }
}

/**
 * The `kid` of a key, or what it is called without one: its thumbprint (RFC 7638 §3). Undefined for what is no such
 * key.
 */
export function keyIdOf(key: Readonly<Record<string, unknown>>): unknown {
  const { kid, kty } = key
  const type = keyTypes.get(kty)
  if (kid !== undefined || type === undefined) return kid
  const names = ['kty', ...type.members].sort()
  const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, key[name]])))
  return createHash('sha256').update(text).digest('base64url')
}

/** The key ids of `before` under which `after` does not have the same key: those have ended. */
export function endedKeys(before: Registration['jwks'], after: Registration['jwks']): string[] {
  const left = new Set((after?.keys ?? []).map((key) => JSON.stringify(key)))
  return (before?.keys ?? []).filter((key) => !left.has(JSON.stringify(key))).map((key) => String(key['kid']))
}

function checkKey(key: unknown, where: string): Record<string, string> & { kid: string } {
  if (!isRecord(key)) throw refused(`${where} is not a JSON Web Key.`)
  const secret = privateMembers.find((member) => member in key)
  if (secret !== undefined) {
    throw refused(`${where} has the private member ${secret}. Send the public key only, and use this pair no more.`)
  }
  const { kty, alg, use } = key
  const type = keyTypes.get(kty)
  if (type === undefined) throw refused(`${where} has a kty that is not served: use EC, RSA or OKP.`)
  if (alg !== undefined && alg !== type.alg) throw refused(`${where} has an alg that is not served: use ${type.alg}.`)
  if (use !== undefined && use !== 'sig') throw refused(`${where} is not for signatures: its use is not sig.`)
  const members = type.members.map((member) => [member, key[member]])
  if (members.some(([, value]) => typeof value !== 'string' || !/^[\w-]{1,2048}$/.test(value))) {
    throw refused(`${where} needs the members ${type.members.join(', ')}, in base64url.`)
  }
  const kid = keyIdOf(key)
  if (typeof kid !== 'string' || !/^[\x21-\x7e]+$/.test(kid) || kid.length > longestKid) {
    throw refused(
      `${where} has a kid that is not 1 to ${longestKid} visible ASCII characters. Leave it out, or change it.`,
    )
  }
  const stored = { kty: String(kty), kid, alg: type.alg, use: 'sig', ...Object.fromEntries(members) }
  checkStrength(stored, type.alg, where)
  return stored
}

/** The rules are those for our own keys (RFC 7518 §3.3, RFC 8725 §3.4). */
function checkStrength(key: { kid: string }, alg: SigningAlgorithm, where: string): void {
  const least = { ES256: 'a P-256 key', RS256: 'an RSA key of at least 2048 bits', EdDSA: 'an Ed25519 key' }
  try {
    createVerificationKey(key.kid, alg, key)
  } catch {
    throw refused(`${where} is not ${least[alg]}.`)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refused(message: string): DirectoryRefusal {
  return new DirectoryRefusal('InvalidKeys', message, 'jwks')
}
