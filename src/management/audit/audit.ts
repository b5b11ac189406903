// Reading the ledger and the activity log, and verifying the ledger. Nothing here writes: what is in the ledger was put
// there by what it tells of.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { activityEventNames } from '../../ledger/names/event-names.js'
import { UnknownPart, type Verification } from '../../ledger/verify.js'
import { listActivity } from '../../storage/sql/ledger/activity.js'
import { readEventNames } from '../../storage/sql/ledger/audit-names.js'
import { listLedger } from '../../storage/sql/ledger/ledger-entries.js'
import { listTenantActivity, listTenantLedger } from '../../storage/sql/ledger/member-lists.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { isOperator } from '../people/tenant-of-path.js'
import { filterOf } from './audit-filter.js'
import { auditPage } from './audit-pages.js'
import { attemptAnswer, auditNames, eventAnswer } from './audit-rows.js'
import {
  type ActivityEntries,
  type AuditEvents,
  type AuditQuery,
  auditAnswers,
  auditQuery,
  type VerificationAnswer,
  type VerificationBody,
  verificationBody,
} from './audit-schemas.js'
import { createRecentVerification } from './recent-verification.js'

/** Whose rows a list has. */
interface Requested {
  path: string
  query: AuditQuery
  /** Undefined: of the whole server. */
  tenantId: string | undefined
  /** All of each row, whatever other tenants the person belongs to. */
  isWhole: boolean
}

/**
 * `GET /auditEvents`, `GET|POST /auditEvents/verification`, `GET /activity`, and the lists of the whole server:
 * `GET /auditEvents/server`, `GET /activity/server`.
 */
export function auditRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const lists = [
    ['auditEvents', auditAnswers.auditEvents, auditEvents],
    ['activity', auditAnswers.activity, activity],
  ] as const
  for (const [name, answer, read] of lists) {
    app.get<{ Querystring: AuditQuery }>(
      `/${name}`,
      { config: requires('AuditLog.Read.All'), schema: { querystring: auditQuery, response: { 200: answer } } },
      async (request) => read(deps, ofTenant(`/${name}`, callerOf(request), request.query)),
    )
    app.get<{ Querystring: AuditQuery }>(
      `/${name}/server`,
      { config: requires('Server.Read', 'operator'), schema: { querystring: auditQuery, response: { 200: answer } } },
      async ({ query }) =>
        read(deps, { path: `/${name}/server`, query, tenantId: query.tenantId?.toLowerCase(), isWhole: true }),
    )
  }
  verificationRoutes(app, deps)
}

function verificationRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const recent = createRecentVerification(() => deps.verifyLedger())
  app.get(
    '/auditEvents/verification',
    { config: requires('AuditLog.Read.All'), schema: { response: { 200: auditAnswers.verification } } },
    async (request) =>
      verified(await (callerOf(request).kind === 'local' ? deps.verifyLedger() : recent.read()), request),
  )
  app.get(
    '/auditEvents/server/verification',
    { config: requires('Server.Read', 'operator'), schema: { response: { 200: auditAnswers.verification } } },
    async (request) => verified(await recent.read(), request),
  )
  app.post<{ Body: VerificationBody }>(
    '/auditEvents/verification',
    {
      config: requires('Server.Read', 'operator'),
      schema: { body: verificationBody, response: { 200: auditAnswers.verification } },
    },
    async ({ body: { checkpoints, from, most } }) => {
      try {
        return await deps.verifyLedger(checkpoints, { from, most })
      } catch (error) {
        if (!(error instanceof UnknownPart)) throw error
        throw new ApiError(400, 'InvalidRequest', 'No verification of this ledger ended there. Begin anew.', {
          target: 'from',
        })
      }
    },
  )
}

/**
 * What concerns the caller's tenant, and the people who belonged to it; the local socket sees all of it. Throws
 * DirectoryRefusal for another tenant.
 */
function ofTenant(path: string, caller: Caller, query: AuditQuery): Requested {
  if (caller.kind === 'local') return { path, query, tenantId: query.tenantId?.toLowerCase(), isWhole: true }
  const { tenant: _tenant, ...own } = query
  return { path, query: own, tenantId: ownTenantId(caller, query.tenantId), isWhole: false }
}

/** Where it is broken is for operators; others learn whether it is. */
function verified(found: Verification, request: FastifyRequest): VerificationAnswer {
  return isOperator(callerOf(request)) ? found : { ...found, head: '', problems: [] }
}

async function auditEvents(deps: ManagementDependencies, requested: Requested): Promise<AuditEvents> {
  const { reader } = deps.store
  const { path, query, tenantId, isWhole } = requested
  const filter = await filterOf(reader, query, tenantId)
  const page = await auditPage(deps.pagingKey, query, {
    path,
    list: 'ledger',
    read: async ({ limit, after, order }) => {
      const options = { filter, place: after === undefined ? undefined : Number(after.id), order, limit }
      const rows =
        tenantId === undefined
          ? (await listLedger(reader, options)).map((row) => ({ ...row, isLimited: false }))
          : await listTenantLedger(reader, tenantId, options)
      return isWhole ? rows.map((row) => ({ ...row, isLimited: false })) : rows
    },
    placeOf: ({ position }) => ({ name: '', id: String(position) }),
    shown: eventAnswer,
  })
  const events = await readEventNames(reader, tenantId)
  return { ...page, names: { ...(await auditNames(reader, page.value, namesFor(requested))), events } }
}

async function activity(deps: ManagementDependencies, requested: Requested): Promise<ActivityEntries> {
  const { reader } = deps.store
  const { path, query, tenantId, isWhole } = requested
  const filter = await filterOf(reader, query, tenantId)
  const page = await auditPage(deps.pagingKey, query, {
    path,
    list: 'activity',
    read: async ({ limit, after, order }) => {
      const place = after === undefined ? undefined : { at: Number(after.name), id: after.id }
      const options = { filter, place, order, limit }
      const rows =
        tenantId === undefined
          ? (await listActivity(reader, options)).map((row) => ({ ...row, isLimited: false }))
          : await listTenantActivity(reader, tenantId, options)
      return isWhole ? rows.map((row) => ({ ...row, isLimited: false })) : rows
    },
    placeOf: ({ at, id }) => ({ name: String(at), id }),
    shown: attemptAnswer,
  })
  return {
    ...page,
    names: { ...(await auditNames(reader, page.value, namesFor(requested))), events: [...activityEventNames] },
  }
}

/** Whose names the caller may know. */
function namesFor({ isWhole, tenantId }: Requested): string | undefined {
  return isWhole ? undefined : tenantId
}
