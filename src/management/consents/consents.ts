// Consents of people and of administrators, and the requests for them: list, grant, withdraw, approve, decline.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { decideRequest, listRequests } from '../../directory/consents/consent-requests.js'
import { listConsents, type UserConsent } from '../../directory/consents/consents.js'
import { withdrawUserPermissions } from '../../directory/consents/permission-withdrawal.js'
import { withdrawTenantConsent, withdrawUserConsent } from '../../directory/consents/withdrawal.js'
import { grantConsent } from '../../directory/permissions/permissions.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { toInstallation } from '../../directory/rows.js'
import { write } from '../../directory/writes.js'
import { ApiError } from '../../http/answers/api-error.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import { readInstallations } from '../../storage/sql/registrations/installations.js'
import { listTenantGrants } from '../../storage/sql/registrations/tenant-consents.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { installableApplicationId, ownApplicationId, ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { permissionRefs } from '../permissions/permission-input.js'
import {
  type ConsentAnswer,
  type ConsentBody,
  type ConsentQuery,
  consentAnswers,
  consentBodies,
  consentQueries,
} from './consent-schemas.js'
import { consentOf } from './entitlement.js'
import { requestAnswer } from './request-answer.js'

const mostRows = 5000

/**
 * `GET|POST /consents`, `POST /consents/withdraw`, `GET /consentRequests`, `POST
 * /consentRequests/{id}/approve|decline`.
 */
export function consentListRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { catalogue } = deps.settings
  app.get<{ Querystring: ConsentQuery<'consents'> }>(
    '/consents',
    {
      config: requires('Consent.Read.All'),
      schema: { querystring: consentQueries.consents, response: { 200: consentAnswers.consents } },
    },
    async (request) => {
      const caller = callerOf(request)
      const query = ofTenant(caller, request.query)
      return { value: [...(await tenantConsents(deps, caller, query)), ...(await userConsents(deps, caller, query))] }
    },
  )
  app.post<{ Body: ConsentBody<'grant'> }>(
    '/consents',
    {
      config: requires('Consent.ReadWrite.All'),
      schema: { body: consentBodies.grant, response: { 200: consentAnswers.consent } },
    },
    async (request) => {
      const caller = callerOf(request)
      const { permissions: requested = 'all' } = request.body
      const tenantId = ownTenantId(caller, request.body.tenantId)
      const applicationId = await installableApplicationId(deps.store, caller, request.body.applicationId)
      const permissions = requested === 'all' ? requested : permissionRefs(catalogue, requested)
      const by = consentOf(deps, caller)
      const consent = { tenantId, permissions, ...by }
      return grantedAnswer(await grantConsent(writesOf(deps, request), applicationId, consent))
    },
  )
  app.post<{ Body: ConsentBody<'withdraw'> }>(
    '/consents/withdraw',
    {
      config: requires('Consent.ReadWrite.All'),
      schema: { body: consentBodies.withdraw, response: { 200: consentAnswers.withdrawn } },
    },
    async (request) => withdraw(deps, request),
  )
  requestRoutes(app, deps)
}

function requestRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: ConsentQuery<'requests'> }>(
    '/consentRequests',
    {
      config: requires('Consent.Read.All'),
      schema: { querystring: consentQueries.requests, response: { 200: consentAnswers.requests } },
    },
    async (request) => {
      const { state, tenantId } = ofTenant(callerOf(request), request.query)
      const tenantIds = tenantId === undefined ? undefined : [guid(tenantId, 'tenantId')]
      return { value: (await listRequests(deps.store.reader, { state, tenantIds })).map(requestAnswer) }
    },
  )
  for (const [verb, state] of [
    ['approve', 'approved'],
    ['decline', 'declined'],
  ] as const) {
    app.post<{ Params: { id: string } }>(
      `/consentRequests/:id/${verb}`,
      { config: requires('Consent.ReadWrite.All'), schema: { response: { 200: consentAnswers.request } } },
      async (request) => {
        const writes = writesOf(deps, request)
        const { id } = request.params
        const caller = callerOf(request)
        await checkOwnRequest(deps, caller, id)
        const decision = { state, ...consentOf(deps, caller) }
        return requestAnswer(await write(writes, (writing) => decideRequest(writes, writing, id, decision)))
      },
    )
  }
}

async function withdraw(
  deps: ManagementDependencies,
  request: FastifyRequest<{ Body: ConsentBody<'withdraw'> }>,
): Promise<ConsentAnswer<'withdrawn'>> {
  const { userId, permissions: requested = 'all' } = request.body
  const writes = writesOf(deps, request)
  const caller = callerOf(request)
  const given = ownTenantId(caller, request.body.tenantId)
  const applicationId = await installedApplicationId(deps, caller, request.body.applicationId)
  const tenantId = given === undefined ? await homeOf(deps, applicationId) : guid(given, 'tenantId')
  if (userId === undefined) {
    const permissions = requested === 'all' ? requested : permissionRefs(deps.settings.catalogue, requested)
    return withdrawTenantConsent(writes, applicationId, { tenantId, permissions })
  }
  const whose = { userId: guid(userId, 'userId'), applicationId, tenantId }
  if (requested === 'all') return withdrawUserConsent(writes, whose)
  const permissions = permissionRefs(deps.settings.catalogue, requested)
  if (permissions.some(({ kind }) => kind === 'application')) {
    const message = 'A person allows delegated permissions only.'
    throw new ApiError(400, 'InvalidRequest', message, { target: 'permissions' })
  }
  return withdrawUserPermissions(writes, { ...whose, permissions })
}

