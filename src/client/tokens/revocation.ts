// Giving a token back (RFC 7009): a refresh token ends the whole sign-in.

import { ClientError } from '../errors.js'
import { type ClientContext, postAsClient, refusalOf } from './token-endpoint.js'

/** Resolves when the token is good nowhere; also for one that was not known. Throws OAuthRefusal, ClientError. */
export async function revokeToken(context: ClientContext, token: string, signal?: AbortSignal): Promise<void> {
  const { revocationEndpoint } = await context.metadata.get(signal)
  if (revocationEndpoint === undefined) throw new ClientError('malformed_answer', 'this issuer takes no token back')
  const answer = await postAsClient(context, revocationEndpoint, { token }, signal)
  if (answer.status !== 200) throw refusalOf(answer)
}
