// Runs test files one after the other in one process, so that what they all load is loaded once. Says before each which
// one it is, and after it how long it took. Their names come in the environment, because tap puts the command line into
// the names of temporary folders; a number there keeps the folders of processes that run at the same time apart.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'

/** What a file has begun; the next one waits for it. */
let runningTests: PromiseLike<unknown>[] = []
/**
 * What a file wants done at its end. Tap would do it at the end of the process, and end that as soon as it has a
 * moment.
 */
let endings: (() => unknown)[] = []

const test = t.test.bind(t) as (...given: unknown[]) => PromiseLike<unknown>
replace('test', (...given: unknown[]) => {
  const done = test(...given.map(endedBeforeItsFolder))
  runningTests.push(done)
  return done
})
replace('teardown', (work: () => unknown) => void endings.push(work))
const limitTime = t.setTimeout.bind(t)
// The time that one file sets would be the time of all that come after it; the run says how long each may take.
replace('setTimeout', () => {})
/** So long a file may take, ms: tap's own default where the run says nothing. */
const fileMs = Number(process.env['TAP_TIMEOUT'] ?? 30) * 1000

for (const file of (process.env['PORTCULLIS_TEST_FILES'] ?? '').split('\n')) {
  const started = performance.now()
  const processorAtStart = processorMs()
  // Anew for each file: how many share a process says nothing about any of them.
  limitTime(fileMs)
  t.comment(`file ${file}`)
  await import(pathToFileURL(resolve(file)).href)
  // A file may begin more of them after it was loaded.
  while (runningTests.length > 0) {
    const all = runningTests
    runningTests = []
    await Promise.allSettled(all)
  }
  for (const work of endings.reverse()) await work()
  endings = []
  const processor = processorMs() - processorAtStart
  t.comment(`took ${Math.round(performance.now() - started)} ms, ${processor} ms of processor`)
}

/**
 * Of a test's function, one whose teardowns run before its folder is removed. Tap removes the folder first where the
 * test makes it before it names a teardown, and then a program that still runs there writes into it.
 */
function endedBeforeItsFolder(given: unknown): unknown {
  if (typeof given !== 'function') return given
  return (inner: Test) => {
    inner.teardown(() => {})
    const nested = inner.test.bind(inner) as (...given: unknown[]) => PromiseLike<unknown>
    Object.defineProperty(inner, 'test', { value: (...more: unknown[]) => nested(...more.map(endedBeforeItsFolder)) })
    return given(inner)
  }
}

function replace(name: 'test' | 'teardown' | 'setTimeout', value: unknown): void {
  Object.defineProperty(t, name, { value })
}

/**
 * What this process and its ended children have used, ms: of proc(5), `utime` to `cstime`. Where there is no /proc:
 * this process.
 */
function processorMs(): number {
  try {
    const afterName = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return afterName.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10
  } catch {
    const { user, system } = process.cpuUsage()
    return Math.round((user + system) / 1000)
  }
}
