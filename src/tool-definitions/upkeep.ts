// What was approved of tools that the configuration names no more stays for a while: a tool that comes back after a
// mistake in the file is held against what was approved, and not trusted anew.

import type { Feed } from '../storage/changes/feed.js'
import type { Statements } from '../storage/sql/store.js'
import { deleteDefinition, setUnnamed } from '../storage/sql/tool-definitions/definition-upkeep.js'
import { readDefinitionStates } from '../storage/sql/tool-definitions/tool-definitions.js'

const keepMs = 90 * 24 * 3_600_000
/** Rows that one transaction changes. */
const batch = 500

/** For the leader, from time to time. `isNamed`: whether a route of the configuration has the tool. Throws StoreUnavailable. */
export async function sweepDefinitions(
  { feed, reader, now }: { feed: Pick<Feed, 'commit'>; reader: Statements; now: () => number },
  isNamed: (route: string, tool: string) => boolean,
): Promise<void> {
  const nowMs = now()
  const due = (await readDefinitionStates(reader)).filter(({ route, tool, unnamed_at: since }) =>
    isNamed(route, tool) ? since !== null : since === null || Number(since) < nowMs - keepMs,
  )
  if (due.length === 0) return
  await feed.commit(async (tx, record) => {
    const routes = new Set<string>()
    for (const { id, route, tool, unnamed_at: since } of due.slice(0, batch)) {
      if (isNamed(route, tool)) await setUnnamed(tx, id, null)
      else if (since === null) await setUnnamed(tx, id, nowMs)
      else {
        await deleteDefinition(tx, id)
        routes.add(route)
      }
    }
    for (const route of routes) record({ kind: 'tool-definitions', route })
  })
}
