// A service behind the gate: its targets, which of them a request goes to, and how many requests it may have.

import type { FastifyBaseLogger } from 'fastify'
import type { TokenPrincipal } from '../../access/principal.js'
import type { UpstreamSettings } from '../../config/settings/upstream-settings.js'
import type { Metrics } from '../../observability/metrics.js'
import { balanceBy } from './balance.js'
import type { Sender } from './callers.js'
import { type Candidates, createCandidates } from './candidates.js'
import { startHealthChecks } from './health-checks.js'
import { createRetries, type Retries } from './retries.js'
import { Room } from './room.js'
import { createTarget, type Target, type TargetOptions } from './target.js'

/** The forwarder takes a place, counts what it began in `inFlight` of the target, and says how it ended. */
export interface Upstream {
  name: string
  /** What the file says of it. */
  settings: UpstreamSettings
  /** At least one. */
  targets: readonly Target[]
  /** Which of them requests may go to, and what is told of each request. */
  candidates: Candidates
  /** Stands before every forwarded path, the same at all targets; empty or without a trailing slash. */
  basePath: string
  /** Of all targets: each of them may name any other. */
  origins: ReadonlySet<string>
  /** The bundled service, reached over a Unix socket. */
  builtin: boolean
  identity: UpstreamSettings['identity']
  headersMs: number
  idleMs: number
  /** Where the next request goes. Ask `refusesNow` before. */
  choose(principal: TokenPrincipal | undefined, address: string): Target
  /** Where a request goes that `tried` did not serve; undefined when there is no other. */
  another(tried: Target, principal: TokenPrincipal | undefined, address: string): Target | undefined
  /** Undefined: nothing is sent again. */
  retries: Retries | undefined
  /** Counts a request that was sent again. */
  sentAgain(reason: string): void
  /** How long a request waits for a connection. */
  queueMs: number
  /** Where requests take their places, and, apart from them, those of routes that stream. */
  requests: Room
  streams: Room
  /** Where streams of one MCP server take theirs, apart from all others: the same room for one id and size. */
  streamsOf(routeId: string, most: number | undefined): Room
  /** Those rooms by the route of the server. */
  serverStreams: ReadonlyMap<string, Room>
  /** Streams under way, in all rooms. */
  openStreams(): number
  /** Counts a request that found no place, no connection or no time. */
  refused(reason: string): void
  /** How the last request to it ended. */
  lastOutcome: UpstreamOutcome | undefined
  observe(outcome: UpstreamOutcome, seconds: number): void
  /** From now on it is the one of its name. How its targets stand is taken over from the one before. */
  begin(before: Upstream | undefined): void
  /** It is no longer used: nothing is probed or resolved again. Requests that go on may end. */
  end(): void
  /** Ends all connections. */
  close(): Promise<void>
}

export type UpstreamOutcome = 'answered' | 'failed' | 'timeout' | 'abandoned'

export interface UpstreamOptions extends Omit<TargetOptions, 'settings'> {
  metrics: Metrics
  /** Hears of each target that begins or ends to get requests; absent: nobody does. */
  log?: Pick<FastifyBaseLogger, 'info' | 'warn'> | undefined
}

/**
 * Nothing connects before the first request. Throws Error for an unknown bundled service, or TLS that cannot be used.
 */
export function createUpstream(settings: UpstreamSettings, options: UpstreamOptions): Upstream {
  const { metrics, log, builtinTargets, resolve, own } = options
  const { name, health, eject } = settings
  const targets = settings.targets.map((one) => createTarget(one, { settings, builtinTargets, resolve, own }))
  const [first] = settings.targets
  if (first === undefined) throw new Error(`upstream ${name} has no target`)
  const retries = createRetries(settings.retry)
  let current = false
  const candidates = createCandidates(targets, {
    eject,
    onChange(target, isUp) {
      if (!current) return
      metrics.upstreamTargetUp.set({ upstream: name, target: target.label }, isUp ? 1 : 0)
      tellOnce(name, target, isUp, log)
    },
  })
  let checks: ReturnType<typeof startHealthChecks> | undefined
  const upstream: Upstream = {
    name,
    settings,
    targets,
    candidates,
    retries,
    basePath: first.kind === 'builtin' ? '' : first.basePath.replace(/(?<!\/)\/+$/, ''),
    origins: new Set(targets.map(({ origin }) => origin)),
    builtin: first.kind === 'builtin',
    identity: settings.identity,
    headersMs: settings.headersMs,
    idleMs: settings.idleMs,
    ...ways(settings, { targets, candidates, retries }),
    sentAgain: (reason) => metrics.upstreamRetries.inc({ upstream: name, reason }),
    queueMs: settings.queueMs,
    ...roomsOf(settings),
    refused: (reason) => metrics.upstreamRefusals.inc({ upstream: name, reason }),
    lastOutcome: undefined,
    observe: observation(name, metrics, (outcome) => {
      upstream.lastOutcome = outcome
    }),
    begin(before) {
      current = true
      candidates.inherit(before?.targets ?? [])
      if (health !== undefined) checks = startHealthChecks(targets, { health, onVerdict: candidates.checked })
    },
    end() {
      current = false
      checks?.stop()
      candidates.stop()
      for (const { label } of targets) metrics.upstreamTargetUp.remove({ upstream: name, target: label })
    },
    close: async () => {
      checks?.stop()
      candidates.stop()
      await Promise.all(targets.map((target) => target.close()))
    },
  }
  return upstream
}

