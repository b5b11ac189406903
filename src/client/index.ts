// `portcullis/client`: the client library. It gets, keeps, shares and renews the tokens of one application, in Node 20
// and in browsers, with nothing but fetch, WebCrypto, URL, AbortSignal and timers. It is a room that stands aside: it
// imports nothing of the server and no package, and knows of the server only what the standards and its metadata say.
//
// This file is what a program outside may import; the listener for loopback redirects is Node's alone and is an entry
// of its own, `portcullis/client/loopback`.

import { type AuthorizedFetchOptions, createFetch } from './authorized-fetch.js'
import { type Client, type ClientOptions, createClient, type Patience } from './client.js'
import type { IssuerMetadata } from './discovery.js'
import {
  ClientError,
  type ClientErrorCode,
  InsufficientScope,
  type OAuthAnswer,
  OAuthRefusal,
  ResourceRefusal,
} from './errors.js'
import type { AuthorizationRequest, StartedAuthorization } from './grants/authorization-code.js'
import type { PrivateJwk, SigningKey } from './grants/client-assertion.js'
import type { ClientAuthentication } from './grants/client-authentication.js'
import type { TokenRequest } from './grants/client-credentials.js'
import type { DeviceSignIn } from './grants/device-code.js'
import { InsufficientUserAuthentication } from './insufficient-user-authentication.js'
import type { Clock, Surroundings } from './surroundings.js'
import { createMemoryStore, type HeldTokens, type TokenStore } from './tokens/token-store.js'
import type { AccessToken, TokenSource, Tokens } from './tokens/tokens.js'

export type {
  AccessToken,
  AuthorizationRequest,
  AuthorizedFetchOptions,
  Client,
  ClientAuthentication,
  ClientErrorCode,
  ClientOptions,
  Clock,
  DeviceSignIn,
  HeldTokens,
  IssuerMetadata,
  OAuthAnswer,
  Patience,
  PrivateJwk,
  SigningKey,
  StartedAuthorization,
  Surroundings,
  TokenRequest,
  TokenSource,
  TokenStore,
  Tokens,
}
export {
  ClientError,
  createClient,
  createFetch,
  createMemoryStore,
  InsufficientScope,
  InsufficientUserAuthentication,
  OAuthRefusal,
  ResourceRefusal,
}
