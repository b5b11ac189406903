// Connections to the services behind the gate: one pool each, certificates always verified, a cap on what one slow
// service may hold. Two connections never differ in what they may carry, so a pool is all there is to an upstream.

import { buildConnector, type Dispatcher, Pool } from 'undici'
import type { UpstreamSettings } from '../../config/upstream-settings.js'
import type { Metrics } from '../../http/metrics.js'

export interface Upstream {
  name: string
  /** What the file says of it. */
  settings: UpstreamSettings
  /** `http://host:port`, lower case, default ports left out. */
  origin: string
  /** Stands before every forwarded path; empty or without a trailing slash. */
  basePath: string
  /** The bundled service, reached over a Unix socket. */
  builtin: boolean
  identity: 'jwt' | 'none'
  headersMs: number
  idleMs: number
  pool: Dispatcher
  /** Every request on a new connection: for the one repetition of a request that a reused connection lost. */
  fresh(): Dispatcher
  /** Requests that are under way; more than `most` are refused. */
  inFlight: number
  most: number
  /** How the last request to it ended. */
  lastOutcome: UpstreamOutcome | undefined
  observe(outcome: UpstreamOutcome, seconds: number): void
  close(): Promise<void>
}

export type UpstreamOutcome = 'answered' | 'failed' | 'timeout' | 'abandoned'

export interface UpstreamOptions {
  /** Where the bundled services listen. */
  builtinTargets: ReadonlyMap<string, { socketPath: string }>
  metrics: Metrics
}

const bytesRead = new WeakMap<Error, number>()

/** Bytes that had been read on the connection that failed with `error`, if it failed by itself; 0 on a new connection. */
export function bytesReadBefore(error: Error): number {
  return bytesRead.get(error) ?? 0
}

/** The upstreams of one configuration. */
export interface PreparedUpstreams {
  byName: ReadonlyMap<string, Upstream>
  /** From now on these are the ones; those that nothing names any more end with their last request. */
  take(): void
}

export interface Upstreams {
  /** Those of another configuration; the ones whose settings are the same are the same. Throws Error for an unknown bundled service. */
  prepare(settings: ReadonlyMap<string, UpstreamSettings>): PreparedUpstreams
  close(): Promise<void>
}

/** Nothing connects before the first request. */
export function createUpstreams(options: UpstreamOptions): Upstreams {
  let current = new Map<string, { fingerprint: string; upstream: Upstream }>()
  const retired = new Set<Upstream>()
  return {
    prepare(settings) {
      const next = new Map(
        [...settings].map(([name, one]) => {
          const fingerprint = fingerprintOf(one)
          const known = current.get(name)
          if (known?.fingerprint === fingerprint) return [name, known]
          return [name, { fingerprint, upstream: createUpstream(one, options) }]
        }),
      )
      return {
        byName: new Map([...next].map(([name, { upstream }]) => [name, upstream])),
        take() {
          for (const [name, { upstream }] of current) {
            if (next.get(name)?.upstream !== upstream) retire(upstream, retired)
          }
          current = next
        },
      }
    },
    async close() {
      const all = [...current.values()].map(({ upstream }) => upstream)
      await Promise.all([...all, ...retired].map((upstream) => upstream.close()))
    },
  }
}

/** Everything but where it stands in the file. */
function fingerprintOf({ position: _, ...settings }: UpstreamSettings): string {
  return JSON.stringify(settings)
}

/** Requests that began before may still be deciding whether they go there. */
const graceMs = 60_000

function retire(upstream: Upstream, retired: Set<Upstream>): void {
  retired.add(upstream)
  const close = () => {
    if (upstream.inFlight > 0) return void setTimeout(close, 1_000).unref()
    retired.delete(upstream)
    void upstream.close()
  }
  setTimeout(close, graceMs).unref()
}

function createUpstream(settings: UpstreamSettings, options: UpstreamOptions): Upstream {
  const { origin, basePath, socketPath } = whereIs(settings, options)
  const connect = connector(settings, socketPath)
  const poolOptions = { connections: settings.connections, connect, allowH2: false, maxHeaderSize: 32_768 }
  const pool = new Pool(origin, { ...poolOptions, pipelining: 1 })
  let freshPool: Pool | undefined
  const labels = (outcome: UpstreamOutcome) => options.metrics.upstreamDuration.labels(settings.name, outcome)
  const durations = {
    answered: labels('answered'),
    failed: labels('failed'),
    timeout: labels('timeout'),
    abandoned: labels('abandoned'),
  }
  const upstream: Upstream = {
    name: settings.name,
    settings,
    origin,
    basePath,
    builtin: settings.target.kind === 'builtin',
    identity: settings.identity,
    headersMs: settings.headersMs,
    idleMs: settings.idleMs,
    pool,
    fresh() {
      freshPool ??= new Pool(origin, { ...poolOptions, pipelining: 0 })
      return freshPool
    },
    inFlight: 0,
    // As many again may wait for a connection; beyond that waiting only makes it worse.
    most: settings.connections * 2,
    lastOutcome: undefined,
    observe(outcome, seconds) {
      upstream.lastOutcome = outcome
      durations[outcome].observe(seconds)
    },
    close: async () => {
      await Promise.all([pool.destroy(), freshPool?.destroy()])
    },
  }
  return upstream
}

/** Whether it has as many requests under way as it may have. */
export function isFull({ inFlight, most }: Upstream): boolean {
  return inFlight >= most
}

function whereIs(settings: UpstreamSettings, options: UpstreamOptions) {
  const { target } = settings
  if (target.kind === 'url') {
    const basePath = target.basePath.replace(/\/+$/, '')
    return { origin: new URL(target.origin).origin, basePath, socketPath: undefined }
  }
  const builtin = options.builtinTargets.get(target.service)
  if (builtin === undefined) throw new Error(`upstream ${settings.name}: there is no bundled service ${target.service}`)
  return { origin: `http://${target.service}`, basePath: '', socketPath: builtin.socketPath }
}

/** `rejectUnauthorized` is said aloud: neither an environment variable nor another library's default may undo it (P2). */
function connector(settings: UpstreamSettings, socketPath: string | undefined): buildConnector.connector {
  const connect = buildConnector({
    timeout: settings.connectMs,
    rejectUnauthorized: true,
    allowH2: false,
    ...(settings.ca === undefined ? {} : { ca: settings.ca }),
    ...(socketPath === undefined ? {} : { socketPath }),
  })
  return (options, callback) =>
    connect(options, (...result: Parameters<buildConnector.Callback>) => {
      const [, socket] = result
      // Before the pool's own listener: how used the connection was is known only now.
      socket?.on('error', (error) => bytesRead.set(error, socket.bytesRead))
      callback(...result)
    })
}
