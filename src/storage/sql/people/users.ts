// Queries of people. An e-mail address is found by its key (lower case, NFC); see users/mail/email.ts.

import { sql } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'
import { lacksDemandedFactor, type ServerDemand } from './factor-demands.js'

export type UserRow = Tables['users']

/** Adds a user. Throws UniqueViolation when the address is somebody's already. */
export async function insertUser(tx: Statements, row: UserRow): Promise<void> {
  await tx.insertInto('users').values(row).execute()
}

/** The user with this id or address key. */
export async function readUser(
  statements: Statements,
  column: 'id' | 'email_key',
  value: string,
): Promise<UserRow | undefined> {
  return statements.selectFrom('users').selectAll().where(column, '=', value).executeTakeFirst()
}

/** Sets the named columns; the row after that, undefined when there is no such user. */
export async function updateUser(
  tx: Statements,
  id: string,
  changes: Partial<Omit<UserRow, 'id' | 'created_at'>>,
): Promise<UserRow | undefined> {
  return tx.updateTable('users').set(changes).where('id', '=', id).returningAll().executeTakeFirst()
}

/**
 * Users by name and id, at most `limit`, after the named one; only the members of a tenant when one is named. `search`
 * is a part of the name or of the address; `lacking`: only those who need a second factor and have none, by their role or
 * as operators.
 */
export async function listUsers(
  statements: Statements,
  query: {
    limit: number
    after?: { name: string; id: string } | undefined
    tenantId?: string
    search?: string
    lacking?: ServerDemand | undefined
  },
): Promise<UserRow[]> {
  const { limit, after, tenantId, search = '', lacking } = query
  let users = statements.selectFrom('users').selectAll()
  if (search !== '') {
    // As in listApplications; the end of a line stands in no name.
    const searched = sql<string>`lower(name || '\n' || email)`
    users = users.where(sql<string>`replace(${searched}, lower(${search}), '')`, '!=', searched)
  }
  if (after !== undefined) {
    users = users.where((where) =>
      where.or([
        where('name', '>', after.name),
        where.and([where('name', '=', after.name), where('id', '>', after.id)]),
      ]),
    )
  }
  if (tenantId !== undefined) {
    users = users.where('id', 'in', (members) =>
      members.selectFrom('memberships').select('user_id').where('tenant_id', '=', tenantId),
    )
  }
  if (lacking !== undefined) users = users.where(lacksDemandedFactor({ ...lacking, tenantId }))
  return users.orderBy('name').orderBy('id').limit(limit).execute()
}
