// The grammar of an answer's head and of what frames its body (RFC 9112), and nothing beside it: whatever two readers
// might read differently is refused, because one of them may stand on the other side of the gate.

import { errors } from 'undici'

/** How the end of a body is known. */
export type Framing = 'none' | 'length' | 'chunked' | 'close'

export interface AnswerHead {
  status: number
  /** Name, value, name, value … in latin1, as they came. */
  fields: string[]
  framing: Framing
  /** Bytes of the body, where `framing` is `length`. */
  length: number
  /** Whether another request may follow on the connection. */
  isKept: boolean
  /** What the target says of how long it keeps an idle connection, in seconds; undefined: nothing. */
  keepAliveSeconds: number | undefined
}

/** Field lines of one head, or of trailers. */
const mostFields = 1_000
/** Beyond it a number of bytes is not exact any more, and no body is that long. */
const mostDigits = 15

/** The answer is none that HTTP/1.1 knows; `code` is one that the log has words for. */
export function notHttp(why: string, code = 'INVALID'): Error {
  const error = new errors.HTTPParserError(`Response does not match the HTTP/1.1 protocol (${why})`)
  return Object.assign(error, { code: `HPE_${code}` })
}

const statusLine = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?\r\n/

type Kind = 'plain' | 'content-length' | 'transfer-encoding' | 'connection' | 'keep-alive'

interface Name {
  /** Flat: a part of a head would keep all of it in memory for as long as somebody remembers the name. */
  text: string
  kind: Kind
}

/** Names seen so far, in whatever letters; bounded, because a target may send any. */
const names = new Map<string, Name>()
const mostNames = 1_000
const longestName = 64

/** 1: may be in a name (RFC 9110 §5.6.2); 2: may be in a value; 3: both. */
const classes = classesOfBytes()

/**
 * Reads a head: its lines with their ends, without the empty one. `method` is the request's. Throws HTTPParserError for
 * anything but one.
 */
export function readHead(text: string, method: string): AnswerHead {
  const { status, minor, length } = readStatusLine(text)
  const said: Said = { length: undefined, isChunked: false, connection: '', keepAlive: '' }
  const fields = readFields(text, length, said)
  return framingOf(fields, said, { status, method, minor })
}

interface StatusLine {
  status: number
  minor: 0 | 1
  /** Of the line with its end. */
  length: number
}

/** The last one that was read: targets say the same again and again. */
let lastLine = ''
let lastRead: StatusLine = { status: 0, minor: 1, length: 0 }

function readStatusLine(text: string): StatusLine {
  if (lastLine !== '' && text.startsWith(lastLine)) return lastRead
  const start = statusLine.exec(text)
  if (start === null) throw notHttp('status line', text.startsWith('HTTP/1.') ? 'INVALID_STATUS' : 'INVALID_CONSTANT')
  const read: StatusLine = { status: Number(start[2]), minor: start[1] === '1' ? 1 : 0, length: start[0].length }
  if (read.length <= longestName) {
    lastLine = Buffer.from(start[0], 'latin1').toString('latin1')
    lastRead = read
  }
  return read
}

/** What a head says of its body and its connection. */
interface Said {
  length: number | undefined
  isChunked: boolean
  connection: string
  keepAlive: string
}

/** Reads trailers, lines with their ends. Throws HTTPParserError, also for what only a head may say. */
export function readTrailers(text: string): string[] {
  const said: Said = { length: undefined, isChunked: false, connection: '', keepAlive: '' }
  const fields = readFields(text, 0, said)
  if (said.length !== undefined || said.isChunked) throw notHttp('framing in trailers')
  return fields
}

/** RFC 9112 §5: name, colon, value, line end; no line goes on in the next one, and nothing stands before the colon. */
function readFields(text: string, from: number, said: Said): string[] {
  const fields: string[] = []
  for (let at = from; at < text.length; ) {
    const colon = endOf(text, at, 1)
    if (colon === at || text.charCodeAt(colon) !== 0x3a) throw notHttp('header field', 'INVALID_HEADER_TOKEN')
    const end = endOf(text, colon + 1, 2)
    if (text.charCodeAt(end) !== 0x0d || text.charCodeAt(end + 1) !== 0x0a) {
      throw notHttp('header value', 'INVALID_HEADER_TOKEN')
    }
    const name = nameOf(text.slice(at, colon))
    const value = trimmed(text, colon + 1, end)
    fields.push(name.text, value)
    if (name.kind !== 'plain') {
      // Where others would not take it for the space that it is, the answer ends elsewhere.
      if (text.charCodeAt(end - 1) === 0x09) throw notHttp('tab behind a value', 'INVALID_HEADER_TOKEN')
      note(name.kind, value, said)
    }
    at = end + 2
  }
  if (fields.length > 2 * mostFields) throw notHttp('too many header fields', 'HEADER_OVERFLOW')
  return fields
}

/** Where characters of a class end. */
function endOf(text: string, from: number, wanted: 1 | 2): number {
  let at = from
  while (at < text.length && ((classes[text.charCodeAt(at)] ?? 0) & wanted) !== 0) at += 1
  return at
}

