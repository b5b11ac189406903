// Passwords that have leaked, in a file of the operator's (decision 0102): lines of a SHA-1 in hexadecimal, or the
// beginning of one, in ascending order, as Have I Been Pwned gives them out (`HASH:count`). It may be tens of
// gigabytes, so it is searched where it lies, and opened anew for each search: replacing it needs no restart.

import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** More than the longest line: 40 digits, a colon, a count, CR LF. */
const chunkBytes = 256
/** So that a beginning means something: 10 digits are 40 bits, the wrong one in a billion is refused once. */
const entry = /^([0-9A-Fa-f]{10,40})(?::\d{1,20})?\r?$/
const samples = 512

/** Whether the file has the password. Throws what reading throws, and an Error for a line that is none. */
export async function isBreached(file: string, password: string): Promise<boolean> {
  const wanted = createHash('sha1').update(password).digest('hex').toUpperCase()
  const handle = await open(file, 'r')
  try {
    let [low, high] = [0, (await handle.stat()).size]
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2)
      const line = lineIn(await read(handle, middle), middle)
      if (line === undefined || line.start >= high) {
        high = middle
        continue
      }
      const found = hashOf(line.text)
      if (wanted.startsWith(found)) return true
      if (found < wanted) low = line.end
      else high = middle
    }
    return false
  } finally {
    await handle.close()
  }
}

/**
 * Why the file cannot be used, as the end of a sentence; undefined when it can. Looks at as much of it as takes no
 * time.
 */
export function breachFileProblem(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    return `cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}): ${file}`
  }
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.size === 0) return `is no file with anything in it: ${file}`
    return orderProblem(descriptor, stat.size)
  } finally {
    closeSync(descriptor)
  }
}

function orderProblem(descriptor: number, size: number): string | undefined {
  let before = ''
  const step = Math.max(1, Math.floor(size / samples))
  for (let at = 0; at < size; at += step) {
    const bytes = Buffer.alloc(chunkBytes)
    const from = Math.max(0, at - 1)
    const length = readSync(descriptor, bytes, 0, chunkBytes, from)
    const line = lineIn(bytes.subarray(0, length), at)
    if (line === undefined) continue
    const hash = entry.exec(line.text)?.[1]?.toUpperCase()
    if (hash === undefined)
      return `has a line that is no SHA-1 in hexadecimal with an optional count, near byte ${line.start}`
    if (hash < before) return `is not sorted: a line near byte ${line.start} belongs before earlier ones`
    before = hash
  }
  return before === '' ? 'has no line that is a SHA-1 in hexadecimal' : undefined
}

async function read(handle: FileHandle, at: number): Promise<Buffer> {
  const bytes = Buffer.alloc(chunkBytes)
  const { bytesRead } = await handle.read(bytes, 0, chunkBytes, Math.max(0, at - 1))
  return bytes.subarray(0, bytesRead)
}

/**
 * The first line that begins at `at` or after it. `bytes` begin one before `at`, to see whether a line begins there.
 */
function lineIn(bytes: Buffer, at: number): { text: string; start: number; end: number } | undefined {
  const text = bytes.toString('latin1')
  const begin = at === 0 ? 0 : text.indexOf('\n') + 1
  if (at !== 0 && begin === 0) return undefined
  const base = at === 0 ? 0 : at - 1
  const stop = text.indexOf('\n', begin)
  const end = stop === -1 ? text.length : stop
  if (end === begin) return undefined
  return { text: text.slice(begin, end), start: base + begin, end: base + end + 1 }
}

function hashOf(line: string): string {
  const hash = entry.exec(line)?.[1]
  if (hash === undefined) throw new Error('the file of breached passwords has a line that is none')
  return hash.toUpperCase()
}
