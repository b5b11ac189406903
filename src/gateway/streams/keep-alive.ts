// Connections on which nothing may be said for long: no clock ends them, the kernel asks whether the other end is still
// there.

import type { Socket } from 'node:net'

/** How long a silent connection is believed. Ten probes a second apart then end one that nobody answers on. */
const probeAfterMs = 30_000

/**
 * From now on `socket` may be silent; of a connection of HTTP until its next request, for which Node sets the time
 * anew.
 */
export function keepAlive(socket: Socket): Socket {
  return socket.setTimeout(0).setKeepAlive(true, probeAfterMs)
}
