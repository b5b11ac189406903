// A request as it is written to a target, HTTP/1.1 and nothing else. Its fields come from clients, so what could end a
// line or frame a body is refused here once more, wherever it was looked at before.

import type { Readable } from 'node:stream'
import { errors } from 'undici'

/** A request to a target. */
export interface TargetRequest {
  method: string
  /** With the query. */
  path: string
  /** Name, value, name, value …; the fields of the connection itself are none of them. */
  headers: string[]
  /** A stream is sent in chunks, unless `headers` say its length. */
  body: Readable | Buffer | null
  /** Milliseconds; 0: for as long as it takes. */
  headersTimeout: number
  bodyTimeout: number
}

export interface RequestHead {
  /** Lines with their ends, up to what frames the body. */
  text: string
  /** Of the body, as `headers` say; undefined: they do not. */
  length: number | undefined
}

/** These say what happens to the connection, or where a body ends: only the client itself writes them. */
const refused = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'expect',
])

/**
 * Names that were found sound, in whatever letters, each with how its line begins behind the one before. Bounded:
 * clients send any.
 */
const soundNames = new Map<string, string>()
const mostNames = 2_000
const longestName = 64

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const outsideValue = /[^\t\x20-\x7e\x80-\xff]/
const outsideTarget = /[^\x21-\x7e\x80-\xff]/

/** Throws InvalidArgumentError for what no such request may contain. */
export function requestHead({ method, path, headers }: TargetRequest, host: string, isKept: boolean): RequestHead {
  if (!token.test(method) || path === '' || outsideTarget.test(path)) throw invalid('request line')
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${isKept ? 'keep-alive' : 'close'}`
  let length: number | undefined
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string
    const value = headers[i + 1] as string
    if (!isSoundValue(value)) throw invalid('header value')
    const start = soundNames.get(name) ?? soundStart(name)
    if (start !== undefined) text += start + value
    else if (length === undefined && isLength(name, value)) length = Number(value)
    else throw invalid('header name')
  }
  return { text: `${text}\r\n`, length }
}

/** The last long value that was found sound: the identity of a caller goes along with each of their requests. */
let soundLong = ''
const leastLong = 256

function isSoundValue(value: string): boolean {
  if (value.length < leastLong) return !outsideValue.test(value)
  if (value === soundLong) return true
  if (outsideValue.test(value)) return false
  soundLong = value
  return true
}

function soundStart(name: string): string | undefined {
  const lower = name.toLowerCase()
  if (!token.test(name) || refused.has(lower) || lower === 'content-length') return undefined
  const start = `\r\n${name}: `
  if (soundNames.size < mostNames && name.length <= longestName) soundNames.set(name, start)
  return start
}

function isLength(name: string, value: string): boolean {
  return name.toLowerCase() === 'content-length' && /^[0-9]{1,15}$/.test(value)
}

/** Methods whose requests have a body, if only an empty one (RFC 9110 §8.6). */
const bodied = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH'])

/** Whether servers expect a body of it: others may leave one unread, and read it as the next request. */
export function expectsBody(method: string): boolean {
  return bodied.has(method)
}

function invalid(what: string): Error {
  return new errors.InvalidArgumentError(`invalid ${what}`)
}
