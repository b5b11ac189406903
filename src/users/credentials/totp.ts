// Six-digit codes of time (RFC 6238), as every authenticator application makes them: SHA-1, 30 seconds, one step to
// either side. The seed is sealed in the Store under a key that the database never sees.

import { Secret, TOTP } from 'otpauth'
import { createKeyEncryption, type KeyEncryption } from '../../tokens/keys/key-encryption.js'
import type { UserWrites } from '../writes.js'

const seedBytes = 20
const periodSeconds = 30

export interface NewSeed {
  /** Base32, for people who cannot scan. */
  seed: string
  /** `otpauth://…`, for the picture. */
  uri: string
  /**
   * What is to be given back with the first code; useless to anybody but this server, and for anybody but this person.
   */
  sealed: string
}

/** A new seed. It is nobody's until a code of it was entered. `at`: what the application calls the account. */
export function createSeed(deps: UserWrites, at: { userId: string; email: string }): NewSeed {
  const secret = new Secret({ size: seedBytes })
  const issuer = new URL(deps.baseUrl).host
  const totp = new TOTP({ ...rules, secret, issuer, label: at.email })
  return { seed: secret.base32, uri: totp.toString(), sealed: sealer(deps).seal(secret.base32, sealName(at.userId)) }
}

/**
 * A seed of createSeed that came back with a wrong code, to be shown once more. Throws MasterKeyMismatch when it was
 * not sealed here for this person.
 */
export function openSeed(deps: UserWrites, at: { userId: string; email: string }, sealed: string): NewSeed {
  const secret = Secret.fromBase32(sealer(deps).open(sealed, sealName(at.userId)))
  const totp = new TOTP({ ...rules, secret, issuer: new URL(deps.baseUrl).host, label: at.email })
  return { seed: secret.base32, uri: totp.toString(), sealed }
}

/**
 * The time step of a code that is right now, undefined when it is not. Throws MasterKeyMismatch when the seed cannot be
 * opened.
 */
export function stepOfCode(deps: UserWrites, userId: string, sealed: string, code: string): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const secret = Secret.fromBase32(sealer(deps).open(sealed, sealName(userId)))
  const totp = new TOTP({ ...rules, secret })
  const timestamp = deps.now()
  const delta = totp.validate({ token: code, timestamp, window: 1 })
  return delta === null ? undefined : Math.floor(timestamp / 1000 / periodSeconds) + delta
}

const rules = { algorithm: 'SHA1', digits: 6, period: periodSeconds } as const

function sealer(deps: UserWrites): KeyEncryption {
  return createKeyEncryption(deps.derive('second-factor-seeds'))
}

/** Bound to its person: one row's seed cannot be put into another's. */
function sealName(userId: string): string {
  return `second factor of ${userId}`
}
