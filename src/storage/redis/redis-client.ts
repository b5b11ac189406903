// A client of the library for each way to reach Redis, set so that nothing waits: no queue while there is no
// connection, no command sent again by itself, every attempt bounded.

import type { ConnectionOptions } from 'node:tls'
import { Cluster, type RedisOptions as LibraryOptions, Redis } from 'ioredis'
import type { RedisTarget } from './redis-url.js'

export type RedisClient = Redis | Cluster

export interface ClientTimes {
  /** Milliseconds for one command; undefined for a connection whose commands block. */
  commandMs: number | undefined
  /** Milliseconds to connect. */
  connectMs: number
}

/** What a node of a Cluster may be told, and any other server too. */
type CommonOptions = Pick<
  LibraryOptions,
  | 'username'
  | 'password'
  | 'tls'
  | 'connectionName'
  | 'commandTimeout'
  | 'connectTimeout'
  | 'disconnectTimeout'
  | 'lazyConnect'
  | 'maxRetriesPerRequest'
  | 'autoResendUnfulfilledCommands'
  | 'maxLoadingRetryTime'
  | 'disableClientInfo'
  | 'keepAlive'
>

/** What Sentinels are told, where that is not what Redis is told. */
export interface SentinelAccess {
  user: string | undefined
  /** Undefined: that of the URL. */
  password: string | undefined
  tls: 'as-redis' | 'on' | 'off'
}

const longestDelayMs = 500
/** How long a closed connection may linger before its socket is destroyed. */
const disconnectMs = 100

/** A client that is not connected yet. `ca` is PEM; certificates are always verified. `name` is seen in CLIENT LIST. */
export function createRedisClient(
  target: RedisTarget,
  times: ClientTimes,
  options: { ca: string | undefined; name: string; sentinel?: SentinelAccess | undefined },
): RedisClient {
  const tls = tlsOptions(target, options.ca)
  const common: CommonOptions = {
    ...commonOptions(target, times),
    connectionName: options.name,
    ...(tls === undefined ? {} : { tls }),
  }
  if (target.kind === 'cluster') return clusterClient(target, common, times)
  const standalone = { ...common, db: target.db, enableOfflineQueue: false, retryStrategy: delay, family: 0 }
  if (target.kind === 'standalone') return new Redis({ ...standalone, ...target.hosts[0] })
  return new Redis({
    ...standalone,
    sentinels: [...target.hosts],
    name: target.primaryName,
    ...sentinelOptions(target, options),
    ...(tls === undefined ? {} : { enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: delay,
    sentinelCommandTimeout: times.connectMs,
    updateSentinels: true,
  })
}

/** How a Sentinel is spoken to. */
export function sentinelOptions(
  target: RedisTarget,
  { ca, sentinel }: { ca: string | undefined; sentinel?: SentinelAccess | undefined },
): Pick<LibraryOptions, 'sentinelUsername' | 'sentinelPassword' | 'sentinelTLS'> {
  const { user, password = target.password, tls = 'as-redis' } = sentinel ?? {}
  const isProtected = tls === 'as-redis' ? target.tls : tls === 'on'
  return {
    ...(user === undefined ? {} : { sentinelUsername: user }),
    // A Sentinel without a password takes any for its default user.
    ...(password === undefined ? {} : { sentinelPassword: password }),
    ...(isProtected ? { sentinelTLS: verified(ca) } : {}),
  }
}

function commonOptions(target: RedisTarget, times: ClientTimes): CommonOptions {
  return {
    ...(target.username === undefined ? {} : { username: target.username }),
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(times.commandMs === undefined ? {} : { commandTimeout: times.commandMs }),
    connectTimeout: times.connectMs,
    disconnectTimeout: disconnectMs,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    maxLoadingRetryTime: longestDelayMs,
    disableClientInfo: true,
    keepAlive: 10_000,
  }
}

function clusterClient(target: RedisTarget, common: CommonOptions, times: ClientTimes): Cluster {
  return new Cluster([...target.hosts], {
    redisOptions: common,
    enableOfflineQueue: false,
    lazyConnect: true,
    clusterRetryStrategy: delay,
    slotsRefreshTimeout: times.connectMs,
    slotsRefreshInterval: 10_000,
    maxRedirections: 3,
    // A command whose connection closed may have been done: it is not sent again (decision 0044).
    retryDelayOnFailover: 0,
    // Names stay names, so that certificates are verified for them.
    ...(target.tls ? { dnsLookup: (address, callback) => callback(null, address) } : {}),
  })
}

/** For a server of the URL; undefined without TLS. */
export function tlsOptions(target: RedisTarget, ca: string | undefined): ConnectionOptions | undefined {
  return target.tls ? verified(ca) : undefined
}

function verified(ca: string | undefined): ConnectionOptions {
  return { rejectUnauthorized: true, minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) }
}

/** Soon at first, then twice a second, and never all instances in step. */
function delay(attempts: number): number {
  const longest = Math.min(longestDelayMs, 20 * 2 ** Math.min(attempts - 1, 10))
  return Math.round(longest * (0.5 + Math.random() / 2))
}
