// An event stream (HTML, server-sent events) that passes event by event, some of them with other data. What is not
// changed goes on byte for byte, as soon as the event is whole.

import { isUtf8 } from 'node:buffer'

export interface EventRewriter {
  /** What may go on now. Throws RangeError when an event is larger than it may be, or no memory is left for it. */
  push(bytes: Buffer): Buffer
  /** What is left at the end, unfinished, changed as an event: some readers take it for one. */
  end(): Buffer
}

export interface EventMemory {
  /** The longest event, bytes. */
  mostBytes: number
  /** Sets so many more bytes aside for the event that is being collected; gives whether there is room. Always when absent. */
  grow?(bytes: number): boolean
  /** Gives so many back. */
  shrink?(bytes: number): void
}

const [lf, cr] = [0x0a, 0x0d]
/** What ends a line to some readers beside CR and LF (Python's splitlines), and the byte order mark, which some take off. */
const odd = /[^\P{Cc}\t]|[\u2028\u2029\ufeff]/u
const everyOdd = /[^\P{Cc}\t\n]|[\u2028\u2029\ufeff]/gu

/** `change` gives other data for an event, or undefined to leave it as it is. Data is JSON, or nothing. */
export function createEventRewriter(
  change: (data: string) => string | undefined,
  { mostBytes, grow = () => true, shrink = () => undefined }: EventMemory,
): EventRewriter {
  /** What came and is not whole, in `filled` bytes; the rest is room, so that small pieces are not copied again and again. */
  let held: Buffer = Buffer.alloc(0)
  let filled = 0
  let setAside = 0
  /** How far it was looked through for its end. */
  let looked = 0
  const add = (bytes: Buffer): void => {
    if (filled + bytes.length > held.length) {
      const larger = Buffer.alloc(Math.max(2 * held.length, filled + bytes.length))
      held.copy(larger, 0, 0, filled)
      held = larger
    }
    bytes.copy(held, filled)
    filled += bytes.length
  }
  const leave = (begin: number): void => {
    const rest = held.subarray(begin, filled)
    // A large event that has passed leaves its room to others.
    if (rest.length === 0 || 4 * rest.length < held.length) held = Buffer.from(rest)
    else if (begin > 0) held.copyWithin(0, begin, filled)
    filled -= begin
    looked = Math.max(0, filled - 4)
  }
  const settle = (): void => {
    const more = held.length - setAside
    if (more > 0 && !grow(more)) throw new RangeError('no memory is left for an event')
    if (more < 0) shrink(-more)
    setAside = held.length
  }
  return {
    push(bytes) {
      add(bytes)
      const all = held.subarray(0, filled)
      const out: Buffer[] = []
      let begin = 0
      for (let end = endOfEvent(all, looked); end !== undefined; end = endOfEvent(all, begin)) {
        out.push(rewritten(all.subarray(begin, end), change))
        begin = end
      }
      // Copied before what it may be part of moves.
      const passed = Buffer.concat(out)
      leave(begin)
      settle()
      if (filled > mostBytes) throw new RangeError('an event is too large')
      return passed
    },
    end() {
      const rest = held.subarray(0, filled)
      held = Buffer.alloc(0)
      filled = 0
      settle()
      return rest.length === 0 ? rest : rewritten(rest, change)
    },
  }
}

/**
 * Behind the empty line that ends the first event: two ends of lines in a row, each CR LF, LF or CR. A CR at the very
 * end may still become CR LF, so it waits.
 */
function endOfEvent(bytes: Buffer, from: number): number | undefined {
  let isEmpty = false
  for (let i = from; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte !== lf && byte !== cr) {
      isEmpty = false
      continue
    }
    if (byte === cr && i + 1 === bytes.length) return undefined
    if (byte === cr && bytes[i + 1] === lf) i++
    if (isEmpty) return i + 1
    isEmpty = true
  }
  return undefined
}

/**
 * As it came where all readers find the same lines in it; else of its known fields, so that a line which this reader
 * passes over is none that another one takes for data.
 */
function rewritten(event: Buffer, change: (data: string) => string | undefined): Buffer {
  const text = event.toString()
  // Of a stream that begins with a byte order mark, readers take it off.
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const data = lines.filter(isData).map((line) => line.slice(5).replace(/^ /, ''))
  const changed = data.length === 0 ? undefined : change(data.join('\n'))
  const isPlain =
    isUtf8(event) && lines.every((line) => /^(?:$|:)/.test(line) || isField(line)) && !odd.test(lines.join())
  if (changed === undefined && isPlain && !text.startsWith('\uFEFF')) return event
  const others = lines.filter((line) => isField(line) && !isData(line) && !odd.test(line))
  const shown = data.length === 0 ? [] : withEscapes(changed ?? data.join('\n')).split('\n')
  const kept = [...others, ...shown.map((line) => `data: ${line}`)]
  return Buffer.from(kept.length === 0 ? '' : `${kept.join('\n')}\n\n`)
}

/** HTML, server-sent events, §9.2.6. */
function isField(line: string): boolean {
  return /^(?:data|event|id|retry)(?::|$)/.test(line)
}

function isData(line: string): boolean {
  return line === 'data' || line.startsWith('data:')
}

/** They stand in texts of JSON only, where an escape is the same. Throws RangeError for one that JSON has nowhere. */
function withEscapes(data: string): string {
  return data.replace(everyOdd, (character) => {
    const code = character.charCodeAt(0)
    if (code < 0x20) throw new RangeError('some readers end a line within the data of an event')
    return `\\u${code.toString(16).padStart(4, '0')}`
  })
}
