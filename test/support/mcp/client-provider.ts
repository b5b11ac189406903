// What both official client libraries ask their application for: who it is, and where it keeps its tokens.

import type { OAuthClientProvider } from '@modelcontextprotocol/client'

export interface ClientProvider extends OAuthClientProvider {
  /** Where the person was sent last. */
  readonly sentTo: URL | undefined
  /** The scope of the token that it has. */
  readonly scope: string
}

type Information = Awaited<ReturnType<OAuthClientProvider['clientInformation']>>

/** A native application that an administrator registered as `clientId`; it keeps all in memory. */
export function createClientProvider(clientId: string, redirectUrl: string): ClientProvider {
  return remembering(redirectUrl, { information: { client_id: clientId } })
}

/**
 * One that nobody registered: it registers itself, or is known by its document at `clientMetadataUrl` where the server
 * takes such. `metadata` is what it says besides.
 */
export function createNewcomer(
  redirectUrl: string,
  { metadata, clientMetadataUrl }: { metadata?: object; clientMetadataUrl?: string } = {},
): ClientProvider & { readonly clientId: string | undefined; forget(): void } {
  const own: { information: Information } = { information: undefined }
  const provider = remembering(redirectUrl, own)
  Object.assign(provider.clientMetadata, metadata)
  const more = {
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    saveClientInformation(given: Information) {
      own.information = given
    },
    forget() {
      own.information = undefined
    },
  }
  Object.defineProperty(more, 'clientId', { get: () => own.information?.client_id })
  return Object.defineProperties(provider, Object.getOwnPropertyDescriptors(more)) as ReturnType<typeof createNewcomer>
}

function remembering(redirectUrl: string, own: { information: Information }): ClientProvider {
  let tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>
  let verifier = ''
  let discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>
  let sentTo: URL | undefined
  return {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    clientInformation: () => own.information,
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given
    },
    redirectToAuthorization: (url) => {
      sentTo = url
    },
    saveCodeVerifier: (text) => {
      verifier = text
    },
    codeVerifier: () => verifier,
    discoveryState: () => discovered,
    saveDiscoveryState: (state) => {
      discovered = state
    },
    get sentTo() {
      return sentTo
    },
    get scope() {
      return tokens?.scope ?? ''
    },
  }
}
