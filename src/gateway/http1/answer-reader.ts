// Answers out of bytes as they arrive, however they are cut: one head after the other, its body in pieces, its
// trailers. What was given to `read` is used by others when it returns: what waits is a copy, and so is what anybody
// keeps of a body.

import { errors } from 'undici'
import { type AnswerHead, notHttp, readChunkSize, readHead, readTrailers } from './answer-grammar.js'

/** Of a head, and of trailers. */
const mostHeadBytes = 32_768
/** Of the line before a chunk. */
const mostLineBytes = 1_024

const lineEnd = Buffer.from('\r\n')
const headEnd = Buffer.from('\r\n\r\n')
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** What an answer consists of, in order. `head` and `data` give whether more may come; else it comes after `resume`. */
export interface AnswerParts {
  /** The first byte of a head. */
  answering(): void
  head(head: AnswerHead): boolean
  /** `chunk` lies in memory that is used for others afterwards. */
  data(chunk: Buffer): boolean
  /** The last part; nothing may follow it. */
  end(trailers: string[] | null): void
}

type State = 'head' | 'length' | 'close' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers' | 'over'

/** A class, because it remembers where it stands. It throws whatever its parts throw, and HTTPParserError. */
export class AnswerReader {
  readonly #parts: AnswerParts
  #state: State = 'over'
  #method = ''
  #left = 0
  /** The beginning of a line or head whose end has not come, and how far it goes. */
  #held: Buffer | undefined
  #heldLength = 0
  /** What could not be passed on yet. */
  #waiting: Buffer | undefined
  #isPaused = false

  constructor(parts: AnswerParts) {
    this.#parts = parts
  }

  get isOver(): boolean {
    return this.#state === 'over'
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Whether anything of the answer has come; interim ones are forgotten. */
  get hasHead(): boolean {
    return this.#state !== 'head'
  }

  /** An answer to a request of this method comes next. */
  expect(method: string): void {
    this.#state = 'head'
    this.#method = method
    this.#isPaused = false
    this.#held = undefined
    this.#heldLength = 0
    this.#waiting = undefined
  }

  /** Nothing is expected any more. */
  forget(): void {
    this.#state = 'over'
    this.#held = undefined
    this.#waiting = undefined
  }

  /** Gives whether more may be read now. */
  read(bytes: Buffer): boolean {
    let rest: Buffer | undefined = bytes
    while (rest !== undefined && rest.length > 0) {
      if (this.#isPaused) {
        const before: Buffer | undefined = this.#waiting
        this.#waiting = before === undefined ? Buffer.from(rest) : Buffer.concat([before, rest])
        return false
      }
      rest = this.#step(rest)
    }
    return !this.#isPaused
  }

  /** Goes on with what waits. Gives whether more may be read now. */
  resume(): boolean {
    const waiting = this.#waiting
    this.#isPaused = false
    this.#waiting = undefined
    return waiting === undefined || this.read(waiting)
  }

  /** The other side says no more. Gives whether that ended the answer; else it was cut short. */
  finish(): boolean {
    if (this.#state !== 'close' || this.#waiting !== undefined) return false
    this.#end(null)
    return true
  }

  /** Takes something of `bytes`, and gives the rest. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes)
      case 'length':
      case 'chunk':
        return this.#readCounted(bytes)
      case 'close':
        this.#pass(bytes)
        return undefined
      case 'chunk size':
        return this.#readChunkSize(bytes)
      case 'chunk end':
        return this.#readChunkEnd(bytes)
      case 'trailers':
        return this.#readTrailers(bytes)
      case 'over':
        throw new errors.SocketError('bytes behind the answer')
    }
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    if (this.#heldLength === 0) this.#parts.answering()
    const found = this.#upTo(headEnd, bytes, mostHeadBytes)
    if (found === undefined) {
      checkBeginning(this.#heldBytes())
      return undefined
    }
    const head = readHead(found.text, this.#method)
    if (head.status < 200) this.#parts.head(head)
    else this.#begin(head)
    return found.rest
  }

  #begin(head: AnswerHead): void {
    const { framing, length } = head
    this.#left = length
    this.#state = stateAfter[framing]
    const mayGoOn = this.#parts.head(head)
    if (framing === 'none' || (framing === 'length' && length === 0)) this.#end(null)
    else this.#isPaused = !mayGoOn
  }

  #readCounted(bytes: Buffer): Buffer | undefined {
    const isAll = bytes.length >= this.#left
    const part = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
    this.#left -= part.length
    const isChunk = this.#state === 'chunk'
    if (this.#left === 0 && isChunk) this.#state = 'chunk end'
    this.#pass(part)
    if (!isAll) return undefined
    if (this.#left === 0 && !isChunk) this.#end(null)
    return part === bytes ? undefined : bytes.subarray(part.length)
  }

  #readChunkSize(bytes: Buffer): Buffer | undefined {
    const found = this.#upTo(lineEnd, bytes, mostLineBytes)
    if (found === undefined) return undefined
    this.#left = readChunkSize(found.text.slice(0, -2))
    this.#state = this.#left === 0 ? 'trailers' : 'chunk'
    return found.rest
  }

  #readChunkEnd(bytes: Buffer): Buffer | undefined {
    const length = this.#heldLength + bytes.length
    if (this.#byteAt(0, bytes) !== carriageReturn) throw notHttp('chunk end', 'STRICT')
    if (length === 1) {
      this.#hold(bytes)
      return undefined
    }
    if (this.#byteAt(1, bytes) !== lineFeed) throw notHttp('chunk end', 'STRICT')
    const rest = bytes.subarray(lineEnd.length - this.#heldLength)
    this.#drop()
    this.#state = 'chunk size'
    return rest
  }

  /** One line at a time: an empty one is the end, also of none. */
  #readTrailers(bytes: Buffer): Buffer | undefined {
    const held = this.#heldLength
    if (held + bytes.length < lineEnd.length) {
      this.#hold(bytes)
      return undefined
    }
    const [first, second] = [this.#byteAt(0, bytes), this.#byteAt(1, bytes)]
    if (first === carriageReturn && second === lineFeed) {
      this.#drop()
      this.#end([])
      return bytes.subarray(lineEnd.length - held)
    }
    const found = this.#upTo(headEnd, bytes, mostHeadBytes)
    if (found === undefined) return undefined
    this.#end(readTrailers(found.text))
    return found.rest
  }

  /** Of what is held and `bytes` behind it. */
  #byteAt(index: number, bytes: Buffer): number | undefined {
    return index < this.#heldLength ? this.#held?.[index] : bytes[index - this.#heldLength]
  }

  #pass(part: Buffer): void {
    if (!this.#parts.data(part)) this.#isPaused = true
  }

  #end(trailers: string[] | null): void {
    this.#state = 'over'
    this.#isPaused = false
    this.#parts.end(trailers)
  }

