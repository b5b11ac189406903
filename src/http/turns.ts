// What may come in hundreds at once, and costs the processor about a millisecond each, begins one at a time: handshakes, and
// requests that waited in a pipeline. Between two of them the event loop does its other work, and clients take turns, so that
// nobody's burst keeps others waiting.

import type { Socket } from 'node:net'
import { plainAddress } from './client-address.js'
import { announcedAddress } from './proxy-protocol.js'

/** Calls `begin` at once when nothing has begun in this turn of the event loop, else when its client's turn has come. */
export type TakeTurn<Client> = (client: Client, begin: () => void) => void

/** Clients are addresses, or what these stand for by `groupOf`. */
export function createSocketTurns(groupOf: (address: string) => string): TakeTurn<Socket> {
  const takeTurn = createTurns()
  return (socket, begin) =>
    takeTurn(groupOf(announcedAddress(socket) ?? plainAddress(socket.remoteAddress ?? '')), begin)
}

/** What waits is bounded by the connections that there may be, each with one handshake or one request. */
export function createTurns(): TakeTurn<string> {
  const waiting = new Map<string, (() => void)[]>()
  let isTaken = false
  const next = (): void => {
    const [first] = waiting
    if (first === undefined) {
      isTaken = false
      return
    }
    const [client, queue] = first
    const begin = queue.shift()
    // Behind all others, if it waits for more.
    waiting.delete(client)
    if (queue.length > 0) waiting.set(client, queue)
    setImmediate(next)
    begin?.()
  }
  return (client, begin) => {
    if (!isTaken) {
      isTaken = true
      setImmediate(next)
      begin()
      return
    }
    const queue = waiting.get(client)
    if (queue === undefined) waiting.set(client, [begin])
    else queue.push(begin)
  }
}
