// What an audit list is narrowed by: from the words of a query, in which people, applications and tenants may be named
// as people name them, to what the Store answers.

import { ApiError } from '../../http/answers/api-error.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { findNamed } from '../../storage/sql/ledger/audit-names.js'
import type { LedgerFilter } from '../../storage/sql/ledger/ledger-filter.js'
import type { Statements } from '../../storage/sql/store.js'
import type { AuditQuery } from './audit-schemas.js'

/**
 * The filter of a query; `tenantId` is whose people and applications a name may mean, undefined: everybody's. A name
 * that nothing has leaves an empty list of ids, which fits no row. Throws ApiError 400 and StoreUnavailable.
 */
export async function filterOf(
  reader: Statements,
  query: AuditQuery,
  tenantId: string | undefined,
): Promise<LedgerFilter> {
  const { application, person, tenant, event } = query
  return {
    // As they are stored: a GUID has one spelling.
    tenantId: query.tenantId?.toLowerCase() ?? (tenant && (await idsOf(reader, 'tenant', tenant, undefined))),
    applicationId:
      query.applicationId?.toLowerCase() ??
      (application && (await idsOf(reader, 'application', application, tenantId))),
    userId: query.userId?.toLowerCase() ?? (person && (await idsOf(reader, 'person', person, tenantId))),
    event,
    from: timeOf(query.from, 'from'),
    to: timeOf(query.to, 'to'),
  }
}

/** An identifier finds also what is gone; anything else is a part of a name. */
async function idsOf(
  reader: Statements,
  kind: 'person' | 'application' | 'tenant',
  typed: string,
  tenantId: string | undefined,
): Promise<string[]> {
  const text = typed.normalize('NFC').trim()
  const id = parseGuid(text)
  if (id !== undefined) return [id]
  const publicKey = kind === 'application' ? parseClientIdentifier(text) : undefined
  return findNamed(reader, kind, publicKey === undefined ? { part: text, tenantId } : { publicKey, tenantId })
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