/** Without the spaces and tabs around it. */
function trimmed(text: string, from: number, to: number): string {
  let start = from
  let end = to
  while (start < end && isSpace(text.charCodeAt(start))) start += 1
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function nameOf(slice: string): Name {
  const known = names.get(slice)
  if (known !== undefined) return known
  const text = Buffer.from(slice, 'latin1').toString('latin1')
  const name = { text, kind: kindOf(text.toLowerCase()) }
  if (names.size < mostNames && text.length <= longestName) names.set(text, name)
  return name
}

function kindOf(lower: string): Kind {
  switch (lower) {
    case 'content-length':
    case 'transfer-encoding':
    case 'connection':
    case 'keep-alive':
      return lower
    default:
      return 'plain'
  }
}

function note(kind: Exclude<Kind, 'plain'>, value: string, said: Said): void {
  if (kind === 'connection') said.connection = said.connection === '' ? value : `${said.connection},${value}`
  else if (kind === 'keep-alive') said.keepAlive = value
  else if (kind === 'content-length') {
    // Also when both say the same: joined they are a number that is none (RFC 9112 §6.3).
    if (said.length !== undefined) throw notHttp('several lengths', 'UNEXPECTED_CONTENT_LENGTH')
    if (!/^[0-9]+$/.test(value) || value.length > mostDigits) throw notHttp('length', 'INVALID_CONTENT_LENGTH')
    said.length = Number(value)
  } else {
    if (said.isChunked || !/^chunked$/i.test(value)) throw notHttp('coding', 'INVALID_TRANSFER_ENCODING')
    said.isChunked = true
  }
}

/** In doubt a connection is closed: what everybody reads as one word keeps it, what anybody does ends it. */
const saysClose = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i
const saysKeepAlive = /(?:^|,) *keep-alive *(?:,|$)/i

/** RFC 9112 §6.3, for the answers of origin servers. */
function framingOf(
  fields: string[],
  { length, isChunked, connection, keepAlive }: Said,
  { status, method, minor }: { status: number; method: string; minor: 0 | 1 },
): AnswerHead {
  if (isChunked && length !== undefined) throw notHttp('length and coding', 'UNEXPECTED_CONTENT_LENGTH')
  if (isChunked && minor === 0) throw notHttp('coding in HTTP/1.0', 'INVALID_TRANSFER_ENCODING')
  if (status < 200) {
    if (minor === 0) throw notHttp('interim answer in HTTP/1.0', 'INVALID_STATUS')
    if (isChunked || length !== undefined) throw notHttp('interim answer with a body', 'UNEXPECTED_CONTENT_LENGTH')
    return { status, fields, framing: 'none', length: 0, isKept: true, keepAliveSeconds: undefined }
  }
  const mayStay = minor === 1 ? !saysClose.test(connection) : saysKeepAlive.test(connection)
  const keepAliveSeconds = mayStay && keepAlive !== '' ? secondsIn(keepAlive) : undefined
  if (method === 'HEAD' || status === 204 || status === 304) {
    // A body that should not be there would be read as the next answer (RFC 9110 §8.6).
    if (status === 204 && (length ?? 0) > 0) throw notHttp('a body without content', 'UNEXPECTED_CONTENT_LENGTH')
    const isKept = mayStay && !(status === 204 && isChunked)
    return { status, fields, framing: 'none', length: 0, isKept, keepAliveSeconds }
  }
  if (isChunked) return { status, fields, framing: 'chunked', length: 0, isKept: mayStay, keepAliveSeconds }
  if (length !== undefined) return { status, fields, framing: 'length', length, isKept: mayStay, keepAliveSeconds }
  return { status, fields, framing: 'close', length: 0, isKept: false, keepAliveSeconds: undefined }
}

/** The last one that was read. */
let lastKeepAlive = ''
let lastSeconds: number | undefined

function secondsIn(keepAlive: string): number | undefined {
  if (keepAlive === lastKeepAlive) return lastSeconds
  const seconds = /timeout=([0-9]{1,9})/i.exec(keepAlive)?.[1]
  const read = seconds === undefined ? undefined : Number(seconds)
  if (keepAlive.length <= longestName) {
    lastKeepAlive = Buffer.from(keepAlive, 'latin1').toString('latin1')
    lastSeconds = read
  }
  return read
}

/** RFC 9112 §7.1, without the spaces that §7.1.1 calls bad. */
const chunkLine =
  /^([0-9A-Fa-f]{1,13})(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[\t !#-[\]-~]|\\[\t -~])*"))?)*$/

/** Bytes of the chunk that a line announces. Throws HTTPParserError. */
export function readChunkSize(line: string): number {
  const size = chunkLine.exec(line)?.[1]
  if (size === undefined) throw notHttp('chunk size', 'INVALID_CHUNK_SIZE')
  return Number.parseInt(size, 16)
}

function classesOfBytes(): Uint8Array {
  const made = new Uint8Array(256)
  for (let code = 0; code < 256; code += 1) {
    const isName = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(code)) && code < 128
    const isValue = code === 9 || (code >= 0x20 && code !== 0x7f)
    made[code] = (isName ? 1 : 0) | (isValue ? 2 : 0)
  }
  return made
}
