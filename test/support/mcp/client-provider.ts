// What both official client libraries ask their application for: who it is, and where it keeps its tokens.

import type { OAuthClientProvider } from '@modelcontextprotocol/client'

export interface ClientProvider extends OAuthClientProvider {
  /** Where the person was sent last. */
  readonly sentTo: URL | undefined
  /** The scope of the token that it has. */
  readonly scope: string
}

/** Registered by an administrator, or known by a document at a URL. */
export type AgentIdentity = { clientId: string } | { documentUrl: string }

/** A native application; it keeps all in memory. */
export function createClientProvider(identity: AgentIdentity, redirectUrl: string): ClientProvider {
  let tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>
  let known: Awaited<ReturnType<OAuthClientProvider['clientInformation']>> =
    'clientId' in identity ? { client_id: identity.clientId } : undefined
  let verifier = ''
  let discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>
  let sentTo: URL | undefined
  return {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    clientInformation: () => known,
    saveClientInformation: (given) => {
      known = given
    },
    ...('documentUrl' in identity ? { clientMetadataUrl: identity.documentUrl } : {}),
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
