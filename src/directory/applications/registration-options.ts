// What a registration says about itself beyond its name and lists: how its client proves itself, how its ID tokens are
// signed, who publishes it. Checked together, because a method without keys could never sign in.

import type { ApplicationRow } from '../../storage/sql/registrations/applications.js'
import { checkClientKeys, endedKeys } from '../credentials/client-keys.js'
import type { Registration } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { checkNewName } from './names.js'

/** Absent: as it is, or the default. */
export interface RegistrationOptions {
  /** Web: a PKCE challenge is required too; a native application's always is, and it cannot be switched off. */
  requirePkce?: boolean | undefined
  authMethod?: Registration['authMethod'] | undefined
  /** A JWK Set of public keys, which private_key_jwt needs; null removes it, and so does `federated`. */
  jwks?: unknown
  idTokenAlg?: Registration['idTokenAlg'] | undefined
  /** Empty: nobody said. */
  publisher?: string | undefined
  /** Only an operator may say this; the caller has checked that. */
  verified?: boolean | undefined
  /** Whether it may ask for device codes (RFC 8628). */
  deviceCodes?: Registration['deviceCodes'] | undefined
}

type Columns = Pick<
  ApplicationRow,
  'require_pkce' | 'auth_method' | 'jwks' | 'id_token_alg' | 'publisher' | 'verified' | 'device_codes'
>
type Known = Pick<
  Registration,
  'type' | 'requirePkce' | 'authMethod' | 'jwks' | 'idTokenAlg' | 'publisher' | 'verified' | 'deviceCodes'
>

/** What a new registration of that type says when nobody says anything. */
export function defaultOptions(type: Registration['type']): Known {
  const said = { authMethod: 'secret', jwks: undefined, idTokenAlg: 'RS256', publisher: '', verified: false } as const
  return { type, requirePkce: type === 'native', deviceCodes: 'allowed', ...said }
}

/**
 * The columns after the change, and what of its credentials ended by it: all when its method of proof is another one,
 * else the kids of the keys that are gone. Throws DirectoryRefusal (NativeApplication, InvalidKeys, InvalidName,
 * NameReserved).
 */
export function changeOptions(
  before: Known,
  changes: RegistrationOptions,
): { columns: Columns; ended: 'all' | readonly string[] } {
  if (before.type === 'native') checkNative(changes)
  const authMethod = changes.authMethod ?? before.authMethod
  const jwks = keysAfter(before, authMethod, changes.jwks)
  if (authMethod === 'private_key_jwt' && jwks === undefined) {
    throw new DirectoryRefusal('InvalidKeys', 'private_key_jwt needs the public keys of the application.', 'jwks')
  }
  const publisher = publisherAfter(before, changes)
  // The operator who vouched for a publisher vouched for that name.
  const verified = changes.verified ?? (before.verified && publisher === before.publisher)
  if (verified && publisher === '') {
    throw new DirectoryRefusal('InvalidName', 'There is no publisher that could be verified.', 'publisher')
  }
  return {
    columns: {
      require_pkce: Number(changes.requirePkce ?? before.requirePkce),
      // Without keys it is `federated`; see rows.ts.
      auth_method: authMethod === 'secret' ? 'secret' : 'private_key_jwt',
      jwks: jwks === undefined ? null : JSON.stringify(jwks),
      id_token_alg: changes.idTokenAlg ?? before.idTokenAlg,
      publisher,
      verified: Number(verified),
      device_codes: changes.deviceCodes ?? before.deviceCodes,
    },
    ended: authMethod === before.authMethod ? endedKeys(before.jwks, jwks) : 'all',
  }
}

function checkNative({ requirePkce, authMethod }: RegistrationOptions): void {
  if ((authMethod ?? 'secret') !== 'secret') {
    const message = 'A native application cannot keep a secret or a key: it proves itself by none.'
    throw new DirectoryRefusal('NativeApplication', message, 'authMethod')
  }
  if (requirePkce === false) {
    throw new DirectoryRefusal('NativeApplication', 'A native application always uses PKCE.', 'requirePkce')
  }
}

function keysAfter(before: Known, authMethod: Registration['authMethod'], jwks: unknown): Registration['jwks'] {
  if (authMethod === 'federated') {
    if ((jwks ?? null) === null) return undefined
    throw new DirectoryRefusal('InvalidKeys', 'An application that proves itself elsewhere has no keys here.', 'jwks')
  }
  if (jwks === undefined) return before.jwks
  return jwks === null ? undefined : checkClientKeys(jwks)
}

function publisherAfter(before: Known, { publisher, verified }: RegistrationOptions): string {
  if (publisher === undefined) return before.publisher
  return publisher.trim() === '' ? '' : checkNewName(before.publisher, publisher, 'publisher', 'publisher', verified)
}