/** What concerns the caller's tenant. Throws DirectoryRefusal for another one. */
function ofTenant<Query extends { tenantId?: string }>(caller: Caller, query: Query): Query {
  const tenantId = ownTenantId(caller, query.tenantId)
  return tenantId === undefined ? query : { ...query, tenantId }
}

/**
 * Of the caller's own, or installed in their tenant: who has access there may lose it, whatever its audience is now.
 */
async function installedApplicationId(
  { store }: ManagementDependencies,
  caller: Caller,
  reference: string,
): Promise<string> {
  if (caller.kind === 'local') return installableApplicationId(store, caller, reference)
  const id = parseGuid(reference)
  if (id === undefined) return ownApplicationId(store, caller, reference)
  const [installed] = await store.snapshot((tx) => readInstallations(tx, id, caller.tenantId))
  return installed === undefined ? ownApplicationId(store, caller, reference) : id
}

async function checkOwnRequest({ store }: ManagementDependencies, caller: Caller, id: string): Promise<void> {
  if (caller.kind === 'local') return
  const [consentRequest] = await listRequests(store.reader, { id })
  if (consentRequest?.tenantId === caller.tenantId) return
  throw new DirectoryRefusal('ConsentRequestNotFound', 'There is no such request.')
}

async function homeOf({ store }: ManagementDependencies, applicationId: string): Promise<string> {
  const [record] = await store.snapshot((tx) => readApplications(tx, 'id', applicationId))
  if (record === undefined) throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.')
  return record.application.tenant_id
}

/** What administrators allowed; nothing when the question is about a person. */
async function tenantConsents(
  deps: ManagementDependencies,
  caller: Caller,
  query: ConsentQuery<'consents'>,
): Promise<ConsentAnswer<'consent'>[]> {
  const { store } = deps
  if (query.userId !== undefined) return []
  const tenantId = query.tenantId === undefined ? undefined : guid(query.tenantId, 'tenantId')
  if (query.applicationId !== undefined) {
    const applicationId = await installedApplicationId(deps, caller, query.applicationId)
    const records = await store.snapshot((tx) => readInstallations(tx, applicationId, tenantId))
    return records.map(toInstallation).map(grantedAnswer)
  }
  const rows = tenantId === undefined ? [] : await listTenantGrants(store.reader, [tenantId], mostRows)
  const applications = [...new Set(rows.map((row) => row.application_id))]
  return applications.map((applicationId) => {
    const grants = rows.filter((row) => row.application_id === applicationId)
    const installation = { application_id: applicationId, tenant_id: tenantId ?? '', created_at: 0, redirect_epoch: 0 }
    return grantedAnswer(toInstallation({ installation, grants }))
  })
}

async function userConsents(
  deps: ManagementDependencies,
  caller: Caller,
  query: ConsentQuery<'consents'>,
): Promise<ConsentAnswer<'consent'>[]> {
  const { store } = deps
  const { tenantId, userId } = query
  const consents = await listConsents(store.reader, {
    tenantId: tenantId === undefined ? undefined : guid(tenantId, 'tenantId'),
    userId: userId === undefined ? undefined : guid(userId, 'userId'),
    applicationId:
      query.applicationId === undefined ? undefined : await installedApplicationId(deps, caller, query.applicationId),
  })
  const answers = new Map<string, ConsentAnswer<'consent'>>()
  for (const consent of consents) {
    const { applicationId, tenantId, userId } = consent
    const key = [applicationId, tenantId, userId].join(' ')
    const answer = answers.get(key) ?? { applicationId, tenantId, userId, permissions: [] }
    answer.permissions.push(permissionAnswer({ ...consent, grantedBy: userId }))
    answers.set(key, answer)
  }
  return [...answers.values()]
}

function grantedAnswer(installation: ReturnType<typeof toInstallation>): ConsentAnswer<'consent'> {
  const { applicationId, tenantId, granted } = installation
  return { applicationId, tenantId, userId: null, permissions: granted.map(permissionAnswer) }
}

function permissionAnswer({
  kind,
  resource,
  id,
  grantedAt,
  grantedBy,
}: Omit<UserConsent, 'userId' | 'applicationId' | 'tenantId'> & {
  grantedBy: string
}) {
  return { kind, resource, id, grantedAt: new Date(grantedAt).toISOString(), grantedBy }
}

function guid(value: string, target: string): string {
  const parsed = parseGuid(value)
  if (parsed !== undefined) return parsed
  throw new ApiError(400, 'InvalidRequest', `${target} is a GUID.`, { target })
}
