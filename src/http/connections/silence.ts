// How long connections may be silent, looked at for all of them together, once a second each. Node has a timer for each
// connection, makes another one twice for each request, and sets it back with each read and write; that costs more than
// routing the request. Here setting a limit is an assignment, and whether a connection was silent is read from its
// counted bytes. A connection is never ended before its time, and at most two looks after it.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const longestLookMs = 1_000
const slots = 8

interface Watched {
  socket: Socket
  /** 0: it may be silent for as long as it likes. */
  limitMs: number
  /** Since when nothing has been seen of it, by performance.now(). */
  since: number
  /** What had been read, written, and not yet taken by the other side when it was last looked at. */
  read: number
  written: number
  waiting: number
}

/**
 * From now on `socket.setTimeout` of each new connection of `servers` sets such a limit, and `timeout` is emitted as
 * Node does. Call it before they listen; `leastMs` is the shortest limit that is used.
 */
export function watchSilence(servers: readonly Server[], leastMs: number): void {
  const lookMs = Math.max(40, Math.min(longestLookMs, leastMs / 4))
  const watched = Array.from({ length: slots }, () => new Set<Watched>())
  let open = 0
  let begun = 0
  let next = 0
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const now = performance.now()
    next = (next + 1) % slots
    for (const each of watched[next] as Set<Watched>) lookAt(each, now)
  }
  const watch = (socket: Socket) => {
    if (socket.destroyed) return
    const slot = watched[begun % slots] as Set<Watched>
    const one: Watched = { socket, limitMs: 0, since: performance.now(), read: 0, written: 0, waiting: 0 }
    slot.add(one)
    begun += 1
    open += 1
    timer ??= setInterval(look, lookMs / slots).unref()
    socket.once('close', () => {
      slot.delete(one)
      open -= 1
      if (open > 0) return
      clearInterval(timer)
      timer = undefined
    })
    // One that it may have already.
    socket.setTimeout(0)
    socket.setTimeout = (ms: number, listener?: () => void) => {
      one.limitMs = ms
      one.since = performance.now()
      ;(socket as { timeout?: number }).timeout = ms
      if (listener !== undefined) socket.once('timeout', listener)
      return socket
    }
  }
  for (const server of servers) server.prependListener(isTls(server) ? 'secureConnection' : 'connection', watch)
}

/** Connections of a server with TLS begin when the handshake is over. */
function isTls(server: Server): boolean {
  return 'setSecureContext' in server
}

function lookAt(one: Watched, now: number): void {
  const { socket, limitMs } = one
  if (limitMs === 0) return
  const { bytesRead, bytesWritten, writableLength } = socket
  if (bytesRead !== one.read || bytesWritten !== one.written || writableLength !== one.waiting) {
    one.read = bytesRead
    one.written = bytesWritten
    one.waiting = writableLength
    one.since = now
  } else if (now - one.since >= limitMs) {
    one.since = now
    socket.emit('timeout')
  }
}
