// Second factors for people of a test: codes of an app, and passkeys.

import { Secret, TOTP } from 'otpauth'
import { addPasskey } from '../../../src/users/credentials/passkeys.js'
import { addSecondFactor } from '../../../src/users/credentials/second-factor.js'
import { createSeed } from '../../../src/users/credentials/totp.js'
import type { UserWrites } from '../../../src/users/writes.js'

/**
 * Turns codes on: what the app of this person shows at each moment. The clock goes on, so that the next code is a new
 * one.
 */
export async function giveCodes(
  users: UserWrites,
  clock: { nowMs: number },
  user: { userId: string; email: string },
): Promise<() => string> {
  const { seed, sealed } = createSeed(users, user)
  const totp = new TOTP({ secret: Secret.fromBase32(seed) })
  const code = () => totp.generate({ timestamp: clock.nowMs })
  await addSecondFactor(users, { userId: user.userId, sealed, code: code() })
  clock.nowMs += 60_000
  return code
}

/** Remembers a passkey that nobody can use. */
export async function givePasskey(users: UserWrites, userId: string): Promise<void> {
  const key = {
    credentialId: `credential-${userId}`,
    publicKey: 'AA',
    counter: 0,
    transports: [],
  }
  await addPasskey(users, { ...key, userId, name: 'Phone' })
}
