// Reads test/attacks/corpus.txt and makes of each line the bytes that are sent for one route and one credential.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../src/config/read/package-root.js'

const sections = ['targets', 'headers', 'framings', 'requests', 'handshakes', 'bodies', 'questions'] as const

export interface Attack {
  section: (typeof sections)[number]
  /** The advisory or RFC section, and what it hopes for. */
  title: string
  template: string
}

/** What is attacked, by whom. */
export interface Attempt {
  method: string
  path: string
  /** Header lines that every request here needs, and the one that says which attempt it is. */
  head: string
  token: string | undefined
  /** JSON that goes with attacks that are not about bodies. */
  body?: string | undefined
}

/** Header lines of a sound handshake of a WebSocket; its key is nobody else's. */
export const handshakeLines =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c29tZSBieXRlcyBvZiBtaQ==\r\n'

/** A path that no credential may reach and no attack asks for: anyone who asks for it took a body for a request. */
export const smuggledPath = '/open/smuggled'

/** All of them, in the file's order. Throws on a line that cannot be read. */
export function readCorpus(): Attack[] {
  const text = readFileSync(join(String(packageRoot()), 'test', 'attacks', 'corpus.txt'), 'utf8')
  const attacks: Attack[] = []
  let section: Attack['section'] | undefined
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const heading = /^\[(\w+)\]/.exec(line)?.[1]
    if (heading !== undefined) {
      section = sections.find((name) => name === heading)
      if (section === undefined) throw new Error(`[${heading}] is no section`)
      continue
    }
    const [, label, hope, template] = /^(.+?) \| (.+?) \| (.+)$/.exec(line) ?? []
    if (section === undefined || template === undefined) throw new Error(`cannot be read: ${line}`)
    attacks.push({ section, title: `${label}: ${hope}`, template })
  }
  return attacks
}

/** The bytes of an attack, as latin1. */
export function attackBytes(attack: Attack, attempt: Attempt): string {
  const { method, path, head, token } = attempt
  const auth = authOf(token)
  const filled = filledTemplate(attack, attempt)
  switch (attack.section) {
    case 'targets':
      return `${method} ${filled} HTTP/1.1\r\n${head}${auth}${ending(attempt)}`
    case 'headers':
    case 'questions':
      return `${method} ${path} HTTP/1.1\r\n${head}${auth}${filled}\r\n${ending(attempt)}`
    case 'framings':
    case 'handshakes':
      return `${method} ${path} HTTP/1.1\r\n${head}${auth}${filled}`
    case 'bodies': {
      const length = filled.length - filled.indexOf('\r\n\r\n') - 4
      return `${method} ${path} HTTP/1.1\r\n${head}${auth}Content-Length: ${length}\r\n${filled}`
    }
    case 'requests':
      return filled
  }
}

/** The line that holds the credential. */
export function authOf(token: string | undefined): string {
  return token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
}

function ending({ body }: Attempt): string {
  if (body === undefined) return '\r\n'
  return `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** The template with what it leaves open. */
export function filledTemplate({ template }: Attack, attempt: Attempt): string {
  return unescaped(template).replace(/\{(\w+)\}/g, (_, name: string) => {
    const known = values[name]
    if (known !== undefined) return known(attempt)
    if (!/^x\d+$/.test(name)) throw new Error(`{${name}} is no placeholder`)
    return 'x'.repeat(Number(name.slice(1)))
  })
}

const manyFields = Array.from({ length: 120 }, (_, i) => `X-Field-${i}: ${i}`).join('\r\n')

const values: Record<string, (attempt: Attempt) => string> = {
  method: ({ method }) => method,
  path: ({ path }) => path,
  parent: ({ path }) => path.slice(0, path.lastIndexOf('/')),
  last: lastOf,
  head: ({ head }) => head,
  marks: ({ head }) => head.replace(/^Host: .*\r\n/, ''),
  auth: ({ token }) => authOf(token),
  token: tokenOf,
  upper: ({ path }) => path.toUpperCase(),
  swapped: (attempt) => swapCase(lastOf(attempt).charAt(0)) + lastOf(attempt).slice(1),
  escaped: (attempt) => escapeAll(lastOf(attempt), '%'),
  twice: (attempt) => escapeAll(lastOf(attempt), '%25'),
  smuggled,
  length: (attempt) => String(smuggled(attempt).length),
  hex: (attempt) => smuggled(attempt).length.toString(16),
  formlength: (attempt) => String(`access_token=${tokenOf(attempt)}&_method=DELETE`.length),
  fields: () => manyFields,
  ask: () => handshakeLines,
}

function smuggled({ head }: Attempt): string {
  return `GET ${smuggledPath} HTTP/1.1\r\n${head}\r\n`
}

function lastOf({ path }: Attempt): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function tokenOf({ token = 'no.token.here' }: Attempt): string {
  return token
}

function unescaped(template: string): string {
  const letters: Record<string, string> = { r: '\r', n: '\n', t: '\t', '0': '\0', '\\': '\\' }
  return template.replace(/\\(x[0-9a-fA-F]{2}|.)/g, (whole, code: string) => {
    if (code.length === 3) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    const letter = letters[code]
    if (letter === undefined) throw new Error(`${whole} is no escape`)
    return letter
  })
}

function swapCase(letter: string): string {
  return letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()
}

function escapeAll(text: string, sign: string): string {
  return [...text].map((letter) => sign + letter.charCodeAt(0).toString(16)).join('')
}

/**
 * Every path that some service might take this target for: parameters and a fragment cut off or not, escapes undone
 * once or twice, then what is behind a NUL cut off, backslashes taken for slashes, dots and empty segments resolved,
 * case forgotten.
 */
export function liberalReadings(target: string): Set<string> {
  const path = target.replace(/^[a-z]+:\/\/[^/]*/i, '').split('?')[0] ?? ''
  const readings = new Set<string>()
  for (const first of [path, path.replace(/;[^/]*/g, ''), path.split('#')[0] ?? '']) {
    let text = first
    for (let depth = 0; depth < 3; depth += 1) {
      readings.add(resolved(text))
      readings.add(resolved(text.split('\0')[0] ?? ''))
      text = text.replace(/%([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    }
  }
  return readings
}

function resolved(path: string): string {
  const kept: string[] = []
  for (const segment of path.toLowerCase().replaceAll('\\', '/').split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') kept.pop()
    else kept.push(segment)
  }
  return `/${kept.join('/')}`
}
