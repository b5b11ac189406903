// Who looks after the installation.

import type { Statements } from '../store.js'
import type { UserRow } from './users.js'

/** The operators by name, at most `limit`. */
export async function listOperators(statements: Statements, limit: number): Promise<UserRow[]> {
  const found = statements.selectFrom('users').selectAll().where('operator', '=', 1)
  return found.orderBy('name').orderBy('id').limit(limit).execute()
}

/** Whether somebody else is an operator whose account works. */
export async function hasOtherOperator(statements: Statements, userId: string): Promise<boolean> {
  const others = statements.selectFrom('users').select('id').where('operator', '=', 1).where('state', '=', 'enabled')
  return (await others.where('id', '!=', userId).limit(1).executeTakeFirst()) !== undefined
}
