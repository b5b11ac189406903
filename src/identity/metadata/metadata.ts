// What this server says about itself (RFC 8414) and about the resources that it guards (RFC 9728). Only what is built
// is announced; every URL is made from the configured issuer, never from a request (decision 0013).

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Catalogue, Settings } from '../../config/settings/settings.js'
import { languages } from '../../languages/language.js'
import { authenticationClasses } from '../../oauth/authentication-class.js'
import { authorizationSupport } from '../../oauth/requests/authorization-request.js'
import { codeChallengeMethods } from '../../oauth/requests/pkce.js'
import { clientAssertionAlgorithms } from '../../tokens/client-assertion.js'
import { personClaimNames } from '../token/person-claims.js'
import { grantTypes } from '../token/token.js'
import { userinfoPath } from '../userinfo-path.js'
import { keysPath } from './keys.js'
import { registerPublicDocument } from './public-document.js'

type DescribedSettings = Pick<Settings, 'server' | 'catalogue' | 'tokens' | 'signIn' | 'routes' | 'registration'>

const maxAgeSeconds = 3600
const base = '/api/v2/oauth2/v2.0'
const claimsSupported = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'at_hash',
  'acr',
  'amr',
  'tid',
].concat(personClaimNames)
const resourcePrefix = '/.well-known/oauth-protected-resource'

/** The canonical paths of the endpoints that the metadata names. */
export const endpointPaths = {
  authorize: `${base}/authorize`,
  token: `${base}/token`,
  revoke: `${base}/revoke`,
  introspect: `${base}/introspect`,
  userinfo: userinfoPath,
  deviceCode: `${base}/devicecode`,
  logout: `${base}/logout`,
  register: `${base}/register`,
}

/**
 * Both well-known names have the same document (RFC 8414 §5, OpenID Connect Discovery §4): what one says, the other
 * does.
 */
const serverPaths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']

/**
 * Registers the metadata of the server, and of each https resource that the catalogue has at the moment of a request.
 * `isRegistrationAnnounced` is checked at each request.
 */
export function registerMetadata(
  scope: FastifyInstance,
  settings: DescribedSettings,
  isRegistrationAnnounced: () => Promise<boolean>,
): void {
  const written = writtenAnew(settings)
  const text = async () => ((await isRegistrationAnnounced()) ? written().registering : written().server)
  for (const path of serverPaths) registerPublicDocument(scope, { path, routeId: 'metadata', maxAgeSeconds, text })
  const routeId = 'resource-metadata'
  // Those of the start by their own paths, which the document of the API lists; those of a reload by whatever follows.
  const suffixes = [...written().resources.keys()]
  for (const suffix of suffixes) {
    const text = () => written().resources.get(suffix)
    registerPublicDocument(scope, { path: literalPath(`${resourcePrefix}${suffix}`), routeId, maxAgeSeconds, text })
  }
  const later = ({ params }: FastifyRequest) => written().resources.get(`/${(params as { '*': string })['*']}`)
  registerPublicDocument(scope, { path: `${resourcePrefix}/*`, routeId, maxAgeSeconds, text: later })
}

/** The documents, written when the catalogue is another one than before. */
function writtenAnew(settings: DescribedSettings) {
  const { catalogue } = settings
  const { baseUrl } = settings.server
  let of: { permissions: Catalogue['permissions']; routes: Settings['routes'] } | undefined
  let written = { server: '', registering: '', resources: new Map<string, string>() }
  return () => {
    const { routes } = settings
    if (of?.permissions === catalogue.permissions && of.routes === routes) return written
    of = { permissions: catalogue.permissions, routes }
    const resources = describedResources(baseUrl, catalogue)
    const server = serverMetadata(settings, [...resources.values()])
    written = {
      server: JSON.stringify(server),
      registering: JSON.stringify({ ...server, registration_endpoint: baseUrl + endpointPaths.register }),
      resources: new Map(
        [...resources].map(([suffix, id]) => [suffix, JSON.stringify(resourceMetadata(settings, id))]),
      ),
    }
    return written
  }
}

