// The refusal of a call for which its person has to have signed in with two factors (RFC 9470 §3). The same refusal has
// the same bytes: clients tell a loop by comparing challenges.

import type { TokenPrincipal } from '../../../access/principal.js'
import { ApiError } from '../../../http/answers/api-error.js'
import { type RpcId, rpcError } from '../../../mcp/json-rpc.js'
import { secondFactorClass } from '../../../oauth/authentication-class.js'
import { insufficientAuthentication } from '../../bearer-errors.js'
import type { Refusal } from '../../errors.js'
import { rpcRefusal } from '../refusals.js'

const reason = 'mcp_second_factor'

/** Whether a person signed in here with two factors for this token; what another issuer says of one counts for nothing. */
export function hasSecondFactor(principal: TokenPrincipal | undefined): boolean {
  return principal?.kind === 'delegated' && principal.issuer === undefined && principal.acr === secondFactorClass
}

/**
 * 401 with what the sign-in lacks; 403 where there is no person who could prove anything. `scope`: what a client that
 * asks for the challenge's scope alone has to ask for, so that it loses nothing.
 */
export function lackingSecondFactor(
  principal: TokenPrincipal | undefined,
  facts: { resource: string; baseUrl: string; id: RpcId | null; scope: readonly string[] },
): Refusal {
  const { resource, baseUrl, id, scope } = facts
  if (principal?.kind !== 'delegated' || principal.issuer !== undefined) {
    const message = 'This tool is for people who have signed in with a second factor, and no person acts here.'
    const refused = rpcRefusal(reason, { status: 403, code: 403, message }, id)
    return { ...refused, principal, error: new ApiError(403, 'SecondFactorRequired', message) }
  }
  const needed = insufficientAuthentication({ acrValues: secondFactorClass }, resource, baseUrl)
  const { headers = {}, more } = needed.error.extras
  const challenge = `${headers['www-authenticate']}, scope="${scope.join(' ')}"`
  const message =
    'This tool needs a sign-in with a second factor. The person sets one up at sign_in_uri, if they have none; then they sign in again for this agent.'
  const data = { code: 'SecondFactorRequired', ...more, sign_in_uri: `${baseUrl}/account/second-factor` }
  return {
    ...needed,
    reason,
    principal,
    instead: {
      status: 401,
      headers: { ...headers, 'www-authenticate': challenge, 'content-type': 'application/json' },
      body: rpcError({ code: 401, message, data }, id),
    },
  }
}
