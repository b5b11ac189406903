// Is this access token ours, whole and current (RFC 9068 §4, RFC 8725)? Whom it is for and whether it was revoked, the
// caller asks at each request; this answer may be remembered.

import { BearerError } from '../oauth/errors/errors.js'
import { applicationIdOf, isUnregisteredClientId } from '../oauth/secrets/document-application-id.js'
import { checkTimes, isText, isTextList, longestTokenSeconds } from './claim-rules.js'
import type { AccessTokenClaims } from './claims.js'
import { type CompactJws, type JwsHeader, readCompactJws, readJsonObject } from './compact-jws.js'
import { checkDelegation } from './delegation.js'
import type { Keyring, VerificationKey } from './keys/keys.js'
import { isSignatureValid } from './keys/verification-key.js'

export interface VerifyOptions {
  keyring: Pick<Keyring, 'verificationKey'>
  /** The exact `iss`. */
  issuer: string
  leewaySeconds: number
  /** Epoch milliseconds. */
  nowMs: number
  /** This process made the token, to the last character: its signature is not computed again. All else is checked. */
  isOwnWork?: boolean
}

/**
 * The token names a key that is not in the set: an invented or removed one, or one that this instance has not heard of
 * yet.
 */
export class UnknownKey extends BearerError {
  readonly kid: string

  constructor(kid: string) {
    super('invalid_token', 'unknown_key', 'The access token is not valid.')
    this.kid = kid
  }
}

/**
 * The claims of an access token. Synchronous. `aud` is one exact string; compare it with the resource in question.
 * Throws BearerError `invalid_token` whatever is wrong, with the reason for the log.
 */
export function verifyAccessToken(token: string, options: VerifyOptions): AccessTokenClaims {
  return verifyTokenAndKey(token, options).claims
}

/**
 * The same with the id of the key that signed it: a caller that remembers a token for longer checks whether that key is
 * still there.
 */
export function verifyTokenAndKey(token: string, options: VerifyOptions): { claims: AccessTokenClaims; kid: string } {
  const findKey = (kid: string) => options.keyring.verificationKey('token', kid)
  const { payload, kid } = verifySigned(token, 'at+jwt', findKey, options.isOwnWork)
  const claims = checkAccessTokenClaims(payload, options)
  // A key that was removed takes along what tokens under it were exchanged for.
  for (const parent of claims.via ?? []) if (findKey(parent.kid) === undefined) throw new UnknownKey(parent.kid)
  return { claims, kid }
}

/**
 * The payload of a JWS of the type `typ` that a key of ours signed with that key's own algorithm (RFC 8725 §3.1).
 * Throws BearerError `invalid_token`.
 */
export function verifyJws(token: string, typ: string, findKey: FindKey): Record<string, unknown> {
  return verifySigned(token, typ, findKey).payload
}

type FindKey = (kid: string) => VerificationKey | undefined

function verifySigned(
  token: string,
  typ: string,
  findKey: FindKey,
  isOwnWork = false,
): { payload: Record<string, unknown>; kid: string } {
  const jws = readCompactJws(token, typ, readJsonObject, knownHeaders.get(typ))
  const key = findKey(jws.kid)
  if (key === undefined) throw new UnknownKey(jws.kid)
  if (jws.alg !== key.alg) throw refused('algorithm_mismatch')
  if (!isOwnWork && !isSignatureValid(key, jws.signingInput, jws.signature)) throw refused('bad_signature')
  rememberHeader(typ, jws)
  return { payload: readJsonObject(jws.payload), kid: jws.kid }
}

/** By type, as they are written: tokens of one key have one header. */
const knownHeaders = new Map<string, Map<string, JwsHeader>>()
/** Of one type; there is one for each key that signs. */
const mostHeaders = 32

/** Of a token whose signature was right, so that nobody else has anything remembered. */
function rememberHeader(typ: string, { header, kid, alg }: CompactJws): void {
  const known = knownHeaders.get(typ) ?? new Map<string, JwsHeader>()
  if (known.has(header)) return
  if (known.size >= mostHeaders) known.clear()
  // A copy: a part of a text keeps all of it.
  known.set(Buffer.from(header, 'latin1').toString('latin1'), { kid, alg })
  knownHeaders.set(typ, known)
}

function checkAccessTokenClaims(claims: Record<string, unknown>, options: VerifyOptions): AccessTokenClaims {
  if (claims['iss'] !== options.issuer) throw refused('wrong_issuer')
  const audience = claims['aud']
  // RFC 7519 §4.1.3 allows a list; of ours it holds the one audience that a token has (contract §3).
  const aud = Array.isArray(audience) && audience.length === 1 ? audience[0] : audience
  const { sub, client_id, jti, tid, cid, scope, iat, nbf, exp, seq } = claims
  if (!isText(aud) || !isText(sub) || !isText(client_id) || !isText(jti) || !isText(tid) || !isText(cid)) {
    throw refused('claims')
  }
  if (typeof scope !== 'string' || !Number.isSafeInteger(seq) || (seq as number) < 0) throw refused('claims')
  const times = checkTimes({ iat, nbf, exp }, options)
  // Revocations are kept for as long as a token may live, so a token that claims to live longer would outlast them.
  if (times.exp - times.iat > longestTokenSeconds) throw refused('lifetime')
  return {
    iss: options.issuer,
    aud,
    sub,
    client_id: applicationIdOf(client_id, tid),
    ...(isUnregisteredClientId(client_id) ? { client_url: client_id } : {}),
    jti,
    tid,
    cid,
    scope,
    seq: seq as number,
    ...times,
    ...(claims['idtyp'] === 'app' ? checkAppClaims(claims) : checkUserClaims(claims)),
  }
}

/** `sub` is the client itself and `roles` are its permissions; nothing of a user's may stand beside them. */
function checkAppClaims(claims: Record<string, unknown>): Pick<AccessTokenClaims, 'idtyp' | 'roles'> {
  const { roles, gid, sub, client_id, act, via } = claims
  if (sub !== client_id || gid !== undefined || !isTextList(roles)) throw refused('claims')
  if (act !== undefined || via !== undefined) throw refused('claims')
  return { idtyp: 'app', roles }
}

function checkUserClaims(
  claims: Record<string, unknown>,
): Pick<AccessTokenClaims, 'idtyp' | 'gid' | 'auth_time' | 'acr' | 'amr' | 'act' | 'via'> {
  const { idtyp, roles, gid, sub, client_id, auth_time, acr, amr } = claims
  if (idtyp !== 'user' || sub === client_id || roles !== undefined || !isText(gid)) throw refused('claims')
  if (auth_time !== undefined && !Number.isSafeInteger(auth_time)) throw refused('claims')
  if ((acr !== undefined && !isText(acr)) || (amr !== undefined && !isTextList(amr))) throw refused('claims')
  return {
    idtyp,
    gid,
    ...(auth_time === undefined ? {} : { auth_time: auth_time as number }),
    ...(acr === undefined ? {} : { acr }),
    ...(amr === undefined ? {} : { amr }),
    ...checkDelegation(claims, client_id as string),
  }
}

function refused(reason: string): BearerError {
  return new BearerError('invalid_token', reason, 'The access token is not valid.')
}