function roomsOf({ targets, connections, maxInFlight, maxStreams, sharePercent }: UpstreamSettings) {
  const places = targets.length * connections
  const streams = new Room({ places: maxStreams, most: maxStreams, sharePercent })
  const byRoute = new Map<string, Room>()
  return {
    requests: new Room({ places, most: maxInFlight, sharePercent }),
    streams,
    streamsOf(routeId: string, most = maxStreams) {
      const known = byRoute.get(routeId)
      const room = known?.most === most ? known : new Room({ places: most, most, sharePercent })
      byRoute.set(routeId, room)
      return room
    },
    serverStreams: byRoute,
    openStreams: () => [streams, ...byRoute.values()].reduce((sum, { underWay }) => sum + underWay, 0),
  }
}

/** Notes a change of state, and logs it once. A target that a reload took over is not new. */
function tellOnce(upstream: string, { label, status }: Target, isUp: boolean, log: UpstreamOptions['log']) {
  const { downSince, healthy } = status
  if (isUp === (downSince === undefined)) return
  status.downSince = isUp ? undefined : performance.now()
  const about = { upstream, target: label }
  if (downSince === undefined) log?.warn({ ...about, reason: healthy ? 'failures' : 'checks' }, 'a target is down')
  else log?.info({ ...about, awayMs: Math.round(performance.now() - downSince) }, 'a target is up again')
}

/** Whether as many as may be are under way in one of its rooms. */
export function isFull({ underWay, most }: Room): boolean {
  return underWay >= most
}

/**
 * Why it should not be sent another request of that room now; undefined: it may. `senderOf` gives whose request it is.
 */
export function refusesNow(
  upstream: Upstream,
  room: Room,
  senderOf: () => Sender,
): 'upstream_overloaded' | 'upstream_streams' | 'upstream_down' | undefined {
  if (isFull(room)) return room === upstream.requests ? 'upstream_overloaded' : 'upstream_streams'
  return upstream.candidates.down && upstream.candidates.refuses(senderOf()) ? 'upstream_down' : undefined
}

interface Ways {
  targets: readonly Target[]
  candidates: Candidates
  retries: Retries | undefined
}

/** Decided once: an upstream with one target, of which nothing is sent again, pays for neither. */
function ways(
  settings: UpstreamSettings,
  { targets, candidates, retries }: Ways,
): Pick<Upstream, 'choose' | 'another'> {
  const [only, second] = targets
  if (only !== undefined && second === undefined) {
    const choose = () => {
      if (candidates.down) return candidates.trial()
      retries?.fill()
      return only
    }
    return { choose, another: () => undefined }
  }
  const balance = balanceBy(settings.balance)
  return {
    choose(principal, address) {
      if (candidates.down) return candidates.trial()
      retries?.fill()
      return balance(candidates.list, principal, address)
    },
    another(tried, principal, address) {
      const others = candidates.list.filter((target) => target !== tried)
      return others.length === 0 ? undefined : balance(others, principal, address)
    },
  }
}

function observation(name: string, metrics: Metrics, note: (outcome: UpstreamOutcome) => void): Upstream['observe'] {
  const labels = (outcome: UpstreamOutcome) => metrics.upstreamDuration.labels(name, outcome)
  const durations = {
    answered: labels('answered'),
    failed: labels('failed'),
    timeout: labels('timeout'),
    abandoned: labels('abandoned'),
  }
  return (outcome, seconds) => {
    note(outcome)
    durations[outcome].observe(seconds)
  }
}
