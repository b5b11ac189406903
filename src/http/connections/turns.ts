// What may come in hundreds at once, and costs the processor about a millisecond each, begins one at a time:
// handshakes, and requests that waited in a pipeline. Between two of them the event loop does its other work, and
// clients take turns, so that nobody's burst keeps others waiting.

import type { Socket } from 'node:net'
import { plainAddress } from '../requests/client-address.js'
import { announcedAddress } from '../tls/proxy-protocol.js'

/**
 * Calls `begin` at once when nothing has begun in this turn of the event loop, else when its client's turn has come.
 */
export type TakeTurn<Client> = (client: Client, begin: () => void) => void

/**
 * Whose turn it is: `address`, or what it stands for; those of one `network` have the turns of one client between them.
 */
export interface TurnTaker {
  address: string
  network?: string | undefined
}

/** `takerOf` says whom an address stands for. */
export function createSocketTurns(takerOf: (address: string) => TurnTaker): TakeTurn<Socket> {
  const takeTurn = createTurns()
  return (socket, begin) =>
    takeTurn(takerOf(announcedAddress(socket) ?? plainAddress(socket.remoteAddress ?? '')), begin)
}

/** What waits is bounded by the connections that there may be, each with one handshake or one request. */
export function createTurns(): TakeTurn<TurnTaker> {
  const waiting = new Map<string, Map<string, (() => void)[]>>()
  let isTaken = false
  const next = (): void => {
    const [first] = waiting
    if (first === undefined) {
      isTaken = false
      return
    }
    const [network, clients] = first
    const [[address, queue]] = clients as unknown as [[string, (() => void)[]]]
    const begin = queue.shift()
    // Behind all others, if it waits for more.
    clients.delete(address)
    if (queue.length > 0) clients.set(address, queue)
    waiting.delete(network)
    if (clients.size > 0) waiting.set(network, clients)
    setImmediate(next)
    begin?.()
  }
  return ({ address, network = address }, begin) => {
    if (!isTaken) {
      isTaken = true
      setImmediate(next)
      begin()
      return
    }
    const clients = waiting.get(network) ?? new Map<string, (() => void)[]>()
    waiting.set(network, clients)
    const queue = clients.get(address)
    if (queue === undefined) clients.set(address, [begin])
    else queue.push(begin)
  }
}
