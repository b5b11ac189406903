// Ends a connection with a reset.

import type { Socket } from 'node:net'

/**
 * Resets it. One whose end is under way is closed instead: libuv refuses to reset it, and Node 20 then neither closes
 * it nor lets the process end.
 */
export function resetConnection(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy()
  else socket.resetAndDestroy()
}
