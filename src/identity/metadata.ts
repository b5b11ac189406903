// What this server says about itself (RFC 8414) and about the resources that it guards (RFC 9728). Only what is built is
// announced; every URL is made from the configured issuer, never from a request (decision 0013).

import type { FastifyInstance } from 'fastify'
import type { Catalogue } from '../config/settings.js'
import { keysPath } from './keys.js'
import { registerPublicDocument } from './public-document.js'
import { grantTypes } from './token/token.js'

const maxAgeSeconds = 3600
const base = '/api/v2/oauth2/v2.0'
const resourcePrefix = '/.well-known/oauth-protected-resource'

/** The canonical paths of the endpoints that the metadata names. */
export const endpointPaths = {
  token: `${base}/token`,
  revoke: `${base}/revoke`,
  introspect: `${base}/introspect`,
  deviceCode: `${base}/devicecode`,
  logout: `${base}/logout`,
}

/** Registers the metadata of the server, and one document for each https resource of the catalogue. */
export function registerMetadata(scope: FastifyInstance, baseUrl: string, catalogue: Catalogue): void {
  const resources = describedResources(baseUrl, catalogue)
  const server = JSON.stringify(serverMetadata(baseUrl, [...resources.values()]))
  const path = '/.well-known/oauth-authorization-server'
  registerPublicDocument(scope, { path, routeId: 'metadata', maxAgeSeconds, text: () => server })
  for (const [suffix, resource] of resources) {
    const text = JSON.stringify(resourceMetadata(baseUrl, catalogue, resource))
    const routeId = 'resource-metadata'
    registerPublicDocument(scope, {
      path: literalPath(`${resourcePrefix}${suffix}`),
      ...{ routeId, maxAgeSeconds, text: () => text },
    })
  }
}

function serverMetadata(baseUrl: string, resources: readonly string[]): object {
  const secretMethods = ['client_secret_basic', 'client_secret_post']
  return {
    issuer: baseUrl,
    token_endpoint: baseUrl + endpointPaths.token,
    token_endpoint_auth_methods_supported: secretMethods,
    jwks_uri: baseUrl + keysPath,
    grant_types_supported: grantTypes,
    // RFC 8414 §2 requires the member; there is no authorization endpoint yet, so there is no response type.
    response_types_supported: [],
    device_authorization_endpoint: baseUrl + endpointPaths.deviceCode,
    revocation_endpoint: baseUrl + endpointPaths.revoke,
    revocation_endpoint_auth_methods_supported: secretMethods,
    introspection_endpoint: baseUrl + endpointPaths.introspect,
    introspection_endpoint_auth_methods_supported: secretMethods,
    ...(resources.length === 0 ? {} : { protected_resources: resources }),
  }
}

function resourceMetadata(baseUrl: string, catalogue: Catalogue, resource: string): object {
  const permissions = catalogue.permissions.filter((each) => each.resource === resource)
  const scopes = permissions.filter(({ kinds }) => kinds.includes('application')).map(({ id }) => id)
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
 * The https resources by the path that is appended to the well-known one (RFC 9728 §3.1). One at the root of its host
 * has none and is not described. Of two with the same path the one under our own origin is meant.
 */
function describedResources(baseUrl: string, catalogue: Catalogue): Map<string, string> {
  const described = new Map<string, string>()
  for (const id of catalogue.resources.keys()) {
    if (!id.startsWith('https://') || !URL.canParse(id)) continue
    const { origin, pathname } = new URL(id)
    const suffix = pathname.replace(/\/+$/, '')
    if (suffix !== '' && (origin === baseUrl || !described.has(suffix))) described.set(suffix, id)
  }
  return described
}

/** A path as the router reads it literally: `:` begins a parameter, `*` is a wildcard. */
function literalPath(path: string): string {
  return path.replaceAll(':', '::').replaceAll('*', '%2A')
}
