// Reading the ledger and the activity log, and verifying the ledger. Nothing here writes: what is in the ledger was put
// there by what it tells of.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { archivedRow, entryFacts } from '../../ledger/archived-row.js'
import type { Verification } from '../../ledger/verify.js'
import { listActivity } from '../../storage/sql/ledger/activity.js'
import { listLedger } from '../../storage/sql/ledger/ledger-entries.js'
import type { LedgerFilter } from '../../storage/sql/ledger/ledger-filter.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { ownTenantId } from '../access/ownership.js'
import type { PageQuery } from '../answers/page.js'
import { pageByTime, pageOf } from '../answers/page-of.js'
import type { ManagementDependencies } from '../dependencies.js'
import { isOperator } from '../people/tenant-of-path.js'
import {
  type ActivityEntries,
  type AuditEvents,
  type AuditQuery,
  auditAnswers,
  auditQuery,
  type VerificationAnswer,
  verificationBody,
} from './audit-schemas.js'

const walkEveryMs = 30_000

/** `GET /auditEvents`, `GET|POST /auditEvents/verification`, `GET /activity`. */
export function auditRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const recent = rarely(() => deps.verifyLedger())
  app.get<{ Querystring: AuditQuery }>(
    '/auditEvents',
    {
      config: requires('AuditLog.Read.All'),
      schema: { querystring: auditQuery, response: { 200: auditAnswers.auditEvents } },
    },
    async (request) => auditEvents(deps, ofTenant(callerOf(request), request.query)),
  )
  app.get<{ Querystring: AuditQuery }>(
    '/activity',
    {
      config: requires('AuditLog.Read.All'),
      schema: { querystring: auditQuery, response: { 200: auditAnswers.activity } },
    },
    async (request) => activity(deps, ofTenant(callerOf(request), request.query)),
  )
  app.get(
    '/auditEvents/verification',
    { config: requires('AuditLog.Read.All'), schema: { response: { 200: auditAnswers.verification } } },
    async (request) => verified(await (callerOf(request).kind === 'local' ? deps.verifyLedger() : recent()), request),
  )
  app.post<{ Body: { checkpoints: string[] } }>(
    '/auditEvents/verification',
    {
      config: requires('Server.Read', 'operator'),
      schema: { body: verificationBody, response: { 200: auditAnswers.verification } },
    },
    async ({ body }) => deps.verifyLedger(body.checkpoints),
  )
}

/** What concerns the caller's tenant; the local socket sees all of it. Throws DirectoryRefusal for another tenant. */
function ofTenant(caller: Caller, query: AuditQuery): AuditQuery {
  const tenantId = ownTenantId(caller, query.tenantId)
  return tenantId === undefined ? query : { ...query, tenantId }
}

/** Where it is broken is for operators; others learn whether it is. */
function verified(found: Verification, request: FastifyRequest): VerificationAnswer {
  return isOperator(callerOf(request)) ? found : { ...found, head: '', problems: [] }
}

/** One walk for all who ask at once or soon after: it reads the whole chain. */
function rarely(walk: () => Promise<Verification>): () => Promise<Verification> {
  let last: { at: number; found: Promise<Verification> } | undefined
  return () => {
    const now = performance.now()
    if (last === undefined || now - last.at > walkEveryMs) last = { at: now, found: walk() }
    const { found } = last
    found.catch(() => {
      last = undefined
    })
    return found
  }
}

async function auditEvents(deps: ManagementDependencies, query: AuditQuery): Promise<AuditEvents> {
  const { order = 'newest' } = query
  const { rows, more } = await pageOf(
    deps.pagingKey,
    { path: '/auditEvents', list: 'ledger', query, narrowedBy: narrowingOf(query) },
    ({ limit, after }) => {
      const place = after === undefined ? undefined : Number(after.id)
      return listLedger(deps.store.reader, { filter: filterOf(query), place, order, limit })
    },
    ({ position }) => ({ name: '', id: String(position) }),
  )
  return { value: rows.map(archivedRow), ...more }
}

async function activity(deps: ManagementDependencies, query: AuditQuery): Promise<ActivityEntries> {
  if (query.order === 'oldest') {
    throw new ApiError(400, 'InvalidRequest', 'Activity is listed newest first.', { target: 'order' })
  }
  const { rows, more } = await pageByTime(
    deps.pagingKey,
    { path: '/activity', list: 'activity', query, narrowedBy: narrowingOf(query) },
    ({ limit, after }) => listActivity(deps.store.reader, { filter: filterOf(query), before: after, limit }),
    ({ at, id }) => ({ at, id }),
  )
  return { value: rows.map((row) => ({ id: row.id, ...entryFacts(row) })), ...more }
}

function filterOf(query: AuditQuery): LedgerFilter {
  const { tenantId, applicationId, userId, event } = query
  return {
    // As they are stored: a GUID has one spelling.
    tenantId: tenantId?.toLowerCase(),
    applicationId: applicationId?.toLowerCase(),
    userId: userId?.toLowerCase(),
    event,
    from: timeOf(query.from, 'from'),
    to: timeOf(query.to, 'to'),
  }
}

/** RFC 3339 in UTC, or a date alone, which is its first moment. */
export function timeOf(text: string | undefined, target: string): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) {
    throw new ApiError(400, 'InvalidRequest', 'A time is such as 2026-01-31 or 2026-01-31T09:30:00Z.', { target })
  }
  return ms
}

function narrowingOf({
  $top: _top,
  $skiptoken: _skiptoken,
  ...narrowing
}: AuditQuery): Omit<AuditQuery, keyof PageQuery> {
  return narrowing
}
