// Who is the client (RFC 6749 §2.3, contract §2)? A missing, unknown, wrong, expired or disabled one gets one and the
// same answer after the same work and the same time; only the log knows which it was.

import type { FastifyRequest } from 'fastify'
import type { Found } from '../../directory/guarded-cache.js'
import type { Registration } from '../../directory/records.js'
import { requestContext } from '../../http/requests/request-context.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { invalidParameter } from '../../oauth/errors/invalid-parameter.js'
import { readBasic } from '../../oauth/requests/basic.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { isUnregisteredClientId } from '../../oauth/secrets/document-application-id.js'
import { matchesStoredSecret, namedKeyId } from '../../oauth/secrets/secret-comparison.js'
import type { IdentityDependencies } from '../dependencies.js'
import { throttled } from '../limits.js'
import { type ClientCredential, checkClientAssertion, readClientAssertion } from './client-assertion.js'
import { constantTime } from './constant-time.js'
import { findTokenDocumentClient } from './token-document-client.js'

/**
 * A native client has only named itself; a web client has proved who it is, with its one registered method (K4).
 * `identifier` is the client identifier as it was presented.
 */
export type Client =
  | { type: 'native'; registration: Registration; identifier: string }
  | { type: 'web'; registration: Registration; identifier: string; credential: ClientCredential }

type Deps = Pick<
  IdentityDependencies,
  | 'activity'
  | 'counters'
  | 'derive'
  | 'decisions'
  | 'directory'
  | 'documents'
  | 'failedAuthentications'
  | 'issuerKeys'
  | 'monotonic'
  | 'now'
  | 'peppers'
  | 'settings'
  | 'store'
>

interface Proof {
  clientSecret: string | undefined
  assertion?: string | undefined
}

interface Presented extends Proof {
  registration: Registration | undefined
  /** As it was written. */
  identifier: string
  /**
   * What failures are counted by: the application identifier when it is known. undefined: nothing that could be guessed
   * at.
   */
  countedAs: string | undefined
}

type Outcome = { registration: Registration; credential: ClientCredential } | { reason: string }

/** A token lives for whole seconds, and one less is promised: a secret with less than that left can give none. */
const shortestRestMs = 2000

/**
 * The client of a request, by HTTP Basic, by `client_id` and `client_secret` in the body, or by an assertion that its
 * own key or an issuer that it trusts signed. Throws OAuthError: 401 `invalid_client`, 400 `invalid_request` for
 * credentials in two places, 429 after too many failures from this address.
 */
export async function authenticateClient(
  deps: Deps,
  parameters: RequestParameters,
  request: FastifyRequest,
): Promise<Client> {
  const found = findClient(deps, parameters, request.raw.rawHeaders)
  const presented = found instanceof Promise ? await found : found
  const { registration, identifier, countedAs } = presented
  const facts = requestContext(request)
  if (countedAs !== undefined) {
    const { blocked, retryAfterSeconds } = deps.failedAuthentications.check(facts.address, countedAs)
    if (blocked) {
      noteFailure(deps, request, presented, 'throttled')
      throw throttled(retryAfterSeconds)
    }
  }
  if (registration?.type === 'native' && registration.state === 'enabled') {
    checkNothingSecret(presented)
    facts.entry.applicationId = registration.applicationId
    return { type: 'native', registration, identifier }
  }
  const checked = checkProof(deps, presented)
  const outcome = checked instanceof Promise ? await checked : checked
  if ('credential' in outcome) {
    facts.entry.applicationId = outcome.registration.applicationId
    return { type: 'web', identifier, ...outcome }
  }
  if (countedAs !== undefined) deps.failedAuthentications.record(facts.address, countedAs)
  noteFailure(deps, request, presented, outcome.reason)
  await constantTime(facts.startedAt)
  throw new OAuthError('invalid_client', 'The client could not be authenticated.', {
    number: errorNumber.invalidClient,
    cause: outcome.reason,
  })
}

/** Whether a secret has begun and will not end before a token got with it could be used. */
export function hasTimeLeft({ startsAt, endsAt }: { startsAt: number; endsAt: number }, nowMs: number): boolean {
  return nowMs >= startsAt && nowMs + shortestRestMs <= endsAt
}

/** Numbers that say more than the caller hears (contract §3). */
const shownToOwners: Readonly<Record<string, readonly [status: number, number: number]>> = {
  secret_wrong: [401, errorNumber.wrongSecret],
  secret_expired: [401, errorNumber.expiredSecret],
  throttled: [429, errorNumber.throttled],
}

/** What was presented as an identifier and is none may be a secret in the wrong place: it is written nowhere. */
function noteFailure(deps: Deps, request: FastifyRequest, presented: Presented, reason: string): void {
  const { requestId, address, entry } = requestContext(request)
  const { registration, countedAs } = presented
  deps.activity.note({
    event: 'client.authentication-failed',
    applicationId: registration?.applicationId,
    tenantId: registration?.tenantId,
    requestId,
    address,
    details: { reason, ...(registration === undefined ? { clientId: countedAs } : {}) },
  })
  if (registration === undefined) return
  const { applicationId, tenantId } = registration
  const [status, number] = shownToOwners[reason] ?? [401, errorNumber.invalidClient]
  deps.decisions.note({
    what: 'token',
    outcome: 'refused',
    isProved: false,
    applicationId,
    tenantId,
    reason,
    status,
    number,
    requestId,
    route: entry.route,
  })
}

/** A native client could not keep a secret or a key, so a client that sends one has mistaken something. */
function checkNothingSecret({ clientSecret, assertion }: Presented): void {
  if (clientSecret === undefined && assertion === undefined) return
  throw new OAuthError('invalid_client', 'A native application has no client secret and must not send one.', {
    number: errorNumber.nativeWithSecret,
  })
}

