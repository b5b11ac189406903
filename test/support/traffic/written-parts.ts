import type { Socket } from 'node:net'

/** Counts what is handed to the system for a connection; several pieces at once are one write of that many parts. */
export function countParts(socket: Socket): () => number {
  let parts = 0
  const { _write: write, _writev: writev } = socket
  socket._write = function (...given) {
    parts += 1
    return write.apply(this, given)
  }
  if (writev !== undefined) {
    socket._writev = function (chunks, done) {
      parts += (chunks as unknown as { length: number }).length
      return writev.call(this, chunks, done)
    }
  }
  return () => parts
}
