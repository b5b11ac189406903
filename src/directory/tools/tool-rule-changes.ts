// Writes of what tenants say of tools.

import type { McpRule } from '../../config/settings/route-settings.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { deleteToolRule, putToolRule } from '../../storage/sql/registrations/tools/tool-rules.js'
import { requireTenant } from '../tenants/tenants.js'
import { type DirectoryWrites, type Writing, write } from '../writes.js'
import { readToolRules } from './tool-rules.js'

/**
 * Says these of a tenant's tools, all of it or nothing; what is not named stays. Calls are held against them once it is
 * written, at every instance. Throws DirectoryRefusal (TenantNotFound) and StoreUnavailable.
 */
export async function changeToolRules(
  deps: DirectoryWrites,
  reference: string,
  changes: readonly { route: string; tool: string; rule: McpRule }[],
  open?: Writing,
): Promise<void> {
  const change = async ({ tx, record, nowMs }: Writing) => {
    const { tenantId, state } = await requireTenant({ tx, record, nowMs }, reference)
    const before = await readToolRules(tx, tenantId)
    const now = new Map(changes.map((change) => [`${change.route}\n${change.tool}`, change]))
    const real = [...now.values()].filter(({ route, tool, rule }) => before.of(route, tool) !== rule)
    if (real.length === 0) return
    for (const { route, tool, rule } of real) {
      const key = { tenant_id: tenantId, route, tool }
      if (rule === 'allowed') await deleteToolRule(tx, key)
      else await putToolRule(tx, { ...key, rule, updated_at: nowMs })
      const details = { route, tool, before: before.of(route, tool), after: rule }
      await appendAudit(deps, tx, { event: 'tenant.tool-rule-changed', tenantId, details })
    }
    record({ kind: 'tenant', tenantId, state })
  }
  await write(deps, change, open)
}
