// One machine behind an upstream: the connections to it, and how it has been doing. Two connections to one target
// never differ in what they may carry.

import { type buildConnector, type Dispatcher, Pool } from 'undici'
import type { TargetSettings, UpstreamSettings } from '../../config/settings/upstream-settings.js'
import { Connections } from '../http1/connections.js'
import { type ConnectTarget, sharedReads } from '../http1/socket-reads.js'
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
  requests: Connections
  /** What streams go through: they have connections of their own. */
  streams(): Connections
  /** Every request on a new connection: for the one repetition of a request that a reused connection lost. */
  fresh(): Connections
  /** What asks for another protocol goes through undici, each on a connection of its own. */
  upgrades(): Dispatcher
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
  const retired = new Set<Connections>()
  const addresses =
    socketPath === undefined
      ? watchAddresses(new URL(origin).hostname, { everyMs: settings.resolveEveryMs, onGone: renew, resolve })
      : undefined
  const own = one.kind === 'builtin' ? undefined : options.own
  const ways = { ...settings, socketPath, lookup: addresses?.lookup, own }
  const connect = connector(ways)
  const connectTarget = connectTo(connector({ ...ways, reads: sharedReads }))
  const newConnections = (connections: number, isReusable = true) =>
    new Connections({ origin, connect: connectTarget, connections, isReusable })
  const newPool = (connections: number) =>
    new Pool(origin, { connections, connect, allowH2: false, maxHeaderSize: 32_768, pipelining: 0 })
  let fresh: Connections | undefined
  let streams: Connections | undefined
  let upgrades: Pool | undefined
  let checks: Pool | undefined
  const target: Target = {
    label,
    origin,
    weight: one.weight,
    inFlight: 0,
    requests: newConnections(settings.connections),
    status: newTargetStatus(),
    streams() {
      // The rooms count them, also those of MCP servers.
      streams ??= newConnections(Number.POSITIVE_INFINITY)
      return streams
    },
    fresh() {
      fresh ??= newConnections(settings.connections, false)
      return fresh
    },
    upgrades() {
      upgrades ??= newPool(settings.maxStreams)
      return upgrades
    },
    look: () => probeTarget(connect, origin),
    probe(health, signal) {
      checks ??= newPool(settings.connections)
      return probe(checks, health, signal)
    },
    close: async () => {
      addresses?.stop()
      for (const one of [...retired, target.requests, streams, fresh]) one?.destroy()
      await Promise.all([upgrades?.destroy(), checks?.destroy()])
    },
  }
  /** What is under way ends in peace; what begins now connects to where the name leads now. */
  function renew() {
    for (const old of [target.requests, streams]) {
      if (old === undefined) continue
      retired.add(old)
      void old.close().finally(() => retired.delete(old))
    }
    target.requests = newConnections(settings.connections)
    streams = undefined
  }
  return target
}

function connectTo(connect: buildConnector.connector): ConnectTarget {
  return (origin, done) => {
    const { host, hostname, protocol, port } = new URL(origin)
    connect({ host, hostname, protocol, port, servername: '' }, (error, socket) => done(error, socket))
  }
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
