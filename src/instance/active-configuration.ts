// The rules that an instance decides by, in all rooms that do: put in place together, between two requests. A request
// that has begun keeps those it began with.

import { createHash } from 'node:crypto'
import type { LiveSettings } from '../config/read/live-settings.js'
import { maskedSettings } from '../config/read/settings-mask.js'
import type { Settings } from '../config/settings/settings.js'
import type { Gate } from '../gateway/gate.js'
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

/** The answer puts other rules in place. It throws, with nothing changed, when they cannot be compiled. */
export function createRules({ first, live, gate, deps, onReplaced }: RulesOptions): (next: Settings) => void {
  const { metrics } = deps
  let current = first
  metrics.named.replace(namesOf(first))
  describe(first, metrics)
  return (next) => {
    // Before the compilation: it asks for the series of its routes.
    metrics.named.replace(namesOf(next))
    try {
      gate.replace(next)
    } catch (error) {
      metrics.named.replace(namesOf(current))
      throw error
    }
    // From here on nothing throws and nothing waits.
    deps.limiter.replace(next.limits, next)
    deps.externalTokens.replace(next.issuers)
    deps.catalogue.configure(next.catalogue)
    live.replace(next)
    onReplaced(current, next)
    current = next
    describe(next, metrics)
  }
}

function namesOf({ routes, upstreams, limits, plans }: Settings): ConfiguredNames {
  const ofPlans = [...plans.values()].flatMap((plan) => [...plan.limits.keys()])
  return {
    route: routes.map(({ id }) => id),
    upstream: [...upstreams.keys()],
    policy: [...new Set([...limits.keys(), ...ofPlans])],
  }
}

function describe(settings: Settings, { configInfo }: Collaborators['metrics']): void {
  configInfo.reset()
  const text = JSON.stringify(maskedSettings(settings))
  configInfo.set({ hash: createHash('sha256').update(text).digest('hex').slice(0, 12) }, 1)
}
