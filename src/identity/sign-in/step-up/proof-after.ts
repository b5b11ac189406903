// How a person has proved who they are after a factor came or went, for the session that did it. So a session of two
// factors is always one of somebody who has two.

import { secondFactorClass } from '../../../oauth/authentication-class.js'
import type { Statements } from '../../../storage/sql/store.js'
import { lacksFactor } from '../../../users/credentials/factor-demand.js'
import type { Session } from '../../../users/records.js'

type Proof = Pick<Session, 'acr' | 'amr'>

/** After setting one up, which took showing it (RFC 8176 `methods`). */
export function withFactor({ amr }: Proof, methods: readonly string[]): Proof {
  return { acr: secondFactorClass, amr: [...new Set([...amr, ...methods, 'mfa'])] }
}

/** After removing one: the first factor alone, where none is left here. Undefined: as it was. */
export async function withoutFactor(reader: Statements, session: Session): Promise<Proof | undefined> {
  if (!(await lacksFactor(reader, session.userId))) return undefined
  return { acr: '1', amr: session.amr.filter((method) => !['otp', 'hwk', 'user', 'mfa'].includes(method)) }
}
