// Which test files a run has, and in which lane each goes. A file says what is special about it in its first lines:
//
//   // full: why      it is in `npm run test:all`, not in `npm test`
//   // run: alone     it asserts how long something takes, or runs many instances under load: nothing runs beside it
//   // run: apart     it starts programs, changes what is the process's, or works long: a process of its own

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Lane = 'alone' | 'apart' | 'shared'
/** `quick` is the default; `full` everything at full effort; `rest` what `full` does beyond `quick`. */
export type Tier = 'quick' | 'full' | 'rest'

export interface PlannedFile {
  /** Below test/, without an ending: `gateway/routes.test`. */
  name: string
  lane: Lane
  /** Why it is left out of the quick tier; absent: it is in it. */
  fullOnly?: string
  /** It draws or looks less in the quick tier (test/support/effort.ts), so the rest has it again. */
  drawsLess: boolean
  /** What it took when durations.json was written, in seconds; of a file that is new, a guess. */
  seconds: number
}

export interface Shard {
  /** From 1. */
  number: number
  of: number
}

const lanes: readonly string[] = ['alone', 'apart']
/** Lines at the beginning of a file that are searched for its marks. */
const headLines = 12
const guessedSeconds = 3

/** Every test file of the project at `root`, by name. Throws when a mark is wrong. */
export function readPlan(root: string): PlannedFile[] {
  const durations: Record<string, number> = JSON.parse(readFileSync(durationsFile(root), 'utf8'))
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .sort()
    .map((path) => {
      const name = path.slice(0, -'.ts'.length)
      const text = readFileSync(join(root, 'test', path), 'utf8')
      return { name, ...marksIn(name, text), seconds: durations[name] ?? guessedSeconds }
    })
}

/** Where `--times` writes how long each file took. */
export function durationsFile(root: string): string {
  return join(root, 'test/run/durations.json')
}

/** What the first lines of a file say. Throws for a lane that does not exist and for a `full` without a reason. */
export function marksIn(name: string, text: string): Omit<PlannedFile, 'name' | 'seconds'> {
  const head = text.split('\n').slice(0, headLines).join('\n')
  const lane = /^\/\/ run:(.*)$/m.exec(head)?.[1]?.trim() ?? 'shared'
  const fullOnly = /^\/\/ full:(.*)$/m.exec(head)?.[1]?.trim()
  if (lane !== 'shared' && !lanes.includes(lane))
    throw new Error(`${name}: "run: ${lane}" is none of ${lanes.join(', ')}`)
  if (fullOnly === '') throw new Error(`${name}: "full:" does not say why`)
  const drawsLess = /^import .* from '[./]+support\/(?:effort|browser\/(?:browser|pages))\.js'$/m.test(text)
  return { lane: lane as Lane, drawsLess, ...(fullOnly === undefined ? {} : { fullOnly }) }
}

/** Those of a tier. */
export function inTier(files: readonly PlannedFile[], tier: Tier): PlannedFile[] {
  if (tier === 'full') return [...files]
  const isRest = tier === 'rest'
  return files.filter(({ fullOnly, drawsLess }) => (fullOnly !== undefined || (isRest && drawsLess)) === isRest)
}

/** One of `of` parts that take about as long as each other; all parts together are everything, each file once. */
export function inShard(files: readonly PlannedFile[], { number, of }: Shard): PlannedFile[] {
  const parts = Array.from({ length: of }, () => ({ seconds: 0, files: [] as PlannedFile[] }))
  for (const file of longestFirst(files)) {
    const least = parts.reduce((a, b) => (b.seconds < a.seconds ? b : a))
    least.files.push(file)
    least.seconds += file.seconds
  }
  return parts[number - 1]?.files ?? []
}

/** The longest first; of equals, the order stays. */
export function longestFirst<T extends { seconds: number }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => b.seconds - a.seconds)
}

/** A few files for each process that is shared, in the order in which they came. */
export function inGroups(files: readonly PlannedFile[], together: number): PlannedFile[][] {
  const groups: PlannedFile[][] = []
  for (let at = 0; at < files.length; at += together) groups.push(files.slice(at, at + together))
  return groups
}