/** At once for a secret. */
function checkProof(deps: Deps, { registration, clientSecret, assertion }: Presented): Outcome | Promise<Outcome> {
  if (assertion === undefined) return checkSecret(deps, registration, clientSecret)
  if (registration === undefined) return { reason: 'client_unknown' }
  return checkAssertion(deps, registration, assertion)
}

async function checkAssertion(deps: Deps, registration: Registration, assertion: string): Promise<Outcome> {
  const outcome = await checkClientAssertion(deps, registration, assertion)
  if ('reason' in outcome) {
    // It may be a key that came after the last copy: then the next attempt finds it.
    const { document } = registration
    if (document !== undefined && outcome.reason === 'assertion_invalid') deps.documents.renew(document.url)
    return outcome
  }
  if (registration.state !== 'enabled') return { reason: 'application_disabled' }
  // A key of its own has no time of last use.
  if (outcome.credential.id.startsWith('fed_')) deps.directory.noteSecretUse(outcome.credential.id, deps.now())
  return { registration, ...outcome }
}

/** One hash and one comparison, whatever there is to compare. The reason is for the log alone. */
function checkSecret(deps: Deps, registration: Registration | undefined, clientSecret: string | undefined): Outcome {
  const presented = clientSecret ?? ''
  const keyId = namedKeyId(presented)
  const secret = registration?.secrets.find((candidate) => candidate.keyId === keyId)
  const matches = matchesStoredSecret(presented, secret, deps.peppers)
  if (registration === undefined) return { reason: 'client_unknown' }
  // One that is enabled has no secret to show and never comes here.
  if (registration.type === 'native') return { reason: 'application_disabled' }
  if (clientSecret === undefined) return { reason: 'secret_missing' }
  if (!matches || secret === undefined || registration.type !== 'web') return { reason: 'secret_wrong' }
  // K4: a client that registered a key must not be impersonated with a secret that was left behind.
  if (registration.authMethod !== 'secret') return { reason: 'secret_not_registered' }
  if (registration.state !== 'enabled') return { reason: 'application_disabled' }
  const now = deps.now()
  if (!hasTimeLeft(secret, now)) return { reason: 'secret_expired' }
  deps.directory.noteSecretUse(secret.keyId, now)
  return { registration, credential: { id: secret.keyId, endsAt: secret.endsAt } }
}

function findClient(
  deps: Deps,
  parameters: RequestParameters,
  rawHeaders: readonly string[],
): Presented | Promise<Presented> {
  const looking = { deps, parameters }
  const basic = readBasic(rawHeaders)
  const [bodyId = '', bodySecret] = [parameters.get('client_id'), parameters.get('client_secret')]
  const asserted = readClientAssertion(parameters)
  if (basic.kind === 'repeated') throw invalidParameter('More than one Authorization header was sent.')
  if (asserted !== undefined) {
    if (basic.kind !== 'absent' || bodySecret !== undefined)
      throw invalidParameter('The client proved itself in two ways.')
    const { assertion, clientId = '' } = asserted
    return resolve(looking, clientId, { clientSecret: undefined, assertion })
  }
  if (basic.kind === 'malformed') {
    return { registration: undefined, identifier: '', countedAs: undefined, clientSecret: undefined }
  }
  if (basic.kind === 'absent') return resolve(looking, bodyId, { clientSecret: bodySecret })
  if (bodySecret !== undefined && basic.clientSecret !== '') {
    throw invalidParameter('Client credentials were sent both in the Authorization header and in the body.')
  }
  const proof = { clientSecret: basic.clientSecret || bodySecret }
  if (bodyId === '' || bodyId === basic.clientId) return resolve(looking, basic.clientId, proof)
  return resolveBoth(looking, { header: basic.clientId, body: bodyId }, proof)
}

/** Both identifiers of one application are equal (contract §2): resolve first, compare after. */
async function resolveBoth(
  looking: Looking,
  named: { header: string; body: string },
  proof: Proof,
): Promise<Presented> {
  const found = await resolve(looking, named.header, proof)
  const other = await resolve(looking, named.body, proof)
  if (other.countedAs === undefined || other.countedAs !== found.countedAs) {
    throw invalidParameter('client_id differs from the client in the Authorization header.')
  }
  return found
}

/** Where a client is looked for: what a request says besides names the tenant of one that nobody registered. */
interface Looking {
  deps: Deps
  parameters: RequestParameters
}

/** At once for an application that is known. */
function resolve(looking: Looking, clientId: string, proof: Proof): Presented | Promise<Presented> {
  const parsed = parseClientIdentifier(clientId)
  const presented = (registration: Registration | undefined): Presented => ({
    registration,
    identifier: clientId,
    countedAs: registration?.applicationId ?? parsed,
    clientSecret: proof.clientSecret,
    assertion: proof.assertion,
  })
  const found = findNamed(looking, clientId, parsed)
  return found instanceof Promise ? found.then(presented) : presented(found)
}

function findNamed({ deps, parameters }: Looking, clientId: string, parsed: string | undefined): Found<Registration> {
  if (parsed === undefined) {
    const isDocument = deps.documents.isOn && isUnregisteredClientId(clientId)
    return isDocument ? findTokenDocumentClient(deps, clientId, parameters) : undefined
  }
  const found = deps.directory.findRegistration(parsed)
  return found instanceof Promise ? found.then(unlessDocument) : unlessDocument(found)
}

/** A client that nobody registered has one name, its URL. */
function unlessDocument(registration: Registration | undefined): Registration | undefined {
  return registration?.document === undefined ? registration : undefined
}
