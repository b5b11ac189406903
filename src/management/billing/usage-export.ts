// The usage of a month, to be billed by: every call that was counted is in exactly one line. It is streamed, so that a
// month of a large server needs the memory of a few lines.

import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { usageCountsOf } from '../../events/usage-of-day.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { addedCalls, type UsageRow, usageRowsOf } from '../../storage/sql/usage/usage-lines.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { installableApplicationId, ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { csvHeading, csvLine } from './usage-csv.js'
import { type UsageExportLine, type UsageExportQuery, usageExportQuery } from './usage-export-schemas.js'

const dayMs = 86_400_000

interface Export {
  month: string
  by: 'day' | 'route'
  applicationId: string | undefined
  tenantId: string | undefined
}

const forms = {
  '/usage/export': { extension: 'json', type: 'application/json; charset=utf-8', textOf: jsonOf },
  '/usage/export.csv': { extension: 'csv', type: 'text/csv; charset=utf-8; header=present', textOf: csvOf },
}

/** `GET /usage/export?month=2026-11` and `GET /usage/export.csv?month=2026-11` */
export function usageExportRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  for (const [path, { extension, type, textOf }] of Object.entries(forms)) {
    app.get<{ Querystring: UsageExportQuery }>(
      path,
      { config: requires('Usage.Read.All'), schema: { querystring: usageExportQuery } },
      async (request, reply) => {
        const about = await exportOf(deps, callerOf(request), request.query)
        // What this instance has counted and not written belongs to it too; others write theirs every few seconds.
        await deps.usage.flush()
        return reply
          .type(type)
          .header('content-disposition', `attachment; filename="usage-${about.month}.${extension}"`)
          .send(Readable.from(textOf(deps, about)))
      },
    )
  }
}

async function exportOf(
  { store, writes }: ManagementDependencies,
  caller: Caller,
  { by = 'day', month, applicationId, tenantId }: UsageExportQuery,
): Promise<Export> {
  return {
    month: month ?? new Date(writes.now()).toISOString().slice(0, 7),
    by,
    applicationId:
      applicationId === undefined ? undefined : await installableApplicationId(store, caller, applicationId),
    tenantId: tenantOf(caller, tenantId),
  }
}

/** The local socket exports all tenants; anybody else their own. */
function tenantOf(caller: Caller, requested: string | undefined): string | undefined {
  const tenantId = ownTenantId(caller, requested)
  if (tenantId === undefined || parseGuid(tenantId) !== undefined) return tenantId?.toLowerCase()
  throw new DirectoryRefusal('TenantNotFound', 'There is no such tenant.', 'tenantId')
}

async function* csvOf(deps: ManagementDependencies, about: Export): AsyncGenerator<string> {
  yield csvHeading
  for await (const line of linesOf(deps, about)) yield csvLine(line)
}

async function* jsonOf(deps: ManagementDependencies, about: Export): AsyncGenerator<string> {
  const { month, by } = about
  yield `{"month":${JSON.stringify(month)},"by":${JSON.stringify(by)},"value":[`
  let separator = ''
  for await (const line of linesOf(deps, about)) {
    yield separator + JSON.stringify(line)
    separator = ',\n'
  }
  yield ']}\n'
}

async function* linesOf(deps: ManagementDependencies, about: Export): AsyncGenerator<UsageExportLine> {
  const { applicationId, tenantId, by } = about
  const first = Date.parse(`${about.month}-01T00:00:00Z`)
  const from = first / dayMs
  const to = Date.UTC(new Date(first).getUTCFullYear(), new Date(first).getUTCMonth() + 1) / dayMs
  for (let day = from; day < to; day += 1) {
    let sum: UsageRow | undefined
    for await (const row of usageRowsOf(deps.store.reader, { day, applicationId, tenantId })) {
      if (by === 'day' && sum !== undefined && isSame(sum, row)) sum = { ...addedCalls(sum, row), route: '' }
      else {
        if (sum !== undefined) yield await lineOf(deps, sum, by)
        sum = row
      }
    }
    if (sum !== undefined) yield await lineOf(deps, sum, by)
  }
}

function isSame(one: UsageRow, other: UsageRow): boolean {
  return one.application_id === other.application_id && one.tenant_id === other.tenant_id
}

async function lineOf(
  { directory, limiter }: ManagementDependencies,
  row: UsageRow,
  by: Export['by'],
): Promise<UsageExportLine> {
  const registration = await directory.findRegistration(row.application_id)
  const tenant = await directory.findTenant(row.tenant_id)
  return {
    day: new Date(row.day * dayMs).toISOString().slice(0, 10),
    tenantId: row.tenant_id,
    tenant: tenant?.name ?? null,
    applicationId: row.application_id,
    application: registration?.name ?? null,
    plan: registration === undefined ? null : (limiter.planOf(row.application_id)?.name ?? null),
    ...(by === 'route' ? { route: row.route } : {}),
    ...usageCountsOf(row),
  }
}
