// Revoked tokens of this instance, by their `jti` (and what else has a GUID and may be many, see guid-map.ts): 16 bytes
// of key and two times in typed arrays instead of an object
// and a text each, because the holder of tokens can revoke as many as the limits let them. It is cut into parts that
// grow alone, so that no insertion copies the whole table while requests wait.

import { hash } from 'node:crypto'
import type { Clocks } from './expiring-map.js'

export interface TokenTable {
  has(jti: string): boolean
  /** What was added last with it; undefined: it is not here, or the table was made without values. */
  get(jti: string): number | undefined
  /**
   * Keeps it until both have passed: `endsAt` (epoch milliseconds), and `heldMs` from now by the clock that cannot be
   * set.
   */
  add(jti: string, endsAt: number, heldMs: number, value?: number): void
  /** Whether it must still be kept. */
  holds(jti: string): boolean
  /** Looks at a few places and forgets what is over; add() does it too. */
  sweep(): void
  readonly size: number
  /** What the arrays take. */
  readonly bytes: number
}

/** Open addressing with linear probing; a place is empty when its end is 0. Times are whole seconds, rounded up. */
interface Part {
  keys: Uint32Array
  ends: Uint32Array
  held: Uint32Array
  values: Float64Array | undefined
  mask: number
  count: number
}

const PARTS = 256
const LEAST_PLACES = 8
const FULLEST = 0.75
const EMPTIEST = 0.1
/** The latest end that a place has room for, in 2106: nothing that ends later is forgotten before. */
const LAST_SECOND = 2 ** 32 - 1
/** Places looked at in one sweep: forgetting keeps up with writing, and no call is slow. */
const SWEPT_AT_ONCE = 48

/** The key that was read last: four words. One thread, and nobody awaits between reading and use. */
const key = new Uint32Array(4)

/** An empty table. `withValues`: 8 bytes more a place, for a number beside each key. */
export function createTokenTable({ now, monotonic }: Clocks, { withValues = false } = {}): TokenTable {
  const parts: (Part | undefined)[] = new Array(PARTS).fill(undefined)
  const born = monotonic()
  let size = 0
  let cursor = { part: 0, place: 0 }

  const heldSeconds = (ms: number) => Math.ceil((monotonic() - born + ms) / 1000)
  const clocks = () => ({ monotonicSeconds: (monotonic() - born) / 1000, seconds: now() / 1000 })
  const isOver = (part: Part, place: number, { monotonicSeconds, seconds }: ReturnType<typeof clocks>) =>
    monotonicSeconds >= (part.held[place] as number) && seconds > (part.ends[place] as number)

  /** Where the key that was read is, or -1. */
  function find(part: Part | undefined): number {
    if (part === undefined) return -1
    const place = placeOf(part, key)
    return part.ends[place] === 0 ? -1 : place
  }

  function remove(part: Part, place: number): void {
    closeUp(part, place)
    part.count -= 1
    size -= 1
  }

  function sweep(): void {
    if (size === 0) return
    const read = clocks()
    for (let looked = 0; looked < SWEPT_AT_ONCE; looked += 1) {
      const part = parts[cursor.part]
      if (part === undefined || cursor.place > part.mask) {
        if (part !== undefined && part.count < (part.mask + 1) * EMPTIEST) parts[cursor.part] = shrunk(part)
        cursor = { part: (cursor.part + 1) % PARTS, place: 0 }
      } else if (part.ends[cursor.place] !== 0 && isOver(part, cursor.place, read)) remove(part, cursor.place)
      else cursor.place += 1
    }
  }

  return {
    has: (jti) => size > 0 && find(parts[readKey(jti)]) !== -1,
    get(jti) {
      if (size === 0) return undefined
      const part = parts[readKey(jti)]
      const place = find(part)
      return place === -1 ? undefined : part?.values?.[place]
    },
    holds(jti) {
      const part = parts[readKey(jti)]
      const place = find(part)
      return part !== undefined && place !== -1 && !isOver(part, place, clocks())
    },
    add(jti, endsAt, heldMs, value = 0) {
      sweep()
      const at = readKey(jti)
      const part = roomy(parts[at] ?? emptyPart(LEAST_PLACES, withValues))
      parts[at] = part
      const place = placeOf(part, key)
      if (part.ends[place] === 0) {
        part.count += 1
        size += 1
      }
      part.keys.set(key, place * 4)
      part.ends[place] = Math.min(LAST_SECOND, Math.max(part.ends[place] as number, 1, Math.ceil(endsAt / 1000)))
      part.held[place] = Math.max(part.held[place] as number, heldSeconds(heldMs))
      if (part.values !== undefined) part.values[place] = value
    },
    sweep,
    get size() {
      return size
    },
    get bytes() {
      return parts.reduce((sum, part) => sum + (part === undefined ? 0 : (part.mask + 1) * (withValues ? 32 : 24)), 0)
    },
  }
}