  /**
   * What ends in `end`, as text with its first two bytes, and what follows; else `bytes` are held until it comes.
   * Throws when it would be longer than `most`.
   */
  #upTo(end: Buffer, bytes: Buffer, most: number): { text: string; rest: Buffer } | undefined {
    const before = this.#heldLength
    if (before === 0) {
      const at = bytes.indexOf(end)
      if (at !== -1) {
        if (at + end.length > most) throw tooLong()
        return { text: bytes.toString('latin1', 0, at + 2), rest: bytes.subarray(at + end.length) }
      }
    }
    this.#hold(bytes.length + before > most ? bytes.subarray(0, Math.max(0, most - before)) : bytes)
    const held = this.#heldBytes()
    const at = held.indexOf(end, Math.max(0, before - end.length + 1))
    if (at === -1) {
      if (bytes.length + before >= most) throw tooLong()
      return undefined
    }
    const text = held.toString('latin1', 0, at + 2)
    this.#drop()
    return { text, rest: bytes.subarray(at + end.length - before) }
  }

  #heldBytes(): Buffer {
    return (this.#held ?? noBytes).subarray(0, this.#heldLength)
  }

  /** Adds to what is held; room is doubled, so that bytes that come one by one cost no more than once each. */
  #hold(bytes: Buffer): void {
    const length = this.#heldLength + bytes.length
    const held = this.#held
    if (held === undefined || held.length < length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(512, 2 * length))
      held?.copy(larger, 0, 0, this.#heldLength)
      this.#held = larger
    }
    bytes.copy(this.#held as Buffer, this.#heldLength)
    this.#heldLength = length
  }

  #drop(): void {
    this.#held = undefined
    this.#heldLength = 0
  }
}

const noBytes = Buffer.alloc(0)

const stateAfter = { none: 'over', length: 'length', chunked: 'chunk size', close: 'close' } as const

function tooLong(): Error {
  return new errors.HeadersOverflowError()
}

/** Of a head that is not here yet: what it can no longer become is refused now, and not when somebody loses patience. */
function checkBeginning(bytes: Buffer): void {
  const start = bytes.toString('latin1', 0, 7)
  if (!'HTTP/1.'.startsWith(start)) throw notHttp('Expected HTTP/', 'INVALID_CONSTANT')
  for (let at = 7; at < bytes.length; at += 1) {
    const isEnd = bytes[at] === lineFeed
    if (isEnd !== (bytes[at - 1] === carriageReturn)) throw notHttp('line end', isEnd ? 'LF_EXPECTED' : 'CR_EXPECTED')
  }
}
