// A service behind the gate: its targets, which of them a request goes to, and how many requests it may have.

import type { TokenPrincipal } from '../../access/principal.js'
import type { UpstreamSettings } from '../../config/upstream-settings.js'
import type { Metrics } from '../../http/metrics.js'
import { createTarget, type Target, type TargetOptions } from './target.js'

/** Whoever forwards counts what it began, in `inFlight` of the upstream and of the target, and says how it ended. */
export interface Upstream {
  name: string
  /** What the file says of it. */
  settings: UpstreamSettings
  /** At least one. */
  targets: readonly Target[]
  /** Stands before every forwarded path, the same at all targets; empty or without a trailing slash. */
  basePath: string
  /** The bundled service, reached over a Unix socket. */
  builtin: boolean
  identity: 'jwt' | 'none'
  headersMs: number
  idleMs: number
  /** Where the next request goes. Ask `refusesNow` before. */
  choose(principal: TokenPrincipal | undefined, address: string): Target
  /** The target began an answer, with this status. */
  answered(target: Target, status: number): void
  /** It did not: no connection, a lost one, or nothing in time. What a client or the gate ended is no failure. */
  failed(target: Target): void
  /** Requests that are under way; more than `most` are refused. */
  inFlight: number
  most: number
  /** How the last request to it ended. */
  lastOutcome: UpstreamOutcome | undefined
  observe(outcome: UpstreamOutcome, seconds: number): void
  close(): Promise<void>
}

export type UpstreamOutcome = 'answered' | 'failed' | 'timeout' | 'abandoned'

export interface UpstreamOptions extends Omit<TargetOptions, 'settings'> {
  metrics: Metrics
}

/** Nothing connects before the first request. Throws Error for an unknown bundled service, or TLS that cannot be used. */
export function createUpstream(settings: UpstreamSettings, options: UpstreamOptions): Upstream {
  const { builtinTargets, metrics } = options
  const targets = settings.targets.map((one) => createTarget(one, { settings, builtinTargets }))
  const [first] = settings.targets
  const [only] = targets
  if (first === undefined || only === undefined) throw new Error(`upstream ${settings.name} has no target`)
  const labels = (outcome: UpstreamOutcome) => metrics.upstreamDuration.labels(settings.name, outcome)
  const durations = {
    answered: labels('answered'),
    failed: labels('failed'),
    timeout: labels('timeout'),
    abandoned: labels('abandoned'),
  }
  const upstream: Upstream = {
    name: settings.name,
    settings,
    targets,
    basePath: first.kind === 'builtin' ? '' : first.basePath.replace(/\/+$/, ''),
    builtin: first.kind === 'builtin',
    identity: settings.identity,
    headersMs: settings.headersMs,
    idleMs: settings.idleMs,
    choose: () => only,
    answered() {},
    failed() {},
    inFlight: 0,
    most: settings.maxInFlight,
    lastOutcome: undefined,
    observe(outcome, seconds) {
      upstream.lastOutcome = outcome
      durations[outcome].observe(seconds)
    },
    close: async () => {
      await Promise.all(targets.map((target) => target.close()))
    },
  }
  return upstream
}

/** Why it should not be sent another request now; undefined: it may. */
export function refusesNow({ inFlight, most }: Upstream): 'upstream_overloaded' | undefined {
  return inFlight >= most ? 'upstream_overloaded' : undefined
}
