// A token without a secret, for callers that may open the local socket: they can read the data folder and with it the
// keys (decision 0005). It is an ordinary token of the application, but its credential is called `local`. And one for
// people who try an application out at the portal (decision 0069): short, and its credential is called `trial`.

import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { parseScopeList } from '../../oauth/requests/scope.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import type { IssuingDependencies } from '../dependencies.js'
import { checkMayIssue } from '../view-freshness.js'
import { applicationToken, signApplicationToken, type TokenResponse } from './issue-token.js'

/** Long enough to look at an answer, too short to build on. */
const trialMs = 300_000

export interface TokenWithoutSecret {
  /** Or the public key. */
  applicationId: string
  /** A scope list; `default` when absent. */
  scope?: string | undefined
  /** The home tenant when absent. */
  tenantId?: string | undefined
  /** For somebody at the portal, who has been authorized; it lives five minutes. */
  trial?: boolean | undefined
}

/** Issues one by the rules of client_credentials. Throws OAuthError, StoreUnavailable. */
export async function issueForOperator(deps: IssuingDependencies, request: TokenWithoutSecret): Promise<TokenResponse> {
  checkMayIssue(deps)
  const { seq } = deps.view
  const registration = await deps.directory.findRegistration(request.applicationId)
  if (registration === undefined || registration.state !== 'enabled') {
    throw refused('The application is unknown or disabled.', errorNumber.invalidClient)
  }
  if (registration.type !== 'web') {
    throw refused('A native application cannot act under its own identity.', errorNumber.clientCannotAuthenticate)
  }
  const requestedTenant = parseGuid(request.tenantId)
  if (request.tenantId !== undefined && requestedTenant === undefined) {
    throw new OAuthError('invalid_request', 'The tenant must be a GUID.', { number: errorNumber.malformedTenant })
  }
  const token = await applicationToken(deps, {
    registration,
    scope: parseScopeList(request.scope ?? 'default'),
    resources: [],
    requestedTenant,
  })
  const credential =
    request.trial === true
      ? { id: 'trial', endsAt: deps.now() + trialMs }
      : { id: 'local', endsAt: Number.MAX_SAFE_INTEGER }
  return signApplicationToken(deps, token, { credential, seq })
}

function refused(description: string, number: number): OAuthError {
  return new OAuthError('unauthorized_client', description, { number })
}
