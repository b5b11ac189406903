// The public keys (RFC 7517 §5): those that access tokens are signed with, and, apart from them, those of the
// assertions that upstreams verify. A key is here before it signs and until the last thing that it signed has ended.

import type { FastifyInstance } from 'fastify'
import type { KeyPurpose, Keyring } from '../../tokens/keys/keys.js'
import { registerPublicDocument } from './public-document.js'

/** Short against the day that a new key is published before it signs, long against a flood of readers. */
const maxAgeSeconds = 300

/** The path of the keys of access tokens, the `jwks_uri` of the metadata. */
export const keysPath = '/api/v2/oauth2/v2.0/keys'

/** Registers both key sets. */
export function registerKeys(scope: FastifyInstance, keyring: Keyring): void {
  const sets = [
    { path: keysPath, routeId: 'keys', purpose: 'token' },
    { path: '/api/v2/oauth2/v2.0/assertionkeys', routeId: 'assertionkeys', purpose: 'assertion' },
  ] as const
  for (const { path, routeId, purpose } of sets) {
    registerPublicDocument(scope, { path, routeId, maxAgeSeconds, text: keySetText(keyring, purpose) })
  }
}

/** Written once for each generation of the keyring, in an order that every instance has. */
function keySetText(keyring: Keyring, purpose: KeyPurpose): () => string {
  let generation = Number.NaN
  let text = ''
  return () => {
    if (generation !== keyring.generation) {
      const before = keyring.generation
      const keys = [...keyring.publicKeys(purpose).keys].sort((a, b) => ((a.kid ?? '') < (b.kid ?? '') ? -1 : 1))
      text = JSON.stringify({ keys })
      generation = before
    }
    return text
  }
}
