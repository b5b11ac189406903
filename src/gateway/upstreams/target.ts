// One machine behind an upstream: a pool of connections to it, and how it has been doing. Two connections to one target
// never differ in what they may carry.

import { type Dispatcher, Pool } from 'undici'
import type { TargetSettings, UpstreamSettings } from '../../config/settings/upstream-settings.js'
import { type ResolveName, watchAddresses } from './addresses.js'
import { connector } from './connect.js'
import type { OwnPlaces } from './own-places.js'
import { type ProbeResult, probeTarget } from './target-probe.js'
import { newTargetStatus, type TargetStatus } from './target-status.js'

export interface Target {
  /** As the file says it; for the operator alone. */
  label: string
  /** `http://host:port`, lower case, default ports left out: what an absolute Location of it begins with. */
  origin: string
  weight: number
  /** Requests go through this; it is another one after its addresses changed, so keep no reference to it. */
  pool: Dispatcher
  /** What streams go through: they have connections of their own. */
  streams(): Dispatcher
  /** Every request on a new connection: for the one repetition of a request that a reused connection lost. */
  fresh(): Dispatcher
  /** Requests that are under way at it. */
  inFlight: number
  status: TargetStatus
  /** Whether anybody is there, on a connection of its own. Never rejects. */
  look(): Promise<ProbeResult>
  /** Asks how it is, with a GET on a connection of its own, until `signal` ends it. Never rejects. */
  probe(health: NonNullable<UpstreamSettings['health']>, signal: AbortSignal): Promise<boolean>
  /** Ends all connections. */
  close(): Promise<void>
}

export interface TargetOptions {
  settings: UpstreamSettings
  /** Where the bundled services listen. */
  builtinTargets: ReadonlyMap<string, { socketPath: string }>
  /** Instead of the system's resolver. */
  resolve?: ResolveName | undefined
  /** What no target may lead to. */
  own?: OwnPlaces | undefined
}

/**
 * Nothing connects before the first request. Throws Error for an unknown bundled service, or TLS that cannot be used.
 */
export function createTarget(one: TargetSettings, options: TargetOptions): Target {
  const { settings, resolve } = options
  const { origin, socketPath, label } = whereIs(one, options)
  const retired = new Set<Dispatcher>()
  const addresses =
    socketPath === undefined
      ? watchAddresses(new URL(origin).hostname, { everyMs: settings.resolveEveryMs, onGone: renew, resolve })
      : undefined
  const own = one.kind === 'builtin' ? undefined : options.own
  const connect = connector({ ...settings, socketPath, lookup: addresses?.lookup, own })
  const poolOptions = { connections: settings.connections, connect, allowH2: false, maxHeaderSize: 32_768 }
  const newPool = (pipelining: 0 | 1) => new Pool(origin, { ...poolOptions, pipelining })
  let freshPool: Pool | undefined
  let streamPool: Pool | undefined
  const target: Target = {
    label,
    origin,
    weight: one.weight,
    inFlight: 0,
    pool: newPool(1),
    status: newTargetStatus(),
    streams() {
      streamPool ??= new Pool(origin, { ...poolOptions, connections: settings.maxStreams, pipelining: 1 })
      return streamPool
    },
    fresh() {
      freshPool ??= newPool(0)
      return freshPool
    },
    look: () => probeTarget(connect, origin),
    probe: (health, signal) => probe(target.fresh(), health, signal),
    close: async () => {
      addresses?.stop()
      await Promise.all([...retired, target.pool, streamPool, freshPool].map((pool) => pool?.destroy()))
    },
  }
  /** What is under way ends in peace; what begins now connects to where the name leads now. */
  function renew() {
    for (const old of [target.pool, streamPool]) {
      if (old === undefined) continue
      retired.add(old)
      void old.close().finally(() => retired.delete(old))
    }
    target.pool = newPool(1)
    streamPool = undefined
  }
  return target
}

async function probe(
  pool: Dispatcher,
  { path, status: wanted }: NonNullable<UpstreamSettings['health']>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const headers = { 'user-agent': 'portcullis-health-check' }
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers, signal })
    await body.dump({ limit: 65_536, signal })
    return wanted === undefined ? statusCode >= 200 && statusCode <= 299 : statusCode === wanted
  } catch {
    return false
  }
}

function whereIs(one: TargetSettings, { settings, builtinTargets }: TargetOptions) {
  switch (one.kind) {
    case 'url':
      return { origin: new URL(one.origin).origin, socketPath: undefined, label: `${one.origin}${one.basePath}` }
    case 'unix':
      return { origin: 'http://localhost', socketPath: one.socketPath, label: `unix:${one.socketPath}` }
    case 'builtin': {
      const builtin = builtinTargets.get(one.service)
      if (builtin === undefined)
        throw new Error(`upstream ${settings.name}: there is no bundled service ${one.service}`)
      return { origin: `http://${one.service}`, socketPath: builtin.socketPath, label: `builtin:${one.service}` }
    }
  }
}
