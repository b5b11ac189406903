// Queries of what tenants say of tools.

import type { Tables } from '../../rows/tables.js'
import type { Statements } from '../../store.js'

export type ToolRuleRow = Tables['tool_rules']

/** All that a tenant says, by route and tool. */
export function listToolRules(statements: Statements, tenantId: string): Promise<ToolRuleRow[]> {
  const rows = statements.selectFrom('tool_rules').selectAll().where('tenant_id', '=', tenantId)
  return rows.orderBy('route').orderBy('tool').execute()
}

/** Writes what a tenant says of a tool, in place of what it said. */
export async function putToolRule(tx: Statements, row: ToolRuleRow): Promise<void> {
  const { rule, updated_at } = row
  await tx
    .insertInto('tool_rules')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'route', 'tool']).doUpdateSet({ rule, updated_at }))
    .execute()
}

/** Takes back what a tenant said of a tool. */
export async function deleteToolRule(
  tx: Statements,
  { tenant_id, route, tool }: Pick<ToolRuleRow, 'tenant_id' | 'route' | 'tool'>,
): Promise<void> {
  const rows = tx.deleteFrom('tool_rules').where('tenant_id', '=', tenant_id)
  await rows.where('route', '=', route).where('tool', '=', tool).execute()
}