/**
 * Reads the key of a `jti` and says which part it belongs to. Ours are GUIDs, read as they are; anything else is
 * hashed.
 */
function readKey(jti: string): number {
  if (!readGuid(jti)) {
    const digest = hash('sha256', jti, 'hex')
    for (let word = 0; word < 4; word += 1) key[word] = Number.parseInt(digest.slice(word * 8, word * 8 + 8), 16)
  }
  return (key[0] as number) % PARTS
}

/** Without a text or an expression in between: every request asks while anything is revoked. False: it is no GUID. */
export function readGuid(jti: string): boolean {
  if (jti.length !== 36) return false
  let digits = 0
  for (let at = 0; at < 36; at += 1) {
    const code = jti.charCodeAt(at)
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (code !== 45) return false
      continue
    }
    const digit = code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : -1
    if (digit === -1) return false
    key[digits >> 3] = ((key[digits >> 3] as number) << 4) | digit
    digits += 1
  }
  return true
}

/** The place of this key, or the empty one where it would be. The last word of a GUID is random to the bit. */
function placeOf(part: Part, [a, b, c, d]: Uint32Array): number {
  const { keys, ends, mask } = part
  let place = (d as number) & mask
  while (ends[place] !== 0) {
    const at = place * 4
    if (keys[at] === a && keys[at + 1] === b && keys[at + 2] === c && keys[at + 3] === d) return place
    place = (place + 1) & mask
  }
  return place
}

/** Empties a place, and moves what was put behind it only because it was taken (Knuth, 6.4 R). */
function closeUp({ keys, ends, held, values, mask }: Part, emptied: number): void {
  let hole = emptied
  for (let place = (hole + 1) & mask; ends[place] !== 0; place = (place + 1) & mask) {
    const home = (keys[place * 4 + 3] as number) & mask
    if (((place - home) & mask) < ((place - hole) & mask)) continue
    keys.copyWithin(hole * 4, place * 4, place * 4 + 4)
    ends[hole] = ends[place] as number
    held[hole] = held[place] as number
    if (values !== undefined) values[hole] = values[place] as number
    hole = place
  }
  ends[hole] = 0
  held[hole] = 0
}

function roomy(part: Part): Part {
  return part.count + 1 > (part.mask + 1) * FULLEST ? copied(part, (part.mask + 1) * 2) : part
}

function shrunk(part: Part): Part | undefined {
  if (part.count === 0) return undefined
  const places = Math.max(LEAST_PLACES, 2 ** Math.ceil(Math.log2(part.count * 2)))
  return places < part.mask + 1 ? copied(part, places) : part
}

function emptyPart(places: number, withValues: boolean): Part {
  const [keys, ends, held] = [new Uint32Array(places * 4), new Uint32Array(places), new Uint32Array(places)]
  const values = withValues ? new Float64Array(places) : undefined
  return { keys, ends, held, values, mask: places - 1, count: 0 }
}

function copied(part: Part, places: number): Part {
  const copy = emptyPart(places, part.values !== undefined)
  for (let from = 0; from <= part.mask; from += 1) {
    if (part.ends[from] === 0) continue
    const words = part.keys.subarray(from * 4, from * 4 + 4)
    const to = placeOf(copy, words)
    copy.keys.set(words, to * 4)
    copy.ends[to] = part.ends[from] as number
    copy.held[to] = part.held[from] as number
    if (copy.values !== undefined) copy.values[to] = part.values?.[from] as number
  }
  copy.count = part.count
  return copy
}
