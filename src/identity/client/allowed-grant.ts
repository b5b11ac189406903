// Which grants an application may use: all that its type allows, unless it registered itself with a list of them (RFC
// 7591 §2, `grant_types`; decision 0060). What it left out there is not served to anybody who got hold of it.

import type { Registration } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'

/** Whether it may; `grantType` as the standard spells it. */
export function mayUseGrant({ grantTypes }: Registration, grantType: string): boolean {
  return grantTypes === undefined || grantTypes.includes(grantType)
}

/** Throws OAuthError `unauthorized_client` (RFC 6749 §5.2). */
export function checkGrantAllowed(registration: Registration, grantType: string): void {
  if (mayUseGrant(registration, grantType)) return
  const description = `The client did not register the grant type ${grantType}.`
  throw new OAuthError('unauthorized_client', description, { number: errorNumber.grantNotRegistered })
}
