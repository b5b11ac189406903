// The rows of the audit as a caller may see them, with the names of whom and what they are about.

import { archivedRow, entryFacts } from '../../ledger/archived-row.js'
import type { ActivityRow } from '../../storage/sql/ledger/activity.js'
import { readNames, readPeopleNames } from '../../storage/sql/ledger/audit-names.js'
import type { LedgerRow } from '../../storage/sql/ledger/ledger-head.js'
import type { OfTenant } from '../../storage/sql/ledger/member-lists.js'
import type { Statements } from '../../storage/sql/store.js'
import type { ActivityEntries, AuditEvents } from './audit-schemas.js'

export type EventAnswer = AuditEvents['value'][number]
export type AttemptAnswer = ActivityEntries['value'][number]

/** What a tenant sees of an event about a person who is also elsewhere: what happened to the account, not where. */
const shownDetails = new Set(['acr', 'amr', 'everywhere', 'changed', 'confirmed', 'purpose', 'removed', 'proof'])

/** A row of the ledger. `limited` says that this tenant sees less of it than the ledger has. */
export function eventAnswer({ isLimited, ...row }: OfTenant<LedgerRow>): EventAnswer {
  const shown = archivedRow(row)
  if (!isLimited) return shown
  return { ...shown, ...withoutPlace(shown), actor: actorShown(shown), limited: true }
}

/** A row of the activity log, in the same way. */
export function attemptAnswer({ isLimited, ...row }: OfTenant<ActivityRow>): AttemptAnswer {
  const shown = { id: row.id, ...entryFacts(row) }
  return isLimited ? { ...shown, ...withoutPlace(shown), limited: true } : shown
}

function withoutPlace({ details }: { details: unknown }) {
  const kept = Object.entries(isRecord(details) ? details : {}).filter(([name]) => shownDetails.has(name))
  return { address: null, requestId: null, applicationId: null, details: Object.fromEntries(kept) }
}

/** Who else acts on the account of such a person is of another tenant, or an operator. */
function actorShown({ actor, userId }: { actor: unknown; userId: string | null }): unknown {
  if (!isRecord(actor)) return { kind: 'other' }
  if (actor['kind'] === 'system' || (actor['kind'] === 'user' && actor['userId'] === userId)) return actor
  return { kind: 'other' }
}

type Named = Pick<EventAnswer, 'tenantId' | 'applicationId' | 'userId' | 'details'> & { actor?: unknown }

/**
 * The names of what the rows are about: of people who belong to `tenantId`, undefined: of everybody, and of tenants only
 * then. Throws StoreUnavailable.
 */
export async function auditNames(
  reader: Statements,
  rows: readonly Named[],
  tenantId: string | undefined,
): Promise<Omit<AuditEvents['names'], 'events'>> {
  const actors = rows.map(({ actor, details }) => actor ?? (isRecord(details) ? details['actor'] : undefined))
  const idsOf = (name: 'userId' | 'applicationId') =>
    texts([...rows.map((row) => row[name]), ...actors.map((actor) => (isRecord(actor) ? actor[name] : undefined))])
  const people = await readPeopleNames(reader, idsOf('userId'), tenantId)
  const applications = await readNames(reader, 'applications', idsOf('applicationId'))
  const tenantIds = tenantId === undefined ? texts(rows.map((row) => row.tenantId)) : []
  const tenants = await readNames(reader, 'tenants', tenantIds)
  const named = (found: readonly { id: string; name: string }[]) =>
    Object.fromEntries(found.map(({ id, name }) => [id, name]))
  return {
    people: named(people.map(({ id, name, email }) => ({ id, name: name === '' ? email : name }))),
    applications: named(applications),
    tenants: named(tenants),
  }
}

function texts(values: readonly unknown[]): string[] {
  return [...new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''))]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
