// How a connection to a target comes to stand, and what is told of one that failed.

import type { LookupFunction } from 'node:net'
import { createSecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import type { UpstreamTls } from '../../config/upstream-settings.js'

export interface ConnectOptions {
  connectMs: number
  tls: UpstreamTls
  /** Instead of an address: a Unix socket. */
  socketPath: string | undefined
  lookup: LookupFunction | undefined
}

const bytesRead = new WeakMap<Error, number>()
const neverStood = new WeakSet<Error>()

/** Bytes that had been read on the connection that failed with `error`, if it failed by itself; 0 on a new connection. */
export function bytesReadBefore(error: Error): number {
  return bytesRead.get(error) ?? 0
}

/** Whether `error` says that there was never a connection, so that nothing of the request was sent. */
export function isConnectFailure(error: Error): boolean {
  return neverStood.has(error)
}

/**
 * `rejectUnauthorized` is said aloud: neither an environment variable nor another library's default may undo it (P2). The
 * name to verify is the target's, never one that a request says in its Host. Throws Error for a certificate that cannot
 * be used.
 */
export function connector({ connectMs, tls, socketPath, lookup }: ConnectOptions): buildConnector.connector {
  const { ca, cert, key, serverName } = tls
  const own = ca !== undefined || cert !== undefined
  const connect = buildConnector({
    timeout: connectMs,
    rejectUnauthorized: true,
    // Slower everywhere (decision 0076).
    allowH2: false,
    ...(own ? { secureContext: createSecureContext({ ca, cert, key: key?.reveal() }) } : {}),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(socketPath === undefined ? {} : { socketPath }),
    ...(lookup === undefined ? {} : { lookup }),
  })
  return (options, callback) =>
    connect({ ...options, servername: '' }, (...result: Parameters<buildConnector.Callback>) => {
      const [error, socket] = result
      if (error !== null) neverStood.add(error)
      // Before the pool's own listener: how used the connection was is known only now.
      socket?.on('error', (failed) => bytesRead.set(failed, socket.bytesRead))
      callback(...result)
    })
}
