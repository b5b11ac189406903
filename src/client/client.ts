// One application at one issuer, and all the ways in which it gets tokens.

import { createDiscovery, type IssuerMetadata } from './discovery.js'
import {
  type AuthorizationRequest,
  beginAuthorization,
  finishAuthorization,
  type StartedAuthorization,
} from './grants/authorization-code.js'
import { type ClientAuthentication, createAuthentication } from './grants/client-authentication.js'
import { createApplicationSources, type TokenRequest } from './grants/client-credentials.js'
import { beginDevice, type DeviceSignIn } from './grants/device-code.js'
import { createPerson } from './grants/person.js'
import { type Surroundings, surroundings as surroundingsOf } from './surroundings.js'
import { revokeToken } from './tokens/revocation.js'
import type { ClientContext } from './tokens/token-endpoint.js'
import type { TokenStore } from './tokens/token-store.js'
import type { TokenSource, Tokens } from './tokens/tokens.js'

export interface ClientOptions extends Partial<Surroundings> {
  /** The server's base URL, exactly as it calls itself. */
  issuer: string
  /** Application identifier or public key. */
  clientId: string
  /** Short for `authentication: { method: 'client_secret_post', clientSecret }`. */
  clientSecret?: string | undefined
  /** Default: none, as a native application has none. */
  authentication?: ClientAuthentication | undefined
}

/** A caller's own patience: it ends that caller's wait alone. */
export interface Patience {
  signal?: AbortSignal | undefined
}

export interface Client {
  /** What the issuer says about itself. */
  metadata(options?: Patience): Promise<IssuerMetadata>
  /** Tokens of the application itself. The same request answers the same source, with one cache. */
  application(request?: TokenRequest): TokenSource
  /** The address at which a person signs in, and what to keep until they come back. */
  beginAuthorization(request: AuthorizationRequest, options?: Patience): Promise<StartedAuthorization>
  /** Their tokens, from the address that they came back to. */
  finishAuthorization(started: StartedAuthorization, callback: string | URL, options?: Patience): Promise<Tokens>
  /** A code that a person types in a browser elsewhere. */
  beginDevice(request?: TokenRequest, options?: Patience): Promise<DeviceSignIn>
  /** A person's access token for as long as they are signed in. One source for one store. */
  person(store: TokenStore): TokenSource
  /** Ends a token; a refresh token ends the sign-in. */
  revoke(token: string, options?: Patience): Promise<void>
}

/** Asks nobody anything until it is used. Throws ClientError `wrong_use`. */
export function createClient(options: ClientOptions): Client {
  const { issuer, clientId, clientSecret } = options
  const surroundings = surroundingsOf(options)
  const authentication: ClientAuthentication =
    options.authentication ??
    (clientSecret === undefined ? { method: 'none' } : { method: 'client_secret_post', clientSecret })
  const metadata = createDiscovery(issuer, surroundings)
  const authenticate = createAuthentication(authentication, { clientId, issuer, clock: surroundings.clock })
  const context: ClientContext = { issuer, clientId, surroundings, metadata, authenticate }
  const sources = createApplicationSources(context)
  return {
    metadata: ({ signal } = {}) => metadata.get(signal),
    application: (request = {}) => sources(request),
    beginAuthorization: (request, { signal } = {}) => beginAuthorization(context, request, signal),
    finishAuthorization: (started, callback, { signal } = {}) =>
      finishAuthorization(context, started, callback, signal),
    beginDevice: (request = {}, { signal } = {}) => beginDevice(context, request, signal),
    person: (store) => createPerson(context, store),
    revoke: (token, { signal } = {}) => revokeToken(context, token, signal),
  }
}