function serverMetadata(
  { server: { baseUrl }, tokens, catalogue, signIn, registration }: DescribedSettings,
  resources: readonly string[],
): object {
  const proofs = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
  const own = catalogue.permissions.filter(({ resource }) => resource === catalogue.own.id)
  const idTokenAlgorithms = [...new Set(['RS256', 'ES256', tokens.algorithm])]
  return {
    issuer: baseUrl,
    authorization_endpoint: baseUrl + endpointPaths.authorize,
    token_endpoint: baseUrl + endpointPaths.token,
    jwks_uri: baseUrl + keysPath,
    userinfo_endpoint: baseUrl + endpointPaths.userinfo,
    end_session_endpoint: baseUrl + endpointPaths.logout,
    ...(signIn.deviceCodes === 'off' ? {} : { device_authorization_endpoint: baseUrl + endpointPaths.deviceCode }),
    revocation_endpoint: baseUrl + endpointPaths.revoke,
    introspection_endpoint: baseUrl + endpointPaths.introspect,
    grant_types_supported: grantTypes.filter((name) => signIn.deviceCodes !== 'off' || !name.endsWith('device_code')),
    // RFC 9207 §3 among it: `iss` is in every answer, so a client that talks to several servers cannot be confused.
    ...authorizationSupport,
    // Clients take it for the way in where it is announced, so it is not where none of theirs is taken.
    ...(registration.documents.trust === 'off' ? {} : { client_id_metadata_document_supported: true }),
    code_challenge_methods_supported: codeChallengeMethods,
    scopes_supported: ['openid', 'profile', 'email', 'offline_access', ...own.map(({ id }) => id)],
    claims_supported: claimsSupported,
    claim_types_supported: ['normal'],
    acr_values_supported: authenticationClasses,
    ui_locales_supported: languages,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: idTokenAlgorithms,
    // A native client names itself and proves nothing; it may redeem and revoke, and not introspect.
    token_endpoint_auth_methods_supported: [...proofs, 'none'],
    token_endpoint_auth_signing_alg_values_supported: clientAssertionAlgorithms,
    revocation_endpoint_auth_methods_supported: [...proofs, 'none'],
    revocation_endpoint_auth_signing_alg_values_supported: clientAssertionAlgorithms,
    introspection_endpoint_auth_methods_supported: proofs,
    introspection_endpoint_auth_signing_alg_values_supported: clientAssertionAlgorithms,
    ...(resources.length === 0 ? {} : { protected_resources: resources }),
  }
}

function resourceMetadata({ server: { baseUrl }, catalogue, routes }: DescribedSettings, resource: string): object {
  const scopes = announcedScopes({ catalogue, routes }, resource)
  const name = catalogue.resources.get(resource)?.name
  return {
    resource,
    authorization_servers: [baseUrl],
    jwks_uri: baseUrl + keysPath,
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    ...(name === undefined ? {} : { resource_name: name }),
  }
}

/**
 * All permissions; of a resource that is an MCP server what connecting needs, because its clients ask for whatever is
 * announced, and for the rest when a call is refused (MCP 2026-07-28, authorization, scope selection).
 */
function announcedScopes(
  { catalogue, routes }: Pick<DescribedSettings, 'catalogue' | 'routes'>,
  resource: string,
): string[] {
  const first = routes.flatMap(({ mcp, resource: of }) => (of === resource && mcp !== undefined ? mcp.first.anyOf : []))
  if (first.length > 0) return [...new Set(first.flat())]
  return catalogue.permissions.filter((each) => each.resource === resource).map(({ id }) => id)
}

/**
 * The https resources by the path that is appended to the well-known one (RFC 9728 §3.1). One at the root of its host
 * has none and is not described. Of two with the same path the one under our own origin is meant.
 */
function describedResources(baseUrl: string, catalogue: Catalogue): Map<string, string> {
  const described = new Map<string, string>()
  for (const id of catalogue.resources.keys()) {
    if (!id.startsWith('https://') || !URL.canParse(id)) continue
    const { origin, pathname } = new URL(id)
    const suffix = pathname.replace(/(?<!\/)\/+$/, '')
    if (suffix !== '' && (origin === baseUrl || !described.has(suffix))) described.set(suffix, id)
  }
  return described
}

/** A path as the router reads it literally: `:` begins a parameter, `*` is a wildcard. */
function literalPath(path: string): string {
  return path.replaceAll(':', '::').replaceAll('*', '%2A')
}
