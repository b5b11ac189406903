// The rules that an instance decides by, in all rooms that do: put in place together, between two requests. A request
// that has begun keeps those it began with.

import { createHash } from 'node:crypto'
import type { LiveSettings } from '../config/read/live-settings.js'
import { maskedParts } from '../config/read/settings-mask.js'
import { atOnce, inSlices, type Steps } from '../config/reload/steps.js'
import type { Settings } from '../config/settings/settings.js'
import type { Gate } from '../gateway/gate.js'
import { operationIds } from '../gateway/mcp/plan.js'
import type { ConfiguredNames } from '../observability/named-series.js'
import type { Collaborators } from './collaborators.js'

export interface RulesOptions {
  /** In effect already. */
  first: Settings
  live: LiveSettings
  gate: Gate
  deps: Pick<Collaborators, 'catalogue' | 'externalTokens' | 'limiter' | 'metrics'>
  /** Hears of the rules that were, and those that are now. */
  onReplaced(before: Settings, after: Settings): void
}

/**
 * Puts rules in place: prepares them in slices, then swaps all at once. One call after the other. It rejects, with
 * nothing changed, when they cannot be compiled.
 */
export type PutRules = (next: Settings) => Promise<void>

/** Nothing changes before the first call of the answer. */
export function createRules({ first, live, gate, deps, onReplaced }: RulesOptions): PutRules {
  const { metrics } = deps
  let current = first
  metrics.named.replace(namesOf(first))
  describe(atOnce(hashOf(first)), metrics)
  return async (next) => {
    const hash = await inSlices(hashOf(next))
    const names = namesOf(next)
    // Before the compilation: it asks for the series of its routes. Those of now are still in use.
    const forgetAgain = metrics.named.expect(names)
    try {
      await inSlices(gate.replace(next))
    } catch (error) {
      forgetAgain()
      throw error
    }
    // The gate's last step was a moment ago, in this turn. Until all have the rules nothing throws and nothing waits.
    metrics.named.replace(names)
    deps.limiter.replace(next.limits, next)
    deps.externalTokens.replace(next.issuers)
    deps.catalogue.configure(next.catalogue)
    live.replace(next)
    onReplaced(current, next)
    current = next
    describe(hash, metrics)
    await inSlices(gate.beginCounts())
  }
}

function namesOf({ routes, upstreams, limits, plans }: Settings): ConfiguredNames {
  const ofPlans = [...plans.values()].flatMap((plan) => [...plan.limits.keys()])
  return {
    route: routes.flatMap((route) => [route.id, ...operationIds(route)]),
    upstream: [...upstreams.keys()],
    policy: [...new Set([...limits.keys(), ...ofPlans])],
  }
}

/** The same for the same settings, secrets aside. */
function* hashOf(settings: Settings): Steps<string> {
  const hash = createHash('sha256')
  for (const text of maskedParts(settings)) {
    hash.update(`${text}\n`)
    yield
  }
  return hash.digest('hex').slice(0, 12)
}

function describe(hash: string, { configInfo }: Collaborators['metrics']): void {
  configInfo.reset()
  configInfo.set({ hash }, 1)
}
