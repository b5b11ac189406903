// Runs the compiled test files in a shuffled order, each as the plain program that a tap file is, and counts. Without
// tap's own runner, because that puts loaders into every child process, and children here are what an operator starts.

import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

export interface TestResult {
  passed: number
  failed: number
  failedFiles: string[]
}

const fileSeconds = 300

/** Runs every `dist/test/**` file named `*.test.js` whose path has one of `words` (all, without words), two at a time. */
export async function runTests(options: { root: string; seed: number; words: readonly string[] }): Promise<TestResult> {
  const { root, seed, words } = options
  const files = readdirSync(join(root, 'dist/test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .sort()
  shuffle(files, seed)
  console.log(`\n== tests (${files.length} files)`)
  const result: TestResult = { passed: 0, failed: 0, failedFiles: [] }
  if (files.length === 0) return { passed: 0, failed: 1, failedFiles: ['no test file matches'] }
  const queue = files.map((file, at) => ({ file, label: `${at + 1}/${files.length} ${file.replace(/\.js$/, '')}` }))
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      add(result, next, await runFile(root, next.file))
    }
  }
  await Promise.all(Array.from({ length: Math.max(2, Math.min(4, cpus().length)) }, worker))
  return result
}

interface Run {
  output: string
  code: number | null
  seconds: number
}

function runFile(root: string, file: string): Promise<Run> {
  const started = performance.now()
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--enable-source-maps', join(root, 'dist/test', file)], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TAP_TIMEOUT: String(fileSeconds - 20) },
    })
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
