// A pass over the bytes of JSON that makes nothing of them: where members stand, and whether every reader takes all of it
// alike. It either vouches for the text or leaves it to the careful reader (gateway/validation/json-text.ts): anything
// unusual, such as an escape in a name, and anything wrong. It never vouches for what that reader would refuse (RFC 8259).

import { isUtf8 } from 'node:buffer'
import { escapeLength, skipEights } from './json-strings.js'

/** What is deeper, longer or wider is unusual. */
const deepest = 64
const longestName = 256
const widest = 32
const mostNames = 512
/**
 * How many bytes are read one by one before eights are tried: at the beginning of a string, and behind an escape or where
 * eights stopped. Most strings are short; one with an escape is more often long.
 */
const [bytesBeforeEights, bytesBetweenEights] = [48, 8] as const
/** Where the names of all open objects begin and end. Shared by all scans: a scan is synchronous, so two never overlap. */
const openNames = new Int32Array(2 * mostNames)

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a] as const
const [brace, endBrace, bracket, endBracket] = [0x7b, 0x7d, 0x5b, 0x5d] as const
const [minus, plus, dot, zero, nine] = [0x2d, 0x2b, 0x2e, 0x30, 0x39] as const

const words = { true: Buffer.from('true'), false: Buffer.from('false'), null: Buffer.from('null') }
/** A name that objects have by nature. */
const prototypeName = Buffer.from('__proto__"')

const anyMember = (scan: JsonScan<unknown>): boolean => scan.readNewName() && scan.readValue()

/**
 * At which byte it stands, and what it has seen: a class, because each byte would else be read through an object of
 * arguments. Each `read` gives whether it is sure, and then stands behind what it read. Behind one that was not sure the
 * scan is over; only readName, readThis and readDigits have not moved then, so that something else can be tried.
 */
export class JsonScan<Found> {
  readonly bytes: Buffer
  /** What was found in it so far, by those who read it. */
  readonly found: Found
  at = 0
  nameEnd = 0
  #depth = 0
  #hasOnlyAscii = true
  /** How many of `openNames` are taken, and from where on by the object that is read. */
  #named = 0
  #outer = 0
  #dataView: DataView | undefined

  constructor(bytes: Buffer, found: Found) {
    this.bytes = bytes
    this.found = found
  }

