// The configured providers, each with what its discovery document says. That is fetched when somebody needs it, by one
// request at a time, and again every ten minutes; while the provider is away the last answer does for an hour.

import type { Configuration } from 'openid-client'
import type { ProviderSettings } from '../../config/settings/settings.js'
import { createGuardedFetch } from './guarded-fetch.js'

const freshMs = 10 * 60_000
const staleMs = 3_600_000
/** Of discovery; guarded-fetch.ts has the one that counts. Seconds. */
const timeoutSeconds = 10

export interface Provider {
  settings: ProviderSettings
  /** Throws ProviderUnreachable, and ProviderMistaken when the document is not what was configured. */
  configuration(): Promise<Configuration>
}

export type Providers = ReadonlyMap<string, Provider>

/** What the provider says of itself does not fit what the operator configured. */
export class ProviderMistaken extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProviderMistaken'
  }
}

/** `monotonic` is milliseconds. Nothing is fetched yet. */
export function createProviders(settings: ReadonlyMap<string, ProviderSettings>, monotonic: () => number): Providers {
  return new Map([...settings].map(([name, each]) => [name, createProvider(each, monotonic)]))
}

function createProvider(settings: ProviderSettings, monotonic: () => number): Provider {
  const guarded = createGuardedFetch({ issuer: settings.issuer, ca: settings.ca, monotonic })
  let known: { configuration: Configuration; at: number } | undefined
  let underWay: Promise<Configuration> | undefined

  async function discover(): Promise<Configuration> {
    const client = await import('openid-client')
    const configuration = await client.discovery(
      new URL(settings.issuer),
      settings.clientId,
      {},
      (server, ...rest) => clientAuthentication(client, settings, server)(server, ...rest),
      // The signature of an ID token is verified although it came over TLS: the server that answers there is not always
      // the one that signs.
      {
        [client.customFetch]: guarded.fetch,
        timeout: timeoutSeconds,
        execute: [client.enableNonRepudiationChecks],
      },
    )
    guarded.allow(endpointsOf(configuration, settings.issuer))
    return configuration
  }

  return {
    settings,
    async configuration() {
      const ageMs = known === undefined ? Number.POSITIVE_INFINITY : monotonic() - known.at
      if (known !== undefined && ageMs < freshMs) return known.configuration
      underWay ??= discover().finally(() => {
        underWay = undefined
      })
      try {
        known = { configuration: await underWay, at: monotonic() }
      } catch (error) {
        if (known === undefined || ageMs >= staleMs) throw error
      }
      return known.configuration
    },
  }
}

/**
 * In the body where the provider takes it there (not all of them decode what RFC 6749 §2.3.1 encodes), else in the
 * header.
 */
function clientAuthentication(
  client: typeof import('openid-client'),
  { clientSecret }: ProviderSettings,
  server: { token_endpoint_auth_methods_supported?: string[] },
) {
  if (clientSecret === undefined) return client.None()
  const inBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true
  return inBody ? client.ClientSecretPost(clientSecret.reveal()) : client.ClientSecretBasic(clientSecret.reveal())
}

/** Where this server will ask. The issuer is compared letter by letter: the library lets some providers say another. */
function endpointsOf(configuration: Configuration, issuer: string): string[] {
  const server = configuration.serverMetadata()
  if (server.issuer !== issuer) throw new ProviderMistaken('the discovery document names another issuer')
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = server
  for (const needed of [authorization_endpoint, token_endpoint, jwks_uri]) {
    if (needed === undefined || !URL.canParse(needed) || new URL(needed).protocol !== 'https:') {
      throw new ProviderMistaken('the discovery document lacks an endpoint over https')
    }
  }
  return [token_endpoint, jwks_uri, userinfo_endpoint].filter((each) => each !== undefined)
}
