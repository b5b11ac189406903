// The subject token of an exchange (RFC 8693 §2.1): on whose behalf, and by whose call, a client asks. An access token
// of ours, or the assertion that the gate gave to the service in its place, which is what a service behind the gate
// has. Either counts only for an application that serves the resource which it was made for (decision 154).

import { isState, StateRefusal } from '../../../access/state-refusal.js'
import { parentsOf } from '../../../access/token-principal.js'
import type { Registration } from '../../../directory/records.js'
import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import { BearerError } from '../../../oauth/errors/errors.js'
import { invalidParameter } from '../../../oauth/errors/invalid-parameter.js'
import { type RequestParameters, requireParameter } from '../../../oauth/requests/parameters.js'
import type { RevocableToken } from '../../../revocation/view.js'
import type { ParentToken } from '../../../tokens/claims.js'
import { mostParents } from '../../../tokens/delegation.js'
import { verifyTokenAndKey } from '../../../tokens/verify.js'
import { verifyAssertion } from '../../../tokens/verify-assertion.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { isWorthAnother, verified } from '../verified.js'
import { notThisClients, refusedSubject, subjectExpired } from './refusals.js'
import { isServedAt, servedBy } from './served-resources.js'

export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
const assertionTokenType = 'urn:ietf:params:oauth:token-type:jwt'

/** What a subject token says. */
export interface Subject {
  userId: string
  tenantId: string
  grantId: string
  /** What it was made for. */
  resource: string
  /** Plain ids of that resource: all of an access token, those that a call needed of an assertion. */
  permissions: readonly string[]
  /** Epoch seconds: of the access token, also where its assertion came. */
  expiresAt: number
  /** The access token itself, then what that came from. */
  via: readonly ParentToken[]
}

type Deps = Pick<IdentityDependencies, 'keyring' | 'now' | 'revalidation' | 'settings' | 'view'>

/**
 * The subject token of a request, live, and the client's to exchange. Throws OAuthError `invalid_request`, 503 when
 * nobody can tell now.
 */
export async function readSubject(
  deps: Deps,
  { applicationId }: Registration,
  parameters: RequestParameters,
): Promise<Subject> {
  const token = requireParameter(parameters, 'subject_token')
  const type = requireParameter(parameters, 'subject_token_type')
  if (parameters.get('actor_token') !== undefined || parameters.get('actor_token_type') !== undefined) {
    throw invalidParameter('actor_token is not taken: the actor is the client that asks.')
  }
  if (type !== accessTokenType && type !== assertionTokenType) {
    throw invalidParameter(`subject_token_type must be ${accessTokenType} or ${assertionTokenType}.`)
  }
  const subject = await (type === accessTokenType ? ofAccessToken : ofAssertion)(deps, applicationId, token)
  if (subject.expiresAt * 1000 <= deps.now()) throw subjectExpired()
  await checkNotRevoked(deps, subject)
  if (subject.via.length <= mostParents) return subject
  const description = `The chain is too long: a call goes on through ${mostParents} applications at most.`
  throw refusedSubject(description, errorNumber.chainTooLong)
}

async function ofAccessToken(deps: Deps, applicationId: string, token: string): Promise<Subject> {
  const { keyring, settings, now } = deps
  const options = () => ({ keyring, issuer: settings.server.baseUrl, leewaySeconds, nowMs: now() })
  const { leewaySeconds } = settings.tokens
  const found = await verified(deps, () => timely(() => verifyTokenAndKey(token, options())))
  if (found === undefined) throw notThisClients('subject_invalid')
  const { claims, kid } = found
  if (!servedBy(settings, applicationId).has(claims.aud)) throw notThisClients('subject_of_another')
  if (claims.idtyp !== 'user' || claims.gid === undefined) throw withoutPerson()
  const { sub, tid, gid, aud, scope, exp, client_id, jti, cid, seq, via = [] } = claims
  return {
    userId: sub,
    tenantId: tid,
    grantId: gid,
    resource: aud,
    permissions: words(scope),
    expiresAt: exp,
    via: [{ client_id, jti, cid, seq, kid }, ...via],
  }
}

async function ofAssertion(deps: Deps, applicationId: string, token: string): Promise<Subject> {
  const { keyring, settings, now } = deps
  const served = servedBy(settings, applicationId)
  const findKey = (kid: string) => keyring.verificationKey('assertion', kid)
  const audience = [...served.values()].flatMap((upstreams) => [...upstreams])
  const options = () => ({ findKey, audience, issuer: settings.server.baseUrl, leewaySeconds: 5, nowMs: now() })
  const claims = await verified(deps, () => timely(() => verifyAssertion(token, options())))
  if (claims === undefined) throw notThisClients('subject_invalid')
  if (claims.idtyp !== 'user') throw withoutPerson()
  const { sub, tid, client_id, scope } = claims
  // Without it, it was made for a resource that nobody serves, or for the token of an issuer outside.
  if (claims.token === undefined || !isServedAt(served, claims.token.aud, claims.aud)) {
    throw notThisClients('subject_of_another')
  }
  const { aud, gid, exp, jti, cid, seq, kid, via = [] } = claims.token
  return {
    userId: sub,
    tenantId: tid,
    grantId: gid,
    resource: aud,
    permissions: words(scope),
    expiresAt: exp,
    via: [{ client_id, jti, cid, seq, kid }, ...via],
  }
}

/** Tells a token of ours that has ended; its signature was looked at before. Throws as `verify`, and OAuthError. */
function timely<T>(verify: () => T): T {
  try {
    return verify()
  } catch (error) {
    if (error instanceof BearerError && error.reason === 'expired') throw subjectExpired()
    throw error
  }
}

/** Of the token, and of all that it came from. Another instance may know of a change that has not come here yet. */
async function checkNotRevoked(deps: Deps, { userId, tenantId, grantId, via }: Subject): Promise<void> {
  const [own, ...others] = via
  if (own === undefined) throw new Error('a subject is at least its own token')
  const { client_id: applicationId, jti, cid: credentialId, seq } = own
  const token = { jti, credentialId, grantId, applicationId, userId, tenantId, seq }
  const revocable: RevocableToken = { ...token, parents: parentsOf(token, others) }
  const refusal = () => deps.view.refusal(revocable, deps.now())
  let reason = refusal()
  if (reason !== undefined && isState(reason) && seq > deps.view.seq) {
    const state = new StateRefusal(reason, 'The subject token names a change that is not known here.', seq)
    if (await isWorthAnother(deps, state)) reason = refusal()
  }
  if (reason === undefined) return
  const description = 'The subject token is no longer valid: it, or what it came from, was revoked.'
  throw refusedSubject(description, errorNumber.subjectRevoked, reason)
}

function withoutPerson() {
  const description =
    'The subject token is of an application that acts as itself. Ask for a token of your own with client_credentials.'
  return refusedSubject(description, errorNumber.subjectWithoutPerson)
}

function words(list: string): string[] {
  return list.split(' ').filter((word) => word !== '')
}
