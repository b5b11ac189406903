// POST register without a token, where registration is open (RFC 7591 §3, decision 158): a client that proves itself by
// nothing says where its answers go and what it calls itself, and has an identifier for that. Nothing is written. What it
// may ask for is what the resources open to such clients, whatever scope it names here: clients put the scope of their
// first challenge here, and ask for more later. There is nothing to look after, so it gets no token for that (RFC 7592).

import type { FastifyRequest } from 'fastify'
import { plainClientName } from '../../client-documents/client-name.js'
import { requestContext } from '../../http/requests/request-context.js'
import { redirectUriProblem } from '../../oauth/requests/redirect-uri.js'
import type { IdentityDependencies } from '../dependencies.js'
import { throttled } from '../limits.js'
import type { ClientInformation } from './client-information.js'
import { readClientMetadata, responseTypesOf } from './client-metadata.js'
import { badMetadata, badRedirectUri } from './refusals.js'

type Deps = Pick<IdentityDependencies, 'activity' | 'metrics' | 'now' | 'openClients'>
type Members = Readonly<Record<string, unknown>>

/** Of what a client names: nobody else acts for a person who was sent to them. */
const servedGrants = ['authorization_code', 'refresh_token']
const mostRedirectUris = 20
/** A client that is given none has no use for it. */
const sharedSecrets = ['client_secret_basic', 'client_secret_post']

/** Whether anybody may register, and the request has nothing to be let in by. */
export function isOpenRegistration({ openClients }: Pick<Deps, 'openClients'>, request: FastifyRequest): boolean {
  return openClients.isOn && request.headers.authorization === undefined
}

/**
 * The body of the 201 answer; `readMembers` reads what the client says of itself. Throws OAuthError (RFC 7591 §3.2.2;
 * 429).
 */
export async function registerOpenly(
  deps: Deps,
  request: FastifyRequest,
  readMembers: () => Members,
): Promise<ClientInformation> {
  const { metrics, openClients } = deps
  const wait = await openClients.charge(requestContext(request).address)
  if (wait !== undefined) {
    metrics.clientRegistrations.inc({ outcome: 'limited' })
    throw throttled(wait)
  }
  try {
    const information = register(deps, readMembers())
    metrics.clientRegistrations.inc({ outcome: 'registered' })
    return information
  } catch (error) {
    metrics.clientRegistrations.inc({ outcome: 'refused' })
    throw error
  }
}

function register({ openClients, now }: Deps, members: Members): ClientInformation {
  const { registration, details } = readClientMetadata(asPublicClient(members))
  if (registration.idTokenAlg !== 'RS256') throw badMetadata('id_token_signed_response_alg is RS256.')
  const { redirectUris } = registration
  checkRedirectUris(redirectUris, openClients.takesRedirect)
  const said = members['client_name']
  const clientName = plainClientName(typeof said === 'string' ? said : '')
  const { grantTypes, applicationType } = details
  const clientId = openClients.register({
    clientName,
    redirectUris: [...new Set(redirectUris.map(withoutLoopbackPort))],
    refreshes: grantTypes.includes('refresh_token'),
  })
  if (clientId === undefined) throw badMetadata('client_name and redirect_uris are too long together.')
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(now() / 1000),
    client_name: clientName,
    application_type: applicationType,
    // As they came: clients compare what they are answered with what they sent.
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [],
    grant_types: [...grantTypes],
    response_types: responseTypesOf(grantTypes),
    token_endpoint_auth_method: 'none',
    id_token_signed_response_alg: registration.idTokenAlg,
  }
}

/**
 * What the client says, as that of one that proves itself by nothing: RFC 7591 §3.2.1 lets a server register less than
 * was requested, and the answer says so. Not for keys: a client that has one relies on it.
 */
function asPublicClient(members: Members): Members {
  const { token_endpoint_auth_method: method, grant_types: grants, jwks } = members
  const named = typeof method === 'string' && sharedSecrets.includes(method) ? 'none' : (method ?? 'none')
  if (named !== 'none' || (jwks ?? null) !== null) {
    throw badMetadata(
      'token_endpoint_auth_method is none without a registration token. Use a client ID metadata document for a client that has keys.',
    )
  }
  const kept = Array.isArray(grants) ? grants.filter((grant) => servedGrants.includes(grant)) : grants
  if (Array.isArray(kept) && !kept.includes('authorization_code')) {
    throw badMetadata('grant_types does not have authorization_code.')
  }
  const { scope: _scope, post_logout_redirect_uris: _uris, ...rest } = members
  return { ...rest, token_endpoint_auth_method: 'none', grant_types: kept ?? null }
}

/** Throws OAuthError `invalid_redirect_uri`. */
function checkRedirectUris(uris: readonly string[], takes: (uri: string) => boolean): void {
  if (uris.length > mostRedirectUris) throw badRedirectUri(`redirect_uris has more than ${mostRedirectUris} entries.`)
  for (const [at, uri] of uris.entries()) {
    const problem = redirectUriProblem(uri, 'native')
    if (problem !== undefined) throw badRedirectUri(`redirect_uris[${at}]: ${problem}`)
    if (takes(uri)) continue
    throw badRedirectUri(
      `redirect_uris[${at}]: clients that register without a token have addresses on this device, such as http://127.0.0.1/callback, or of hosts that this server lists.`,
    )
  }
}

/** Any port fits such an address (RFC 8252 §7.3), so that of today makes no other client. */
function withoutLoopbackPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d{1,5}(?=[/?]|$)/, '$1')
}
