// On Apps with access: the tools that an agent can call for the person, and which of them are called at all. Calls are
// counted by application and organisation, so the page says whose they are.

import type { VNode } from 'preact'
import { lastRouteUses } from '../../storage/sql/usage/last-route-uses.js'
import { useTexts } from '../../web/language/texts.js'
import { Day } from '../../web/language/time.js'
import { displayName } from '../../web/pages/display-name.js'
import type { IdentityDependencies } from '../dependencies.js'
import { agentTools, isOfAgents } from './agent-tools.js'
import type { HeldAccess } from './application-access.js'

/** A tool, and when it was last called (epoch ms, of a day); undefined: not lately. */
export interface ToolUse {
  id: string
  tool: string
  lastCalledAt: number | undefined
}

const dayMs = 86_400_000
const recentDays = 30
const mostTools = 200

/** Of what an application holds; empty where it is no agent. Throws StoreUnavailable. */
export async function toolUses(
  deps: Pick<IdentityDependencies, 'settings' | 'directory' | 'store' | 'now'>,
  { registration: { applicationId }, tenant: { tenantId }, permissions }: HeldAccess,
): Promise<ToolUse[]> {
  if (!permissions.some(({ resource }) => isOfAgents(deps, resource))) return []
  const from = Math.floor(deps.now() / dayMs) - recentDays + 1
  const [tools, used] = await Promise.all([
    agentTools(deps, { tenantId, permissions }),
    lastRouteUses(deps.store.reader, { applicationId, tenantId, from }),
  ])
  return tools.slice(0, mostTools).map(({ id, tool }) => {
    const day = used.get(id)
    return { id, tool, lastCalledAt: day === undefined ? undefined : day * dayMs }
  })
}

/** `id`: apart from others on the same page. */
export function ToolUses({ uses, id }: { uses: readonly ToolUse[]; id: string }): VNode | null {
  const { agent } = useTexts().consent
  if (uses.length === 0) return null
  return (
    <details id={`tools-${id}`}>
      <summary>{agent.toolsOf(uses.length)}</summary>
      <ul class="permissions">
        {uses.map(({ id: operation, tool, lastCalledAt }) => (
          <li key={operation}>
            <p>
              <code>{displayName(tool)}</code>
            </p>
            <p class="fine">
              {lastCalledAt === undefined ? agent.unused : agent.lastCalled(<Day at={lastCalledAt} />)}
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}
