// Handshakes begin one at a time. Each costs the processor about a millisecond, and hundreds may come at once: between two of
// them the event loop does its other work, and clients take turns, so that nobody's burst keeps others from connecting.

/** Calls `begin` at once when no handshake has begun in this turn of the event loop, else when its client's turn has come. */
export type TakeTurn = (client: string, begin: () => void) => void

/** `client`: whom turns are given to, such as an address. What waits is bounded by the connections that there may be. */
export function createTurns(): TakeTurn {
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
