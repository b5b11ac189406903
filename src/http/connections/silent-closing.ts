// Closes connections on which nothing was ever sent, a few in each turn: browsers and pools open them ahead, and
// hundreds of them can come to their time at the same moment.

import type { Socket } from 'node:net'

const inATurn = 20

/** Closes each without an answer: a 408 would be taken for the answer to a request that crosses it. */
export function createSilentClosing(): (socket: Socket) => void {
  const waiting: Socket[] = []
  const close = () => {
    for (const socket of waiting.splice(0, inATurn)) socket.destroy()
    if (waiting.length > 0) setImmediate(close)
  }
  return (socket) => {
    waiting.push(socket)
    if (waiting.length === 1) setImmediate(close)
  }
}
