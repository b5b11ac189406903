// grant_type=authorization_code (RFC 6749 §4.1.3, RFC 7636 §4.6, contract §3), in this order: the client, whose code it
// is, PKCE, redirect_uri, used before, expired, and last of all consumed. Who fails before "used before" can neither
// burn a code nor end a grant with what they do not have (T10).

import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../../oauth/errors/errors.js'
import { requireParameter } from '../../../oauth/requests/parameters.js'
import { isCodeVerifier, matchesCodeChallenge } from '../../../oauth/requests/pkce.js'
import { hashOpaqueToken } from '../../../oauth/secrets/opaque-token.js'
import {
  type AuthorizationCodeRow,
  readAuthorizationCode,
  redeemAuthorizationCode,
} from '../../../storage/sql/grants/authorization-codes.js'
import { readGrant } from '../../../storage/sql/grants/grants.js'
import type { IdentityDependencies } from '../../dependencies.js'
import type { TokenResponse } from '../issue-token.js'
import { endReusedGrant } from './ended-by-reuse.js'
import type { TokenRequest } from './grant.js'
import { invalidGrant, notThisClients } from './invalid-grant.js'
import { redeemGrant } from './redeem-grant.js'

/** Redeems a code. Throws OAuthError, StoreUnavailable. */
export async function grantAuthorizationCode(
  deps: IdentityDependencies,
  tokenRequest: TokenRequest,
): Promise<TokenResponse> {
  const { parameters, client } = tokenRequest
  const hash = hashOpaqueToken(requireParameter(parameters, 'code'))
  const code = await readAuthorizationCode(deps.store.reader, hash)
  if (code === undefined) throw notThisClients('code_unknown')
  if (code.application_id !== client.registration.applicationId) throw notThisClients('code_of_another')
  checkVerifier(code, parameters.get('code_verifier'), client.type === 'native' || client.registration.requirePkce)
  checkRedirectUri(code, parameters.get('redirect_uri'))
  if (code.redeemed_at !== null) throw await alreadyRedeemed(deps, tokenRequest, code)
  if (deps.now() >= Number(code.expires_at)) throw expired()
  const grant = await readGrant(deps.store.reader, code.grant_id)
  if (grant === undefined) throw notThisClients('code_unknown')
  const answer = await redeemGrant(deps, tokenRequest, grant, (tx) => redeemAuthorizationCode(tx, hash, deps.now()))
  if (answer !== undefined) return answer
  // Somebody else was first, in the moment since it was read; or it has just expired.
  const now = await readAuthorizationCode(deps.store.reader, hash)
  throw now?.redeemed_at === null ? expired() : await alreadyRedeemed(deps, tokenRequest, code)
}

/** T12, T13: sent then, needed now; not sent then, not accepted now (a downgrade otherwise, RFC 9700 §4.8.2). */
function checkVerifier(code: AuthorizationCodeRow, verifier: string | undefined, isRequired: boolean): void {
  if (verifier !== undefined && !isCodeVerifier(verifier)) {
    throw new OAuthError('invalid_request', 'code_verifier has 43 to 128 characters of A-Z a-z 0-9 - . _ ~.', {
      number: errorNumber.wrongVerifier,
    })
  }
  const isSent = code.code_challenge !== ''
  // A code without a challenge for a client that needs one was requested before that was switched on.
  const isRight = isSent
    ? verifier !== undefined && matchesCodeChallenge(verifier, code.code_challenge)
    : verifier === undefined && !isRequired
  if (isRight) return
  throw invalidGrant('code_verifier does not belong to the authorization request.', errorNumber.wrongVerifier)
}

function checkRedirectUri(code: AuthorizationCodeRow, redirectUri: string | undefined): void {
  if (redirectUri === code.redirect_uri) return
  const description = 'redirect_uri is not the one of the authorization request.'
  throw invalidGrant(description, errorNumber.redirectMismatch)
}

/** RFC 6749 §4.1.2: what was issued from it ends too, because nobody knows which of the two was the client. */
async function alreadyRedeemed(deps: IdentityDependencies, tokenRequest: TokenRequest, code: AuthorizationCodeRow) {
  await endReusedGrant(deps, tokenRequest, code.grant_id, 'code')
  const description = 'The code was redeemed already. What was issued from it has been revoked.'
  return invalidGrant(description, errorNumber.codeRedeemed)
}

function expired(): OAuthError {
  return invalidGrant('The code has expired.', errorNumber.expiredGrant)
}
