// Runs the compiled test files in a shuffled order and counts. Without tap's own runner, because that puts loaders into every
// child process, and children here are what an operator starts. To load the product and its packages takes longer than many
// a file: those that start nothing share a process with a few others (several.ts).
//
// Files that start programs and browsers wait a good part of it: they have the processors first, as many at once as there
// are processors, the longest before the others. Those that keep time go one after the other on one of the lanes. Beside
// the lanes, files of the rest run in what they leave over; as long as somebody keeps time, in very little of it.

import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { cpus, setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type FileReport, readReports } from './report.js'

export interface TestResult {
  passed: number
  failed: number
  failedFiles: string[]
}

/** Only what hangs takes so long, several times what the longest file takes on a slow machine. */
const fileSeconds = 600
/** It compares a quiet time with a loud one: nothing else runs before it has ended. */
const alone = /^flows\/sign-in-flood\.|^population\//
/** Those that assert how long something takes, or that run many instances at once. */
const keepsTime = /^faults\/|^flows\/workers\.|^gateway\/(?:bad-clients|upstreams\/broken-upstreams|routes\/routes)\./
/** Those that start programs, change what is the process's, or work long; of all those that take longest, which must not begin last. */
const startsPrograms = [
  /^(?:attacks|browser|faults|flows|instances)\//,
  /^(?:deploy\/(?:running|front-proxies)|cli\/(?:program|real-server)|start\/|instance\.)/,
  /^storage\/(?:changes|redis|sql\/postgresql)\/|^storage\/(?:counters\/redis-|sql\/(?:leases|crash))/,
  /^gateway\/(?:forward\/bodies|faults|streams\/(?!reloaded)|(?:diff|explain)\/\w+-agrees?)/,
  /^http\/(?:server|tracing|transport)\./,
]
const longest =
  /^faults\/(?:instances|redis)|^flows\/(?:workers|readme|reload)|^browser\/(?:sign-in|consent|interrupted|external)|^deploy\//
/** Of what runs beside the lanes, as `nice` counts: while somebody keeps time, and afterwards. */
const behind = { whileTimed: 10, afterwards: 5 }
/** So many of the others share a process. */
const together = 9
/** Of such a process, which makes a whole house for each test: room for what is soon garbage, MiB. A tenth of its time. */
const roomForGarbage = ['--min-semi-space-size=16', '--max-semi-space-size=32']

interface Queued {
  files: readonly string[]
  /** Of this process among those of the run. */
  number: number
}

/** Runs every `dist/test/**` file named `*.test.js` whose path has one of `words` (all, without words), some at a time. */
export async function runTests(options: {
  root: string
  seed: number
  words: readonly string[]
  /** What every file's environment has beside ours. */
  environment: Readonly<Record<string, string>>
}): Promise<TestResult> {
  const { root, seed, words, environment } = options
  const files = readdirSync(join(root, 'dist/test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .sort()
  shuffle(files, seed)
  console.log(`\n== tests (${files.length} files)`)
  const result: TestResult = { passed: 0, failed: 0, failedFiles: [] }
  if (files.length === 0) return { passed: 0, failed: 1, failedFiles: ['no test file matches'] }
  const { byItself, timed, first, rest } = inLanes(files)
  let done = 0
  const worker = async (take: () => Queued | undefined, nice: () => number) => {
    for (let next = take(); next !== undefined; next = take()) {
      const { output, code } = await runFiles({ root, environment }, next, nice())
      for (const report of readReports(next.files.map(inDist), output, code === 0)) {
        done += 1
        add(result, report, `${done}/${files.length}`)
      }
    }
  }
  const processors = Math.max(2, Math.min(4, cpus().length))
  const lane = (nice: () => number, ...queues: Queued[][]) =>
    worker(() => queues.find(({ length }) => length > 0)?.shift(), nice)
  let nice = behind.whileTimed
  const foremost = () => 0
  await lane(foremost, byItself)
  const onTime = lane(foremost, timed).then(() => {
    nice = behind.afterwards
  })
  await Promise.all([
    onTime.then(() => lane(foremost, first, rest)),
    ...Array.from({ length: processors - 1 }, () => lane(foremost, first, rest)),
    Promise.all([onTime, lane(() => nice, rest)]).then(() => lane(() => nice, first)),
  ])
  return result
}

type Lane = 'byItself' | 'timed' | 'first' | 'rest'

/** The processes of the run, in the order in which each lane takes them. */
function inLanes(files: readonly string[]): Record<Lane, Queued[]> {
  const longestFirst = (a: string, b: string) => Number(longest.test(b)) - Number(longest.test(a))
  const those = (lane: Lane) => files.filter((file) => laneOf(file) === lane)
  let number = 0
  const processes = (groups: readonly (readonly string[])[]) =>
    groups.map((group): Queued => ({ files: group, number: ++number }))
  const oneEach = (lane: Lane) =>
    processes(
      those(lane)
        .toSorted(longestFirst)
        .map((file) => [file]),
    )
  return {
    byItself: oneEach('byItself'),
    timed: oneEach('timed'),
    first: oneEach('first'),
    rest: processes(inGroups(those('rest'))),
  }
}

function laneOf(file: string): Lane {
  if (alone.test(file)) return 'byItself'
  if (keepsTime.test(file)) return 'timed'
  return startsPrograms.some((pattern) => pattern.test(file)) ? 'first' : 'rest'
}

function inDist(file: string): string {
  return `dist/test/${file}`
}

function inGroups(files: readonly string[]): string[][] {
  const groups: string[][] = []
  for (let at = 0; at < files.length; at += together) groups.push(files.slice(at, at + together))
  return groups
}

function runFiles(
  { root, environment }: { root: string; environment: Readonly<Record<string, string>> },
  { files, number }: Queued,
  priority: number,
): Promise<{ output: string; code: number | null }> {
  const seconds = files.length === 1 ? fileSeconds : fileSeconds * 2
  return new Promise((resolve) => {
    const options = files.length === 1 ? [] : roomForGarbage
    const child = spawn(process.execPath, [...options, join(root, 'dist/test/run/several.js'), String(number)], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...environment,
        PORTCULLIS_TEST_FILES: files.map(inDist).join('\n'),
        TAP_TIMEOUT: String(seconds - 20),
      },
    })
    if (priority > 0 && child.pid !== undefined) setPriority(child.pid, priority)
    const output: string[] = []
    // By lines: what is said on the one never stands in the middle of a line of the other.
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => output.push(`${line}\n`))
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ output: output.join(''), code })
    })
  })
}

function add(result: TestResult, { file, passed, failed, seconds, figures, output }: FileReport, at: string): void {
  result.passed += passed
  result.failed += failed
  const name = file.replace(/^dist\/test\//, '').replace(/\.js$/, '')
  const failures = failed > 0 ? `, ${failed} failed` : ''
  console.log(`${failed > 0 ? 'NOT OK' : 'ok'} ${at} ${name}: ${passed} passed${failures} (${seconds.toFixed(1)} s)`)
  if (failed === 0) {
    for (const figure of figures) console.log(`   ${figure}`)
    return
  }
  result.failedFiles.push(file)
  console.log(output)
}

/** Fisher-Yates with a small seeded generator, so that an order can be repeated. */
function shuffle(items: string[], seed: number): void {
  let state = seed || 1
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1))
    ;[items[i], items[j]] = [items[j] as string, items[i] as string]
  }
}
