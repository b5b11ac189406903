// How a connection to a target comes to stand, and what is told of one that failed.

import type { LookupFunction, OnReadOpts } from 'node:net'
import { createSecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import type { UpstreamTls } from '../../config/settings/upstream-settings.js'
import type { OwnPlaces } from './own-places.js'
import { withoutContinue } from './unasked-continue.js'

export interface ConnectOptions {
  connectMs: number
  tls: UpstreamTls
  /** Instead of an address: a Unix socket. */
  socketPath: string | undefined
  lookup: LookupFunction | undefined
  /** What no connection may lead to; undefined for a bundled service, which is a part of the server. */
  own: OwnPlaces | undefined
  /** Where bytes are read to; absent: the connection is one for undici, which reads it as a stream. */
  reads?: OnReadOpts
}

/** A target leads to the server itself. */
export class OwnPlaceReached extends Error {
  constructor(what: string) {
    super(`the target leads to ${what}, which no upstream may be`)
  }
}

const bytesRead = new WeakMap<Error, number>()
const neverStood = new WeakSet<Error>()

/**
 * Bytes that had been read on the connection that failed with `error`, if it failed by itself; 0 on a new connection.
 */
export function bytesReadBefore(error: Error): number {
  return bytesRead.get(error) ?? 0
}

/** Whether `error` says that there was never a connection, so that nothing of the request was sent. */
export function isConnectFailure(error: Error): boolean {
  return neverStood.has(error)
}

/**
 * `rejectUnauthorized` is said aloud: neither an environment variable nor another library's default may undo it (P2).
 * The name to verify is the target's, never one that a request says in its Host. Throws Error for a certificate that
 * cannot be used.
 */
export function connector({
  connectMs,
  tls,
  socketPath,
  lookup,
  own,
  reads,
}: ConnectOptions): buildConnector.connector {
  const { ca, cert, key, serverName } = tls
  const hasTls = ca !== undefined || cert !== undefined
  const connect = buildConnector({
    timeout: connectMs,
    rejectUnauthorized: true,
    // Slower everywhere (decision 0076).
    allowH2: false,
    ...(hasTls ? { secureContext: createSecureContext({ ca, cert, key: key?.reveal() }) } : {}),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(socketPath === undefined ? {} : { socketPath }),
    ...(lookup === undefined ? {} : { lookup }),
    ...(reads === undefined ? {} : { onread: reads }),
  })
  return (options, callback) => {
    const finish = (...result: Parameters<buildConnector.Callback>) => {
      const [error, socket] = result
      if (error !== null) neverStood.add(error)
      // Before the pool's own listener: how used the connection was is known only now.
      socket?.on('error', (failed) => bytesRead.set(failed, socket.bytesRead))
      if (socket && reads === undefined) withoutContinue(socket)
      callback(...result)
    }
    const file = socketPath === undefined ? undefined : own?.ofFile(socketPath)
    if (file !== undefined) return finish(new OwnPlaceReached(file), null)
    connect({ ...options, servername: '' }, (...result: Parameters<buildConnector.Callback>) => {
      const [error, socket] = result
      if (error !== null || own === undefined || socketPath !== undefined) return finish(...result)
      const settle = (what: string | undefined) => {
        const error = what === undefined ? undefined : new OwnPlaceReached(what)
        if (error === undefined && !socket.destroyed) return finish(null, socket)
        socket.destroy()
        finish(error ?? new Error('the connection ended as soon as it stood'), null)
      }
      void own.ofConnection(socket).then(settle, () => settle('an address that could not be looked at'))
    })
  }
}
