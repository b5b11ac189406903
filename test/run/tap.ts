// Runs the compiled test files in a shuffled order and counts. Without tap's own runner, because that puts loaders into
// every child process, and children here are what an operator starts. To load the product and its packages takes longer
// than many a file: those that start nothing share a process with a few others (several.ts).
//
// Files that start programs and browsers wait a good part of it: they have the processors first, one more at once than
// there are processors, the longest before the others, so that none of them is alone at the end. Those that keep time
// go one after the other on one of the lanes, and the others step back behind it. Beside the lanes, files that share a
// process run in what the lanes leave over; as long as somebody keeps time, in very little of it. Which file goes
// where, and how long it takes: plan.ts.

import { cpus, setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { inGroups, type Lane, longestFirst, type PlannedFile } from './plan.js'
import { signalGroup, startGroup } from './processes/owned-group.js'
import { type FileReport, readReports } from './report.js'

export interface TestResult {
  passed: number
  failed: number
  failedFiles: string[]
  /** Of every file that ran, by its name. */
  took: Map<string, { seconds: number; processorSeconds: number }>
}

/** Only what hangs takes so long, several times what the longest file takes on a slow machine. */
const fileSeconds = 600
/** Of a file that shares a process: those run in what the others leave over. */
const sharedFileSeconds = 1200
/** As `nice` counts: the lanes beside the one that keeps time; what runs beside the lanes while it does, and later. */
const behind = { timed: 2, whileTimed: 10, afterwards: 5 }
/** So many of the others share a process. */
const together = 15
/**
 * Of such a process, which makes a whole application for each test: room for what is soon garbage, MiB. A tenth of its
 * time.
 */
const roomForGarbage = ['--min-semi-space-size=16', '--max-semi-space-size=32']

interface Queued {
  files: readonly string[]
  /** Of this process among those of the run. */
  number: number
}

/** Runs these files of `dist/test`, some at a time. */
export async function runTests(options: {
  root: string
  seed: number
  files: readonly PlannedFile[]
  /** What every file's environment has beside ours. */
  environment: Readonly<Record<string, string>>
}): Promise<TestResult> {
  const { root, seed, files, environment } = options
  console.log(`\n== tests (${files.length} files)`)
  const result: TestResult = { passed: 0, failed: 0, failedFiles: [], took: new Map() }
  if (files.length === 0) return { ...result, failed: 1, failedFiles: ['no test file matches'] }
  const { alone, timed, apart, shared } = inLanes(shuffled(files, seed))
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
  const yielding = () => behind.timed
  await lane(foremost, alone)
  const onTime = lane(foremost, timed).then(() => {
    nice = behind.afterwards
  })
  await Promise.all([
    onTime.then(() => lane(foremost, apart, shared)),
    ...Array.from({ length: processors }, () => lane(yielding, apart, shared)),
    Promise.all([onTime, lane(() => nice, shared)]).then(() => lane(() => nice, apart)),
  ])
  return result
}

/** The processes of the run, in the order in which each lane takes them. */
function inLanes(files: readonly PlannedFile[]): Record<Lane, Queued[]> {
  let number = 0
  const processes = (groups: readonly (readonly PlannedFile[])[]) =>
    longestFirst(
      groups.map((group) => ({ files: group, seconds: group.reduce((sum, { seconds }) => sum + seconds, 0) })),
    ).map(({ files: group }): Queued => ({ files: group.map(({ name }) => name), number: ++number }))
  const those = (lane: Lane) => files.filter((file) => file.lane === lane)
  return {
    alone: processes(inGroups(those('alone'), 1)),
    timed: processes(inGroups(those('timed'), 1)),
    apart: processes(inGroups(those('apart'), 1)),
    shared: processes(inGroups(those('shared'), together)),
  }
}

function inDist(file: string): string {
  return `dist/test/${file}.js`
}

function runFiles(
  { root, environment }: { root: string; environment: Readonly<Record<string, string>> },
  { files, number }: Queued,
  priority: number,
): Promise<{ output: string; code: number | null }> {
  const seconds = files.length === 1 ? fileSeconds : sharedFileSeconds
  return new Promise((resolve) => {
    const options = files.length === 1 ? [] : roomForGarbage
    const child = startGroup([...options, join(root, 'dist/test/run/several.js'), String(number)], {
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
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), seconds * 1000)
    // By lines: what is said on the one never stands in the middle of a line of the other.
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        output.push(`${line}\n`)
        // Each file has the whole time.
        if (line.startsWith('# file ')) timer.refresh()
      })
    }
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ output: output.join(''), code })
    })
  })
}

function add(result: TestResult, report: FileReport, at: string): void {
  const { file, passed, failed, seconds, processorSeconds, figures, output } = report
  result.passed += passed
  result.failed += failed
  const name = file.replace(/^dist\/test\//, '').replace(/\.js$/, '')
  result.took.set(name, { seconds, processorSeconds })
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
function shuffled<T>(given: readonly T[], seed: number): T[] {
  const items = [...given]
  let state = seed || 1
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1))
    ;[items[i], items[j]] = [items[j] as T, items[i] as T]
  }
  return items
}