  /** Whether nothing but blanks follows, and what was read is UTF-8. */
  isAtEnd(): boolean {
    this.skipBlanks()
    return this.at === this.bytes.length && (this.#hasOnlyAscii || isUtf8(this.bytes))
  }

  /** Whether these bytes stand there. */
  standsAt(bytes: Buffer, from: number): boolean {
    for (let i = 0; i < bytes.length; i += 1) if (this.bytes[from + i] !== bytes[i]) return false
    return true
  }

  /** Whether these bytes are ASCII that can be seen, or blanks. */
  isPlain(from: number, to: number): boolean {
    for (let i = from; i < to; i += 1) {
      const byte = this.bytes[i] as number
      if (byte < 0x20 || byte > 0x7e) return false
    }
    return true
  }

  /** An object; `member` reads each of its members, from its name on. */
  readObject(member: (scan: JsonScan<Found>) => boolean): boolean {
    if (this.bytes[this.at] !== brace || this.#depth === deepest) return false
    const [outer, named] = [this.#outer, this.#named]
    this.#outer = named
    this.at += 1
    this.#depth += 1
    this.skipBlanks()
    let isOpen = this.bytes[this.at] !== endBrace
    if (!isOpen) this.at += 1
    while (isOpen) {
      if (!member(this)) return false
      this.skipBlanks()
      const next = this.bytes[this.at]
      if (next !== comma && next !== endBrace) return false
      this.at += 1
      isOpen = next === comma
      if (isOpen) this.skipBlanks()
    }
    this.#outer = outer
    this.#named = named
    this.#depth -= 1
    return true
  }

  /** The name of a member if it is this one, in its quotes; then stands at its value. Whether it is new is not looked at. */
  readName(quoted: Buffer): boolean {
    const from = this.at
    if (this.readThis(quoted) && this.#readColon()) return true
    // Else it would be passed over, and the next one read in its place.
    this.at = from
    return false
  }

  /** These bytes. */
  readThis(bytes: Buffer): boolean {
    if (!this.standsAt(bytes, this.at)) return false
    this.at += bytes.length
    return true
  }

  /** The name of a member that no other one of its object has; then stands at its value, and `nameEnd` behind the name. */
  readNewName(): boolean {
    const from = this.at + 1
    if (!this.readPlainString()) return false
    this.nameEnd = this.at - 1
    return this.#isNewName(from, this.nameEnd) && this.#readColon()
  }

  /** Any value. */
  readValue(): boolean {
    const first = this.bytes[this.at]
    if (first === quote) return this.#readString()
    if (first === brace) return this.readObject(anyMember)
    if (first === bracket) return this.#readList()
    if (first === 0x74) return this.readThis(words.true)
    if (first === 0x66) return this.readThis(words.false)
    if (first === 0x6e) return this.readThis(words.null)
    return this.#readNumber()
  }

  /** A string without an escape. */
  readPlainString(): boolean {
    if (this.bytes[this.at] !== quote) return false
    this.#readPlain(this.at + 1, bytesBeforeEights)
    if (this.bytes[this.at] !== quote) return false
    this.at += 1
    return true
  }

  /** At least one digit. */
  readDigits(): boolean {
    const from = this.at
    while (isDigit(this.bytes[this.at])) this.at += 1
    return this.at > from
  }

  skipBlanks(): void {
    let byte = this.bytes[this.at]
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      this.at += 1
      byte = this.bytes[this.at]
    }
  }

  #readList(): boolean {
    if (this.#depth === deepest) return false
    this.at += 1
    this.#depth += 1
    this.skipBlanks()
    let isOpen = this.bytes[this.at] !== endBracket
    if (!isOpen) this.at += 1
    while (isOpen) {
      if (!this.readValue()) return false
      this.skipBlanks()
      const next = this.bytes[this.at]
      if (next !== comma && next !== endBracket) return false
      this.at += 1
      isOpen = next === comma
      if (isOpen) this.skipBlanks()
    }
    this.#depth -= 1
    return true
  }

  #readString(): boolean {
    this.#readPlain(this.at + 1, bytesBeforeEights)
    for (;;) {
      const end = this.bytes[this.at]
      if (end === quote) {
        this.at += 1
        return true
      }
      if (end !== backslash) return false
      const length = escapeLength(this.bytes, this.at)
      if (length === 0) return false
      this.#readPlain(this.at + length, bytesBetweenEights)
    }
  }

  /** As far as characters stand for themselves; in eights after the `first` bytes. */
  #readPlain(from: number, first: number): void {
    const { bytes } = this
    let at = from
    let nextEights = from + first
    let seen = 0
    let byte = bytes[at] ?? 0
    while (byte >= 0x20 && byte !== quote && byte !== backslash) {
      seen |= byte
      at += 1
      if (at === nextEights) {
        at += skipEights(this.#view(), at)
        nextEights = at + bytesBetweenEights
      }
      byte = bytes[at] ?? 0
    }
    if (seen >= 0x80) this.#hasOnlyAscii = false
    this.at = at
  }

  #view(): DataView {
    this.#dataView ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length)
    return this.#dataView
  }

  /** Compared with each name of its object before it: there are few. */
  #isNewName(from: number, to: number): boolean {
    if (to - from > longestName || this.#named - this.#outer === widest || this.#named === mostNames) return false
    if (this.standsAt(prototypeName, from)) return false
    for (let i = 2 * this.#outer; i < 2 * this.#named; i += 2) {
      const [otherFrom, otherTo] = [openNames[i] as number, openNames[i + 1] as number]
      if (otherTo - otherFrom === to - from && isSame(this.bytes, otherFrom, from, to)) return false
    }
    openNames[2 * this.#named] = from
    openNames[2 * this.#named + 1] = to
    this.#named += 1
    return true
  }

  #readColon(): boolean {
    this.skipBlanks()
    if (this.bytes[this.at] !== colon) return false
    this.at += 1
    this.skipBlanks()
    return true
  }

  /** RFC 8259 §6. */
  #readNumber(): boolean {
    if (this.bytes[this.at] === minus) this.at += 1
    if (this.bytes[this.at] === zero) this.at += 1
    else if (!this.readDigits()) return false
    if (this.bytes[this.at] === dot) {
      this.at += 1
      if (!this.readDigits()) return false
    }
    const byte = this.bytes[this.at]
    if (byte !== 0x65 && byte !== 0x45) return true
    this.at += 1
    const sign = this.bytes[this.at]
    if (sign === plus || sign === minus) this.at += 1
    return this.readDigits()
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine
}

function isSame(bytes: Buffer, other: number, from: number, to: number): boolean {
  for (let i = to - from - 1; i >= 0; i -= 1) if (bytes[from + i] !== bytes[other + i]) return false
  return true
}
