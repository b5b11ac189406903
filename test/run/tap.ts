// Runs the compiled test files in a shuffled order and counts. Without tap's own runner, because that puts loaders into
// every child process, and children here are what an operator starts. To load the product and its packages takes longer
// than many a file: those that start nothing share a process with a few others (several.ts).
//
// Files that measure time go first, one after the other with nothing beside them: how priorities count among groups of
// processes depends on the kernel. Then come those that start programs and browsers, which wait a good part of their
// time: one more at once than there are processors, the longest before the others, so that none of them is alone at the
// end. Beside these lanes, files that share a process run in what they leave over. Which file goes where, and how long
// it takes: plan.ts.
//
// A machine that stands still for seconds can fail a file that kills databases under load. In a whole run, a file with a
// process of its own that failed runs again at the end, alone, and counts as it did then; the run names it.

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
  /** Those that failed, and passed when they ran again alone. */
  failedOnce: string[]
  /** Of every file that ran, by its name. */
  took: Map<string, { seconds: number; processorSeconds: number }>
}

/** Only what hangs takes so long, several times what the longest file takes on a slow machine. */
const fileSeconds = 900
/** Of a file that shares a process: those run in what the others leave over. */
const sharedFileSeconds = 1200
/** As `nice` counts: what runs beside the lanes. */
const besideLanes = 5
/** With more failed files than these, it was not the machine. */
const mostAgain = 6
/** No repeat starts more than this long after the other files have ended. */
const againSeconds = 300
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
  /** Whether what failed runs again alone. */
  again: boolean
}): Promise<TestResult> {
  const { root, seed, files, environment, again } = options
  console.log(`\n== tests (${files.length} files)`)
  const reports = new Map<string, FileReport>()
  if (files.length === 0) return { ...resultOf(reports), failed: 1, failedFiles: ['no test file matches'] }
  const { alone, apart, shared } = inLanes(shuffled(files, seed))
  const worker = async (take: () => Queued | undefined, nice: number) => {
    for (let next = take(); next !== undefined; next = take()) {
      for (const report of await runFiles({ root, environment }, next, nice)) {
        reports.set(report.file, report)
        tell(report, `${reports.size}/${files.length}`)
      }
    }
  }
  const processors = Math.max(2, Math.min(4, cpus().length))
  const lane = (nice: number, ...queues: Queued[][]) =>
    worker(() => queues.find(({ length }) => length > 0)?.shift(), nice)
  await lane(0, alone)
  await Promise.all([
    ...Array.from({ length: processors + 1 }, () => lane(0, apart, shared)),
    lane(besideLanes, shared, apart),
  ])
  const first = resultOf(reports)
  if (!again) return first
  const repeated = toRepeat(files, first.failedFiles)
  const untilMs = performance.now() + againSeconds * 1000
  for (const [at, name] of repeated.entries()) {
    if (performance.now() > untilMs) {
      console.log(`not repeated, because the time for that is over: ${repeated.slice(at).join(', ')}`)
      break
    }
    const [report] = await runFiles({ root, environment }, { files: [name], number: files.length + 1 + at }, 0)
    if (report === undefined) continue
    reports.set(report.file, report)
    tell(report, `again, alone, ${at + 1}/${repeated.length}`)
  }
  const result = resultOf(reports)
  return { ...result, failedOnce: first.failedFiles.filter((file) => !result.failedFiles.includes(file)) }
}

/** Names of the failed files, when all of them may have failed because of the machine. */
export function toRepeat(files: readonly PlannedFile[], failed: readonly string[]): string[] {
  const own = files.filter(({ name, lane }) => lane !== 'shared' && failed.includes(inDist(name)))
  return own.length < failed.length || failed.length > mostAgain ? [] : own.map(({ name }) => name)
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
): Promise<FileReport[]> {
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
      resolve(readReports(files.map(inDist), output.join(''), code === 0))
    })
  })
}

function tell({ file, passed, failed, seconds, figures, output }: FileReport, at: string): void {
  const failures = failed > 0 ? `, ${failed} failed` : ''
  const name = nameOf(file)
  console.log(`${failed > 0 ? 'NOT OK' : 'ok'} ${at} ${name}: ${passed} passed${failures} (${seconds.toFixed(1)} s)`)
  if (failed > 0) console.log(output)
  else for (const figure of figures) console.log(`   ${figure}`)
}

function resultOf(reports: ReadonlyMap<string, FileReport>): TestResult {
  const all = [...reports.values()]
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    failedFiles: all.filter(({ failed }) => failed > 0).map(({ file }) => file),
    failedOnce: [],
    took: new Map(all.map(({ file, seconds, processorSeconds }) => [nameOf(file), { seconds, processorSeconds }])),
  }
}

function nameOf(file: string): string {
  return file.replace(/^dist\/test\//, '').replace(/\.js$/, '')
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
