// Who the client thinks is signing in (OpenID Connect Core §3.1.2.1). A login_hint only fills in a field; an
// id_token_hint says for whom the answer is, so it has to be an ID token of ours, however old.

import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { BearerError, OAuthError } from '../../oauth/errors/errors.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import { readIdTokenHint } from '../../tokens/id-token.js'
import type { IdentityDependencies } from '../dependencies.js'

type Deps = Pick<IdentityDependencies, 'keyring' | 'settings'>

const longestLoginHint = 320

/** Both hints, where they are. Throws OAuthError `invalid_request` for an id_token_hint that is none of ours. */
export function readHints(deps: Deps, parameters: RequestParameters): { loginHint?: string; idTokenHintSub?: string } {
  const loginHint = parameters.get('login_hint')
  const idToken = parameters.get('id_token_hint')
  return {
    ...(loginHint === undefined || loginHint.length > longestLoginHint ? {} : { loginHint }),
    ...(idToken === undefined ? {} : { idTokenHintSub: subjectOf(deps, idToken) }),
  }
}

function subjectOf({ keyring, settings }: Deps, idToken: string): string {
  try {
    return readIdTokenHint(keyring, idToken, settings.server.baseUrl).sub
  } catch (cause) {
    if (!(cause instanceof BearerError)) throw cause
    throw new OAuthError('invalid_request', 'The id_token_hint is not an ID token of this server.', {
      number: errorNumber.invalidParameter,
      cause: cause.reason,
    })
  }
}
