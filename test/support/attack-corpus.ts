// Reads test/attacks/corpus.txt and makes of each line the bytes that are sent for one route and one credential.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/config/package-root.js'

export interface Attack {
  section: 'targets' | 'headers' | 'framings' | 'requests'
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
}

/** A path that no credential may reach and no attack asks for: whoever asks for it took a body for a request. */
export const smuggledPath = '/open/smuggled'

/** All of them, in the file's order. Throws on a line that cannot be read. */
export function readCorpus(): Attack[] {
  const text = readFileSync(join(String(packageRoot()), 'test', 'attacks', 'corpus.txt'), 'utf8')
  const attacks: Attack[] = []
  let section: Attack['section'] | undefined
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const heading = /^\[(targets|headers|framings|requests)\]/.exec(line)?.[1]
    if (heading !== undefined) {
      section = heading as Attack['section']
      continue
    }
    const [, label, hope, template] = /^(.+?) \| (.+?) \| (.+)$/.exec(line) ?? []
    if (section === undefined || template === undefined) throw new Error(`cannot be read: ${line}`)
    attacks.push({ section, title: `${label}: ${hope}`, template })
  }
  return attacks
}

/** The bytes of an attack, as latin1. */
export function attackBytes({ section, template }: Attack, attempt: Attempt): string {
  const { method, path, head, token } = attempt
  const auth = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  const filled = fill(template, attempt, auth)
  switch (section) {
    case 'targets':
      return `${method} ${filled} HTTP/1.1\r\n${head}${auth}\r\n`
    case 'headers':
      return `${method} ${path} HTTP/1.1\r\n${head}${auth}${filled}\r\n\r\n`
    case 'framings':
      return `${method} ${path} HTTP/1.1\r\n${head}${auth}${filled}`
    case 'requests':
      return filled
  }
}

function fill(template: string, { method, path, head, token = 'no.token.here' }: Attempt, auth: string): string {
  const cut = path.lastIndexOf('/')
  const [parent, last] = [path.slice(0, cut), path.slice(cut + 1)]
  const smuggled = `GET ${smuggledPath} HTTP/1.1\r\n${head}\r\n`
  const values: Record<string, string> = {
    ...{ method, path, parent, last, head, auth, token, smuggled },
    marks: head.replace(/^Host: .*\r\n/, ''),
    upper: path.toUpperCase(),
    swapped: swapCase(last.charAt(0)) + last.slice(1),
    escaped: escapeAll(last, '%'),
    twice: escapeAll(last, '%25'),
    length: String(smuggled.length),
    hex: smuggled.length.toString(16),
    formlength: String(`access_token=${token}&_method=DELETE`.length),
    fields: Array.from({ length: 120 }, (_, i) => `X-Field-${i}: ${i}`).join('\r\n'),
  }
  return unescaped(template).replace(/\{(\w+)\}/g, (_, name: string) => {
    const known = values[name]
    if (known !== undefined) return known
    if (!/^x\d+$/.test(name)) throw new Error(`{${name}} is no placeholder`)
    return 'x'.repeat(Number(name.slice(1)))
  })
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
 * Every path that some service might take this target for: parameters and a fragment cut off or not, escapes undone once or
 * twice, then what is behind a NUL cut off, backslashes taken for slashes, dots and empty segments resolved, case forgotten.
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
