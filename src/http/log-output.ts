// Where the lines of the log go, whatever becomes of it: a disk that is full, a pipe that nobody reads or that was closed.
// Requests never wait for the log and never fail with it; a line that cannot be written is dropped and counted.

import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { LogStream } from './log.js'

/** How many bytes may wait for a slow reader. */
const mostWaiting = 4 * 1024 * 1024

/** Of process.stdout, what is needed here. */
export type LogTarget = NodeJS.WritableStream & { fd: number; isTTY?: boolean }

let dropped = 0

/** Lines that this process could not write so far. */
export function droppedLogLines(): number {
  return dropped
}

/** Standard output, or a stream in its place, as a destination that never throws and never grows without bound. */
export function logOutput(stream: LogTarget = process.stdout): LogStream {
  const write = stream instanceof Socket ? pipeWriter(stream) : fileWriter(stream.fd)
  return { write, isTTY: stream.isTTY === true }
}

/** A pipe or a terminal: Node keeps what a slow reader has not taken. */
function pipeWriter(pipe: Socket): (line: string) => void {
  let closed = false
  pipe.on('error', () => {
    closed = true
  })
  return (line) => {
    if (closed || pipe.writableLength > mostWaiting) dropped++
    else pipe.write(line)
  }
}

/** A file: written past Node's stream, which never writes again once a write has failed. Space may come back. */
function fileWriter(fd: number): (line: string) => void {
  return (line) => {
    try {
      if (writeSync(fd, line) < Buffer.byteLength(line)) dropped++
    } catch {
      dropped++
    }
  }
}
