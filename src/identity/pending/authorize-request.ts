// An authorization request that passed all checks which need no person, as it waits in the Store for one. It is read
// back through a schema: whatever is not exactly this is no request.

import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { PendingRequest } from './pending-request.js'

const Text = Type.String()
const Texts = Type.Array(Text)

/** One entry of the `claims` parameter (OpenID Connect Core §5.5). */
const ClaimsRequest = Type.Object({
  /** Names that the ID token, and userinfo, should have. */
  idToken: Texts,
  userinfo: Texts,
  /** The person that it is about: nobody else will do. */
  sub: Type.Optional(Text),
  /** Essential values of `acr`: without one of them there is no code. */
  acr: Type.Optional(Texts),
  /** Voluntary ones, the best first. */
  acrPreferred: Type.Optional(Texts),
})

export const AuthorizeRequest = Type.Object({
  applicationId: Text,
  /** As the client named itself. */
  clientIdentifier: Text,
  /** Matched a registered one; it is matched again before anybody is sent there. */
  redirectUri: Text,
  responseMode: Type.Union([Type.Literal('query'), Type.Literal('form_post')]),
  state: Type.Optional(Text),
  nonce: Type.Optional(Text),
  codeChallenge: Type.Optional(Text),
  prompt: Texts,
  maxAgeSeconds: Type.Optional(Type.Number()),
  /** The values of `acr_values` that are served here, the best first. */
  acrValues: Type.Optional(Texts),
  /** Set by the sign-in page when the person has a second factor, and not at hand. */
  secondFactorSkipped: Type.Optional(Type.Boolean()),
  loginHint: Type.Optional(Text),
  /** The user whom id_token_hint names. */
  idTokenHintSub: Type.Optional(Text),
  claims: Type.Optional(ClaimsRequest),
  resource: Text,
  /** Plain ids as requested; what the person's role does not allow is left out where they are shown or granted. */
  permissions: Texts,
  /** The scope list as the client wrote it; empty when it sent none. */
  scopeRequest: Text,
  openidScopes: Texts,
  /** The tenant that was requested, or that the person chose. */
  tenantId: Type.Optional(Text),
  /** Who chose the tenant; absent when the request named it. */
  tenantChosenBy: Type.Optional(Text),
  /**
   * The session that the browser had when it came (its hash): a person who must sign in anew has another one
   * afterwards.
   */
  sessionBefore: Type.Optional(Text),
  /** When the person of that session had proved who they are, epoch milliseconds. */
  authenticatedBefore: Type.Optional(Type.Number()),
  /** Set by the consent page when the person allowed it, just now. */
  consentGiven: Type.Optional(Type.Boolean()),
  /** When what they allowed is over, where they said so (epoch ms). */
  consentEndsAt: Type.Optional(Type.Number()),
  /** Who is prompted for consent, in which tenant: what another person answered does not count. */
  consentAskedOf: Type.Optional(Type.Object({ userId: Text, tenantId: Text })),
  /** What is wrong with the request, told after sign-in (RFC 9700 §4.11.2). Then little of the rest is filled in. */
  error: Type.Optional(Type.Object({ code: Text, description: Text, number: Type.Number() })),
})
export type AuthorizeRequest = Static<typeof AuthorizeRequest>

const validator = Compile(AuthorizeRequest)

/** The authorization request that a pending request is; undefined for one of another kind, or that cannot be read. */
export function readAuthorizeRequest(pending: Pick<PendingRequest, 'kind' | 'body'>): AuthorizeRequest | undefined {
  return pending.kind === 'authorize' && validator.Check(pending.body) ? pending.body : undefined
}
