// What a logout request says (OpenID Connect RP-Initiated Logout 1.0 §2): whose session the application means, and
// where it wants to be returned to. Only a URI of the application's own list is ever returned to, compared character by
// character.

import type { Registration } from '../../directory/records.js'
import { BearerError } from '../../oauth/errors/errors.js'
import { decodeForm } from '../../oauth/requests/form-decoding.js'
import { findRedirectUri, type VerifiedRedirectUri } from '../../oauth/requests/redirect-uri.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { readIdTokenHint } from '../../tokens/id-token.js'
import { PageError } from '../../web/pages/page-error.js'
import type { IdentityDependencies } from '../dependencies.js'

export interface LogoutRequest {
  /** The person whom a valid id_token_hint names. */
  hintSub: string | undefined
  /** Who asks, as far as the hint or client_id says. */
  registration: Registration | undefined
  /** Where to go afterwards; undefined: nowhere, the page says that it is done. */
  returnTo: { redirectUri: VerifiedRedirectUri; state: string | undefined } | undefined
}

type Deps = Pick<IdentityDependencies, 'directory' | 'keyring' | 'settings'>

const once = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const
const mostParameters = 64

/**
 * Reads the query. Throws PageError 400 for a repeated parameter, a client that differs from the hint's, and a
 * post_logout_redirect_uri that the application has not registered; StoreUnavailable.
 */
export async function readLogoutRequest(deps: Deps, query: string): Promise<LogoutRequest> {
  const get = readParameters(query)
  const written = get('id_token_hint')
  const hint = written === undefined ? undefined : readHint(deps, written)
  const registration = await findClient(deps, hint?.aud, get('client_id'))
  const uri = get('post_logout_redirect_uri')
  // Without a hint the person is prompted before anything happens. A hint that is not ours was made by somebody:
  // nothing else that stands beside it is believed either.
  const believed = written === undefined || hint !== undefined
  const redirectUri = uri === undefined || !believed ? undefined : requireReturn(registration, uri)
  return {
    hintSub: hint?.sub,
    registration,
    returnTo: redirectUri === undefined ? undefined : { redirectUri, state: get('state') },
  }
}

function readParameters(query: string): (name: (typeof once)[number]) => string | undefined {
  const pairs = decodeForm(query)
  if (pairs === undefined || pairs.length > mostParameters) throw refused('The request could not be read.')
  const repeated = once.find((name) => pairs.filter(([each]) => each === name).length > 1)
  if (repeated !== undefined) throw refused(`The request says ${repeated} more than once.`)
  return (name) => pairs.find(([each]) => each === name)?.[1] || undefined
}

/** An expired one will do (§2): it says who was meant, and lets nobody in. */
function readHint({ keyring, settings }: Deps, token: string): { sub: string; aud: string } | undefined {
  try {
    return readIdTokenHint(keyring, token, settings.server.baseUrl)
  } catch (error) {
    if (error instanceof BearerError) return undefined
    throw error
  }
}

async function findClient(
  { directory }: Deps,
  aud: string | undefined,
  clientId: string | undefined,
): Promise<Registration | undefined> {
  const find = async (written: string | undefined) => {
    const identifier = parseClientIdentifier(written)
    return identifier === undefined ? undefined : directory.findRegistration(identifier)
  }
  const [hinted, named] = [await find(aud), await find(clientId)]
  if (clientId !== undefined && named === undefined) throw refused('No application is registered under its client_id.')
  // §2: both say the same application, in either of its identifiers.
  if (aud !== undefined && named !== undefined && hinted?.applicationId !== named.applicationId) {
    throw refused('Its id_token_hint was issued to another application than its client_id names.')
  }
  return hinted ?? named
}

/** §3: exact, and only from the list for this purpose; a native application's port must be the registered one too. */
function requireReturn(registration: Registration | undefined, uri: string): VerifiedRedirectUri | undefined {
  if (registration === undefined) return undefined
  const enabled = registration.state === 'enabled'
  const found = enabled ? findRedirectUri(registration.logoutRedirectUris, uri, 'web') : undefined
  if (found !== undefined) return found
  throw refused('The address to return to (post_logout_redirect_uri) is not one that the application has registered.')
}

function refused(what: string): PageError {
  return new PageError({
    status: 400,
    title: ({ errors }) => errors.logout.title,
    what: ({ errors }) => errors.logout.what(what),
    remedy: ({ errors }) => errors.logout.remedy,
    links: [{ href: '/sign-out', text: ({ errors }) => errors.logout.here }],
    reason: 'logout_request',
  })
}
