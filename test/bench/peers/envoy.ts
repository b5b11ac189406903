// Envoy with its own check of the same token (issuer, audience, signature), with and without its token cache; no
// revocation, no limits, no log.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { type Server, startServer } from '../processes.js'
import { type PublishedKey, partOf } from './published-key.js'

export interface EnvoyOptions {
  /** Its program. */
  program: string
  port: number
  upstreamPort: number
  key: PublishedKey
  /** What it has to accept. */
  token: string
  /** Verified tokens are remembered, as many as the product remembers. */
  cached: boolean
}

/** Starts Envoy with one worker in front of the bench upstream. */
export async function startEnvoy(folder: string, options: EnvoyOptions): Promise<Server> {
  const file = join(folder, `envoy-${options.port}.yaml`)
  writeFileSync(file, stringify(configuration(options), { aliasDuplicateObjects: false }))
  const words = [options.program, '-c', file, '--concurrency', '1', '--use-dynamic-base-id', '-l', 'error']
  return await startServer([...words, '--disable-hot-restart'], options.port, { cpu: 0 })
}

const typed = (name: string, type: string, fields: object = {}) => ({
  name,
  typed_config: { '@type': `type.googleapis.com/${type}`, ...fields },
})

function configuration(options: EnvoyOptions): object {
  const filters = 'envoy.extensions.filters'
  const manager = {
    stat_prefix: 'bench',
    http_filters: [
      typed('envoy.filters.http.jwt_authn', `${filters}.http.jwt_authn.v3.JwtAuthentication`, tokenCheck(options)),
      typed('envoy.filters.http.router', `${filters}.http.router.v3.Router`),
    ],
    route_config: {
      virtual_hosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'upstream' } }] },
      ],
    },
  }
  return {
    static_resources: {
      listeners: [
        {
          name: 'gate',
          address: address(options.port),
          filter_chains: [
            {
              filters: [
                typed(
                  'envoy.filters.network.http_connection_manager',
                  `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
                  manager,
                ),
              ],
            },
          ],
        },
      ],
      clusters: [
        {
          name: 'upstream',
          type: 'STATIC',
          load_assignment: {
            cluster_name: 'upstream',
            endpoints: [{ lb_endpoints: [{ endpoint: { address: address(options.upstreamPort) } }] }],
          },
        },
      ],
    },
  }
}

function address(port: number): object {
  return { socket_address: { address: '127.0.0.1', port_value: port } }
}

function tokenCheck({ key, token, cached }: EnvoyOptions): object {
  const { iss, aud } = partOf(token, 1) as { iss: string; aud: string | string[] }
  const provider = {
    issuer: iss,
    audiences: [aud].flat(),
    local_jwks: { inline_string: JSON.stringify({ keys: [key] }) },
    forward: false,
    ...(cached ? { jwt_cache_config: { jwt_cache_size: 10_000 } } : {}),
  }
  return {
    providers: { product: provider },
    rules: [{ match: { prefix: '/' }, requires: { provider_name: 'product' } }],
  }
}
