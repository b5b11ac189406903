// One machine behind an upstream: a pool of connections to it, and how it has been doing. Two connections to one target
// never differ in what they may carry.

import { type Dispatcher, Pool } from 'undici'
import type { TargetSettings, UpstreamSettings } from '../../config/upstream-settings.js'
import { connector } from './connect.js'

export interface Target {
  /** As the file says it; for the operator alone. */
  label: string
  /** `http://host:port`, lower case, default ports left out: what an absolute Location of it begins with. */
  origin: string
  weight: number
  /** Requests go through this; it is another one after its addresses changed, so keep no reference to it. */
  pool: Dispatcher
  /** Every request on a new connection: for the one repetition of a request that a reused connection lost. */
  fresh(): Dispatcher
  /** Requests that are under way at it. */
  inFlight: number
  /** Ends all connections. */
  close(): Promise<void>
}

export interface TargetOptions {
  settings: UpstreamSettings
  /** Where the bundled services listen. */
  builtinTargets: ReadonlyMap<string, { socketPath: string }>
}

/** Nothing connects before the first request. Throws Error for an unknown bundled service, or TLS that cannot be used. */
export function createTarget(one: TargetSettings, { settings, builtinTargets }: TargetOptions): Target {
  const { origin, socketPath, label } = whereIs(one, settings.name, builtinTargets)
  const connect = connector({ connectMs: settings.connectMs, tls: settings.tls, socketPath, lookup: undefined })
  const poolOptions = { connections: settings.connections, connect, allowH2: false, maxHeaderSize: 32_768 }
  const pool = new Pool(origin, { ...poolOptions, pipelining: 1 })
  let freshPool: Pool | undefined
  return {
    ...{ label, origin, weight: one.weight, pool, inFlight: 0 },
    fresh() {
      freshPool ??= new Pool(origin, { ...poolOptions, pipelining: 0 })
      return freshPool
    },
    close: async () => {
      await Promise.all([pool.destroy(), freshPool?.destroy()])
    },
  }
}

function whereIs(one: TargetSettings, upstream: string, builtinTargets: TargetOptions['builtinTargets']) {
  switch (one.kind) {
    case 'url':
      return { origin: new URL(one.origin).origin, socketPath: undefined, label: `${one.origin}${one.basePath}` }
    case 'unix':
      return { origin: 'http://localhost', socketPath: one.socketPath, label: `unix:${one.socketPath}` }
    case 'builtin': {
      const builtin = builtinTargets.get(one.service)
      if (builtin === undefined) throw new Error(`upstream ${upstream}: there is no bundled service ${one.service}`)
      return { origin: `http://${one.service}`, socketPath: builtin.socketPath, label: `builtin:${one.service}` }
    }
  }
}
