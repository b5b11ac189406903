// The chain of delegation (RFC 8693 §4.1): applications that act for a person one on the call of the other, and what
// their tokens came from. Bounded, because each token of a chain is checked on every call.

import { BearerError } from '../oauth/errors/errors.js'
import { isText } from './claim-rules.js'
import type { Actor, CallToken, ParentToken } from './claims.js'

/** Tokens that a token can have come from. */
export const mostParents = 3

/** The actors of a token or a call: the application that acts now, and those that its token came from. */
export function actorOf(applicationId: string, via: readonly Pick<ParentToken, 'client_id'>[] = []): Actor {
  const [next, ...others] = via
  return next === undefined ? { sub: applicationId } : { sub: applicationId, act: actorOf(next.client_id, others) }
}

/** The `act` and `via` of an access token of `applicationId`: both or neither. Throws BearerError `invalid_token`. */
export function checkDelegation(
  claims: Record<string, unknown>,
  applicationId: string,
): { act: Actor; via: readonly ParentToken[] } | undefined {
  if (claims['act'] === undefined && claims['via'] === undefined) return undefined
  const via = readParents(claims['via'])
  const act = actorOf(applicationId, via)
  if (via.length === 0 || JSON.stringify(claims['act']) !== JSON.stringify(act)) throw refused()
  return { act, via }
}

/** The `act` and `token` of an assertion about `applicationId`. Throws BearerError `invalid_token`. */
export function checkAssertedDelegation(
  claims: Record<string, unknown>,
  applicationId: string,
): { act?: Actor; token?: CallToken } {
  const token = claims['token'] === undefined ? undefined : readCallToken(claims['token'])
  const act = claims['act'] === undefined ? undefined : readActor(claims['act'])
  if (act !== undefined && act.sub !== applicationId) throw refused()
  if (token !== undefined && JSON.stringify(act) !== JSON.stringify(actorOf(applicationId, token.via))) throw refused()
  return { ...(act === undefined ? {} : { act }), ...(token === undefined ? {} : { token }) }
}

function readCallToken(value: unknown): CallToken {
  const { aud, jti, cid, gid, seq, kid, exp, via } = members(value)
  if (!isText(aud) || !isText(jti) || !isText(cid) || !isText(gid) || !isText(kid)) throw refused()
  if (!isCount(seq) || !isCount(exp)) throw refused()
  return { aud, jti, cid, gid, seq, kid, exp, ...(via === undefined ? {} : { via: readParents(via) }) }
}

function readParents(value: unknown): readonly ParentToken[] {
  if (!Array.isArray(value) || value.length > mostParents) throw refused()
  return value.map((each) => {
    const { client_id, jti, cid, seq, kid } = members(each)
    if (!isText(client_id) || !isText(jti) || !isText(cid) || !isText(kid) || !isCount(seq)) throw refused()
    return { client_id, jti, cid, seq, kid }
  })
}

function readActor(value: unknown, depth = 0): Actor {
  const { sub, act } = members(value)
  if (!isText(sub) || depth > mostParents) throw refused()
  return act === undefined ? { sub } : { sub, act: readActor(act, depth + 1) }
}

function members(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused()
  return value as Record<string, unknown>
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function refused(): BearerError {
  return new BearerError('invalid_token', 'claims', 'The token is not valid.')
}
