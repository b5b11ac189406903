// Where the lines of the log go, whatever becomes of it: a disk that is full, a pipe that nobody reads or that was
// closed. Requests never wait for the log and never fail with it; a line that cannot be written is dropped and counted.
// A line is written at once; those that follow it in the same turn of the event loop are written together at the turn's
// end.

import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { LogStream } from './log.js'
import { named } from './named-work.js'

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
  return { write: gathered((text) => named('log', () => write(text))), isTTY: stream.isTTY === true }
}

/** Writes whole lines. */
type Writer = (text: string) => void

function gathered(write: Writer): Writer {
  let turn: NodeJS.Immediate | undefined
  let waiting = ''
  const flush = () => {
    turn = undefined
    if (waiting === '') return
    const text = waiting
    waiting = ''
    write(text)
  }
  process.once('exit', flush)
  return (line) => {
    if (turn !== undefined) waiting += line
    else {
      turn = setImmediate(flush)
      write(line)
    }
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1
}

/** A pipe or a terminal: Node keeps what a slow reader has not taken. */
function pipeWriter(pipe: Socket): Writer {
  let closed = false
  pipe.on('error', () => {
    closed = true
  })
  return (text) => {
    if (closed || pipe.writableLength > mostWaiting) dropped += linesIn(text)
    else pipe.write(text)
  }
}

/** A file: written past Node's stream, which never writes again once a write has failed. Space may come back. */
function fileWriter(fd: number): Writer {
  return (text) => {
    try {
      const bytes = Buffer.from(text)
      const written = writeSync(fd, bytes)
      // The line at which it broke off is not whole.
      if (written < bytes.length) dropped += linesIn(bytes.toString('utf8', written))
    } catch {
      dropped += linesIn(text)
    }
  }
}
