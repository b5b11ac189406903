// What servers say of their tools, for people who decide about them.

import type { Statements } from '../store.js'

/** The approved definitions of the tools of some routes, as text; where it is too long to be kept, null. */
export async function listApprovedTexts(
  statements: Statements,
  routes: readonly string[],
  limit: number,
): Promise<{ route: string; tool: string; approved_text: string | null }[]> {
  if (routes.length === 0) return []
  return statements
    .selectFrom('tool_definitions')
    .select(['route', 'tool', 'approved_text'])
    .where('route', 'in', [...routes])
    .orderBy('route')
    .orderBy('tool')
    .limit(limit)
    .execute()
}
