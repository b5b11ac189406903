// What a grant (RFC 6749 §1.3) is to the token endpoint. Types only.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestParameters } from '../../../oauth/requests/parameters.js'
import type { Client } from '../../client/client-authentication.js'
import type { IdentityDependencies } from '../../dependencies.js'
import type { TokenResponse } from '../issue-token.js'

/** A token request of a client that is who it says. */
export interface TokenRequest {
  client: Client
  parameters: RequestParameters
  /** The change number that the view stood at before anything was looked up. */
  seq: number
  request: FastifyRequest
  reply: FastifyReply
}

/** Answers one `grant_type`. Throws OAuthError, StoreUnavailable. */
export type Grant = (deps: IdentityDependencies, tokenRequest: TokenRequest) => Promise<TokenResponse>
