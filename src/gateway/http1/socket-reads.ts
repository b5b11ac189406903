// Bytes of all connections to targets come into one piece of memory, one read after the other, instead of 64 KB that are
// made for each read and given back later. Nothing may keep them: what is not written on at once is copied first.

import type { OnReadOpts, Socket } from 'node:net'

/** What a connection belongs to. */
export interface BytesTaker {
  /** `bytes` are its own for the moment only. Gives whether more may be read now. */
  take(bytes: Buffer): boolean
}

/** Opens a connection to `origin` with `sharedReads`. */
export type ConnectTarget = (origin: string, done: (error: Error | null, socket?: Socket | null) => void) => void

const takers = new WeakMap<object, BytesTaker>()
const incoming = Buffer.allocUnsafeSlow(65_536)

/** For `connect` of node:net and node:tls. What comes before somebody takes it is said to nobody, and ends it. */
export const sharedReads: OnReadOpts = {
  buffer: incoming,
  callback(this: Socket, length: number) {
    const taker = takers.get(this)
    if (taker !== undefined) return taker.take(incoming.subarray(0, length))
    this.destroy()
    return false
  },
}

/** What `socket`, which was opened with `sharedReads`, reads from now on is for `taker`. */
export function takeReads(socket: Socket, taker: BytesTaker): void {
  takers.set(socket, taker)
}
