// grant_type=urn:ietf:params:oauth:grant-type:device_code (RFC 8628 §3.4, §3.5): a client asks again and again until a
// person has decided, not faster than it was told to; once they allowed it, exactly one of its requests gets the
// tokens.

import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../../oauth/errors/errors.js'
import { requireParameter } from '../../../oauth/requests/parameters.js'
import { hashOpaqueToken } from '../../../oauth/secrets/opaque-token.js'
import {
  type DeviceCodeRow,
  findDeviceCode,
  notePoll,
  redeemDeviceCode,
} from '../../../storage/sql/grants/device-codes.js'
import { readGrant } from '../../../storage/sql/grants/grants.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { checkDeviceCodesAllowed } from '../../device-codes-allowed.js'
import type { TokenResponse } from '../issue-token.js'
import type { TokenRequest } from './grant.js'
import { invalidGrant, notThisClients } from './invalid-grant.js'
import { redeemGrant } from './redeem-grant.js'

/** What a client is told to wait more, each time that it was too fast (RFC 8628 §3.5). */
const slowerBySeconds = 5
const slowestSeconds = 60
/** Networks make the pause between two requests shorter than it was. */
const toleranceMs = 1000

/** Redeems a device code. Throws OAuthError, StoreUnavailable. */
export async function grantDeviceCode(deps: IdentityDependencies, tokenRequest: TokenRequest): Promise<TokenResponse> {
  const { parameters, client } = tokenRequest
  const hash = hashOpaqueToken(requireParameter(parameters, 'device_code'))
  const row = await findDeviceCode(deps.store.reader, hash)
  if (row === undefined) throw notThisClients('device_code_unknown')
  if (row.application_id !== client.registration.applicationId) throw notThisClients('device_code_of_another')
  if (row.state === 'redeemed') throw redeemed()
  // Also of one that was allowed: the person who did it may have meant a device that has long given up.
  if (deps.now() >= Number(row.expires_at)) throw expired()
  await checkPace(deps, row)
  const { registration } = client
  // While nobody has decided, no tenant is known; a client that will get nothing needs not go on asking.
  checkDeviceCodesAllowed(deps, registration, undefined)
  if (row.state === 'denied') {
    throw new OAuthError('access_denied', 'The person denied it.', { number: errorNumber.declined })
  }
  if (row.state !== 'approved' || row.grant_id === null) {
    throw new OAuthError('authorization_pending', 'Nobody has decided yet. Ask again after the interval.', {
      number: errorNumber.authorizationPending,
    })
  }
  const grant = await readGrant(deps.store.reader, row.grant_id)
  if (grant === undefined) throw notThisClients('device_code_unknown')
  checkDeviceCodesAllowed(deps, registration, await deps.directory.findTenant(grant.tenant_id))
  const answer = await redeemGrant(deps, tokenRequest, grant, (tx) => redeemDeviceCode(tx, hash))
  if (answer === undefined) throw redeemed()
  return answer
}

/** Notes this request; the one that came too early is told, and so is each after it that keeps the old pace. */
async function checkPace(deps: IdentityDependencies, row: DeviceCodeRow): Promise<void> {
  const at = deps.now()
  const before = Number(row.interval_seconds)
  const tooFast = at < Number(row.last_polled_at) + before * 1000 - toleranceMs
  const intervalSeconds = tooFast ? Math.min(before + slowerBySeconds, slowestSeconds) : before
  // One statement, which locks the row: requests at once wait for each other instead of running again.
  await deps.store.transaction((tx) => notePoll(tx, row.device_hash, { at, intervalSeconds }), 'first-lock')
  if (!tooFast) return
  throw new OAuthError('slow_down', `Wait ${intervalSeconds} seconds between two requests from now on.`, {
    number: errorNumber.slowDown,
  })
}

function expired(): OAuthError {
  return new OAuthError('expired_token', 'The device code has expired. Ask for a new one.', {
    number: errorNumber.deviceCodeExpired,
  })
}

/** Nothing is revoked: a client whose answer was lost asks again, and it is the client that has the code. */
function redeemed(): OAuthError {
  return invalidGrant('The device code was redeemed already.', errorNumber.codeRedeemed)
}
