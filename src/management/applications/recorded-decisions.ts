// What became of an application's last token requests and refused calls, for those who look after it: a list, and one
// of them by the `request-id` that its caller was answered with, beside what would be decided now.

import type { FastifyInstance } from 'fastify'
import type { CallQuestion } from '../../gateway/explain/question.js'
import { sampleTarget } from '../../gateway/explain/sample-target.js'
import { operationOfId } from '../../gateway/mcp/named-operation.js'
import { ApiError } from '../../http/answers/api-error.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { type DecisionRow, findDecisions, listDecisions } from '../../storage/sql/ledger/recorded-decisions.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { ownApplicationId, owns } from '../access/ownership.js'
import { pageByTime } from '../answers/page-of.js'
import type { ManagementDependencies } from '../dependencies.js'
import { explainFor, ownsApplication } from '../server/explain.js'
import {
  type DecisionQuery,
  type Decisions,
  decisionAnswers,
  decisionQuery,
  type Explained,
  type RecordedDecision,
} from '../server/explain-schemas.js'

/** `GET /applications/{id}/activity`, `GET /explain/{requestId}`. */
export function recordedDecisionRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Params: { id: string }; Querystring: DecisionQuery }>(
    '/applications/:id/activity',
    {
      config: requires('Application.Read.All'),
      schema: { querystring: decisionQuery, response: { 200: decisionAnswers.decisions } },
    },
    async (request) => {
      const applicationId = await ownApplicationId(deps.store, callerOf(request), request.params.id)
      return decisionsOf(deps, callerOf(request), applicationId, request.query)
    },
  )
  app.get<{ Params: { requestId: string } }>(
    '/explain/:requestId',
    { config: requires('Application.Read.All'), schema: { response: { 200: decisionAnswers.explained } } },
    async (request) => explained(deps, callerOf(request), request.params.requestId),
  )
}

async function decisionsOf(
  deps: ManagementDependencies,
  caller: Caller,
  applicationId: string,
  query: DecisionQuery,
): Promise<Decisions> {
  const { what, outcome } = query
  const filter = { what, outcome, requestId: query.requestId?.toLowerCase() }
  const path = `/applications/${applicationId}/activity`
  const { rows, more } = await pageByTime(
    deps.pagingKey,
    { path, list: `decisions ${applicationId}`, query, narrowedBy: filter },
    async ({ limit, after: before }) => {
      // Anybody who looks has just met a refusal; what another instance noted is there within its next write.
      if (before === undefined) await deps.decisions.flush()
      return listDecisions(deps.store.reader, { applicationId, filter, before, limit })
    },
    ({ at, id }) => ({ at, id }),
  )
  return { value: rows.map((row) => decisionAnswer(row, caller)), ...more }
}

async function explained(deps: ManagementDependencies, caller: Caller, requestId: string): Promise<Explained> {
  const id = parseGuid(requestId)
  await deps.decisions.flush()
  const rows = id === undefined ? [] : await findDecisions(deps.store.reader, id)
  for (const row of rows) {
    const registration = await deps.directory.findRegistration(row.application_id)
    if (registration === undefined || !ownsApplication(caller, registration)) continue
    // How somebody stands in another tenant is that tenant's business.
    if (row.tenant_id !== null && !owns(caller, row.tenant_id))
      return { recorded: decisionAnswer(row, caller), now: null }
    const simulated = { kind: 'simulated', registration, userId: row.user_id ?? undefined, scope: undefined } as const
    const asCaller = { ...simulated, tenantId: row.tenant_id ?? undefined }
    const call = callAgain(deps, row)
    const question = { ...call, address: undefined, bodyBytes: undefined, caller: asCaller }
    const now = call === undefined ? null : await explainFor(deps, caller, { ...question, ...call })
    return { recorded: decisionAnswer(row, caller), now }
  }
  const message =
    'No decision is recorded under this request-id. Only the latest decisions about each of your applications are kept.'
  throw new ApiError(404, 'RequestNotFound', message)
}

/** Any path of the route will do: the decision does not depend on what stands in its place holders. */
function callAgain(
  { settings }: ManagementDependencies,
  row: DecisionRow,
): Pick<CallQuestion, 'method' | 'target' | 'operation'> | undefined {
  if (row.what === 'token') return { method: 'GET', target: '/' }
  const id = row.route ?? ''
  const route =
    settings.routes.find((one) => one.id === id) ??
    settings.routes.find((one) => one.mcp !== undefined && id.startsWith(`${one.id} `))
  if (route === undefined) return undefined
  const operation = operationOfId(id, route.id)
  return { method: row.method ?? 'GET', target: sampleTarget(route.path), operation }
}

/**
 * Who it was in another tenant is that tenant's business; that it was there is the publisher's, who has to answer
 * questions about it.
 */
function decisionAnswer(row: DecisionRow, caller: Caller): RecordedDecision {
  const userId = row.tenant_id !== null && !owns(caller, row.tenant_id) ? null : row.user_id
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    requestId: row.request_id,
    applicationId: row.application_id,
    what: row.what === 'token' ? 'token' : 'call',
    outcome: row.outcome === 'granted' ? 'granted' : 'refused',
    reason: row.reason,
    status: row.status,
    number: row.number,
    tenantId: row.tenant_id,
    userId,
    route: row.route,
    method: row.method,
    grantType: row.grant_type,
    proved: row.proved === 1,
    permissions: row.permissions.split(' ').filter((id) => id !== ''),
  }
}
