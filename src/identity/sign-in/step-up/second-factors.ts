// Which second factors somebody has, read only where it matters: for a session of one factor.

import { secondFactorClass } from '../../../oauth/authentication-class.js'
import { findUser } from '../../../users/accounts/users.js'
import { listPasskeys } from '../../../users/credentials/passkeys.js'
import type { Session } from '../../../users/records.js'
import type { IdentityDependencies } from '../../dependencies.js'

/** What a person can show besides what they have shown. */
export interface SecondFactors {
  /** Codes of an app. */
  code: boolean
  passkey: boolean
}

/** None at all. */
export const noSecondFactor: SecondFactors = { code: false, passkey: false }

/**
 * Of the person of this session; none where the session has two factors already, or is nobody's. Throws
 * StoreUnavailable.
 */
export async function secondFactorsOf(
  { store }: Pick<IdentityDependencies, 'store'>,
  session: Session | undefined,
): Promise<SecondFactors> {
  if (session === undefined || session.acr === secondFactorClass) return noSecondFactor
  const { userId } = session
  const [user, passkeys] = await Promise.all([findUser(store.reader, userId), listPasskeys(store.reader, userId)])
  return { code: user?.hasSecondFactor === true, passkey: passkeys.length > 0 }
}

/** Whether there is one. */
export function hasAny({ code, passkey }: SecondFactors): boolean {
  return code || passkey
}
