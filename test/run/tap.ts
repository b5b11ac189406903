// Runs the compiled test files in a shuffled order, each as the plain program that a tap file is, and counts. Without
// tap's own runner, because that puts loaders into every child process, and children here are what an operator starts.
//
// Files that start programs and browsers wait a good part of it: they have the processors first, as many at once as there
// are processors, the longest before the others. Those that keep time go one after the other on one of the lanes, beside
// nothing but one such file a lane; when they are through, a file of the rest runs in what the others leave over.

import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { cpus, setPriority } from 'node:os'
import { join } from 'node:path'

export interface TestResult {
  passed: number
  failed: number
  failedFiles: string[]
}

const fileSeconds = 300
/** Those that assert how long something takes, or that run many instances at once. */
const keepsTime = /^faults\/|^flows\/(?:workers|sign-in-flood)\./
/** Those that start programs; of all those that take longest, which must not begin last. */
const startsPrograms = [
  /^(?:browser|faults|flows|instances)\//,
  /^(?:deploy\/running|cli\/(?:program|real-server)|start\/|instance\.)/,
  /^memory\/(?:feed|redis-|postgresql|leases|crash)/,
  /^(?:gateway\/(?:bodies|faults|open-streams)|http\/(?:server|transport))/,
]
const longest =
  /^faults\/(?:instances|redis)|^flows\/workers|^browser\/(?:sign-in|consent|interrupted|external)|^deploy\//
/** Of the file that runs beside them, as `nice` counts. */
const behind = 5

interface Queued {
  file: string
  label: string
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
  const queued = files.map((file, at) => ({ file, label: `${at + 1}/${files.length} ${file.replace(/\.js$/, '')}` }))
  const isFirst = (file: string) => startsPrograms.some((pattern) => pattern.test(file))
  const timed = queued.filter(({ file }) => keepsTime.test(file))
  const first = queued.filter(({ file }) => isFirst(file) && !keepsTime.test(file))
  for (const list of [timed, first]) list.sort((a, b) => Number(longest.test(b.file)) - Number(longest.test(a.file)))
  const rest = queued.filter(({ file }) => !isFirst(file) && !keepsTime.test(file))
  const worker = async (take: () => Queued | undefined, priority: number) => {
    for (let next = take(); next !== undefined; next = take()) {
      add(result, next, await runFile({ root, environment }, next.file, priority))
    }
  }
  const processors = Math.max(2, Math.min(4, cpus().length))
  const onTime = worker(() => timed.shift(), 0)
  const others = () => worker(() => first.shift() ?? rest.shift(), 0)
  await Promise.all([
    onTime.then(() => Promise.all([others(), worker(() => rest.shift(), behind)])),
    ...Array.from({ length: processors - 1 }, others),
  ])
  return result
}

interface Run {
  output: string
  code: number | null
  seconds: number
}

function runFile(
  { root, environment }: { root: string; environment: Readonly<Record<string, string>> },
  file: string,
  priority: number,
): Promise<Run> {
  const started = performance.now()
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, 'dist/test', file)], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment, TAP_TIMEOUT: String(fileSeconds - 20) },
    })
    if (priority > 0 && child.pid !== undefined) setPriority(child.pid, priority)
    const output: string[] = []
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()))
    const timer = setTimeout(() => child.kill('SIGKILL'), fileSeconds * 1000)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ output: output.join(''), code, seconds: (performance.now() - started) / 1000 })
    })
  })
}

/** A file counts as failed also when it broke off before it could say so. */
function add(
  result: TestResult,
  { file, label }: { file: string; label: string },
  { output, code, seconds }: Run,
): void {
  const counts = /^# \{ total: \d+(?:, pass: (\d+))?(?:, fail: (\d+))?/m.exec(output)
  const passed = Number(counts?.[1] ?? 0)
  const failed = Number(counts?.[2] ?? 0)
  const good = code === 0 && failed === 0 && passed > 0
  result.passed += passed
  result.failed += good ? 0 : Math.max(1, failed)
  console.log(
    `${good ? 'ok' : 'NOT OK'} ${label}: ${passed} passed${failed > 0 ? `, ${failed} failed` : ''} (${seconds.toFixed(1)} s)`,
  )
  if (good) return
  result.failedFiles.push(file)
  console.log(output)
  if (code !== 0 && failed === 0) console.log(`${file} ended with ${code}`)
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
