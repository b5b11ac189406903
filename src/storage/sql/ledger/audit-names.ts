// Names for the ids of the ledger, and the ids that a name may mean, for people who read the audit.

import { type RawBuilder, sql } from 'kysely'
import type { Statements } from '../store.js'

/** As many as a part of a name may mean; somebody who means one of more types more of it. */
const mostMeant = 50

/** What to look for: a part of a name (of people also of the address), or the public key of an application. */
type Sought = { part: string; tenantId: string | undefined } | { publicKey: string; tenantId: string | undefined }

/**
 * The ids that it may mean, at most fifty: people who belong to the tenant, applications that are registered or installed
 * in it, tenants. Without `tenantId` all there are.
 */
export async function findNamed(
  statements: Statements,
  kind: 'person' | 'application' | 'tenant',
  sought: Sought,
): Promise<string[]> {
  if (kind === 'person') return findPeople(statements, sought)
  if (kind === 'application') return findApplications(statements, sought)
  if (!('part' in sought)) return []
  const rows = statements.selectFrom('tenants').select('id').where(has('name', sought.part))
  return (await rows.orderBy('name').orderBy('id').limit(mostMeant).execute()).map(({ id }) => id)
}

async function findPeople(statements: Statements, sought: Sought): Promise<string[]> {
  if (!('part' in sought)) return []
  const { part, tenantId } = sought
  let rows = statements.selectFrom('users').select('id').where(has("name || '\n' || email", part))
  if (tenantId !== undefined) {
    rows = rows.where('id', 'in', (members) =>
      members.selectFrom('memberships').select('user_id').where('tenant_id', '=', tenantId),
    )
  }
  return (await rows.orderBy('name').orderBy('id').limit(mostMeant).execute()).map(({ id }) => id)
}

async function findApplications(statements: Statements, sought: Sought): Promise<string[]> {
  const { tenantId } = sought
  let rows = statements.selectFrom('applications').select('id')
  rows = 'part' in sought ? rows.where(has('name', sought.part)) : rows.where('public_key', '=', sought.publicKey)
  if (tenantId !== undefined) {
    rows = rows.where(({ eb, or, selectFrom }) =>
      or([
        eb('tenant_id', '=', tenantId),
        eb('id', 'in', selectFrom('installations').select('application_id').where('tenant_id', '=', tenantId)),
      ]),
    )
  }
  return (await rows.orderBy('name').orderBy('id').limit(mostMeant).execute()).map(({ id }) => id)
}

/** The column contains the part, whatever the case; without the wildcards of LIKE. */
function has(column: string, part: string) {
  const searched = sql<string>`lower(${sql.raw(column)})`
  return sql<boolean>`replace(${searched}, lower(${part}), '') <> ${searched}`
}

/** What these people are called, those who belong to the tenant where one is named. */
export async function readPeopleNames(
  statements: Statements,
  ids: readonly string[],
  tenantId: string | undefined,
): Promise<{ id: string; name: string; email: string }[]> {
  if (ids.length === 0) return []
  let rows = statements
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('id', 'in', [...ids])
  if (tenantId !== undefined) {
    rows = rows.where('id', 'in', (members) =>
      members
        .selectFrom('memberships')
        .select('user_id')
        .where('tenant_id', '=', tenantId)
        .where('user_id', 'in', [...ids]),
    )
  }
  return rows.execute()
}

/** What these applications or tenants are called. */
export async function readNames(
  statements: Statements,
  table: 'applications' | 'tenants',
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return []
  return statements
    .selectFrom(table)
    .select(['id', 'name'])
    .where('id', 'in', [...ids])
    .execute()
}

/** So many kinds of events are told of at most; more than there are. */
const mostEvents = 200

/** Which events there are in the ledger: of a tenant and its people, or of all. A look at an index for each. */
export async function readEventNames(statements: Statements, tenantId: string | undefined): Promise<string[]> {
  if (tenantId === undefined) return distinctEvents(statements, 'ledger', sql`true`)
  const own = await distinctEvents(statements, 'ledger', sql`tenant_id = ${tenantId}`)
  const ofMembers = await distinctEvents(statements, 'ledger_members', sql`tenant_id = ${tenantId}`)
  return [...new Set([...own, ...ofMembers])].sort()
}

async function distinctEvents(
  statements: Statements,
  table: 'ledger' | 'ledger_members',
  which: RawBuilder<unknown>,
): Promise<string[]> {
  const from = sql.raw(table)
  const query = sql<{ event: string }>`
    with recursive seen(event) as (
      select min(event) from ${from} where ${which}
      union all
      select (select min(event) from ${from} where ${which} and event > seen.event) from seen where seen.event is not null
    ) select event from seen where event is not null limit ${sql.lit(mostEvents)}`
  return (await query.execute(statements)).rows.map(({ event }) => event)
}
