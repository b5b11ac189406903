// What the owners of an application can look up later: which token requests it made and what became of them. Of the
// scope list only what the catalogue knows is kept, because what a client sends by mistake may be anything.

import type { FastifyRequest } from 'fastify'
import type { Catalogue } from '../../config/settings/settings.js'
import { requestContext } from '../../http/requests/request-context.js'
import type { DecisionNote } from '../../ledger/decisions.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import type { Client } from '../client/client-authentication.js'
import type { IdentityDependencies } from '../dependencies.js'
import { reasonOfRefusal, toOAuthError } from '../errors.js'
import type { TokenResponse } from './issue-token.js'

type Deps = Pick<IdentityDependencies, 'decisions' | 'settings'>

interface TokenRequestRecord {
  client: Client
  /** A grant type that is served, or `other`. */
  grantType: string
  parameters: RequestParameters
  request: FastifyRequest
}

const mostWords = 30

/** A scope list up to this length waits as it came until it is written, a longer one is read at once. */
const longestWaiting = 512

/** Notes a token that was issued. */
export function noteGranted(deps: Deps, request: TokenRequestRecord, answer: TokenResponse): void {
  const scope = answer.scope ?? request.parameters.get('scope') ?? request.parameters.get('requested_scopes')
  note(deps, request, { outcome: 'granted', reason: 'granted', status: 200, number: undefined, scope })
}

/** Notes a refusal. */
export function noteRefused(deps: Deps, request: TokenRequestRecord, thrown: unknown): void {
  const error = toOAuthError(thrown)
  const scope = request.parameters.get('scope') ?? request.parameters.get('requested_scopes')
  const { status, number } = error
  note(deps, request, { outcome: 'refused', reason: reasonOfRefusal(error), status, number, scope })
}

interface RequestOutcome extends Pick<DecisionNote, 'outcome' | 'reason' | 'status' | 'number'> {
  scope: string | undefined
}

function note(deps: Deps, { client, grantType, parameters, request }: TokenRequestRecord, became: RequestOutcome) {
  const { requestId, entry } = requestContext(request)
  const { applicationId, tenantId: home } = client.registration
  const asksFor = parseGuid(parameters.get('requested_enrollment') ?? parameters.get('tenant'))
  deps.decisions.note({
    what: 'token',
    outcome: became.outcome,
    reason: became.reason,
    status: became.status,
    number: became.number,
    applicationId,
    requestId,
    userId: entry.userId,
    route: entry.route,
    grantType,
    isProved: client.type === 'web',
    tenantId: asksFor ?? (grantType === 'client_credentials' ? home : undefined),
    permissions: wordsOf(deps.settings.catalogue, became.scope ?? ''),
  })
}

function wordsOf(catalogue: Catalogue, scope: string): readonly string[] | (() => readonly string[]) {
  return scope.length > longestWaiting ? knownWords(catalogue, scope) : () => knownWords(catalogue, scope)
}

const reserved = new Set(['openid', 'profile', 'email', 'offline_access', 'default', '.default'])

function knownWords(catalogue: Catalogue, scope: string): string[] {
  const words = scope
    .slice(0, 4096)
    .split(/[\s,]+/)
    .filter((word) => word !== '')
  return words.slice(0, mostWords).map((word) => {
    const [resource, id] = [word.slice(0, Math.max(0, word.lastIndexOf('/'))), word.slice(word.lastIndexOf('/') + 1)]
    const isKnown = reserved.has(id) || catalogue.resourcesOf(id).length > 0
    return isKnown && (resource === '' || catalogue.resources.has(resource)) ? word : '?'
  })
}
