// Runs the compiled test files through tap in a shuffled order, shows what failed, and counts.

import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface TestResult {
  passed: number
  failed: number
  failedFiles: string[]
}

/** Runs every `dist/test/**` file named `*.test.js` whose path has one of `words` (all, without words), two at a time. */
export async function runTests({
  root,
  seed,
  words,
}: {
  root: string
  seed: number
  words: readonly string[]
}): Promise<TestResult> {
  const files = readdirSync(join(root, 'dist/test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js') && !file.startsWith('bench/'))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .sort()
    .map((file) => join('dist/test', file))
  shuffle(files, seed)
  console.log(`\n== tests (${files.length} files)`)
  if (files.length === 0) return { passed: 0, failed: 1, failedFiles: ['no test file matches'] }
  const options = ['run', '--reporter=tap', '--jobs=2', '--timeout=240', '--disable-coverage', ...files]
  const tap = spawn(process.execPath, [join(root, 'node_modules/tap/dist/esm/run.mjs'), ...options.slice(1)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TAP_RCFILE: '' },
  })
  return await follow(tap.stdout, new Promise((resolve) => tap.once('close', resolve)))
}

/** Reads TAP: indented lines belong to the file whose `ok` or `not ok` line closes them. */
async function follow(output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<TestResult> {
  const result: TestResult = { passed: 0, failed: 0, failedFiles: [] }
  let block: string[] = []
  let passedHere = 0
  let failedHere = 0
  for await (const line of createInterface({ input: output })) {
    const closing = /^(ok|not ok) \d+ - (\S+)(.*)$/.exec(line)
    const assertion = /^(\s+)(ok|not ok) \d+/.exec(line)
    // A subtest closes with a line that carries its time; only the assertions inside it count.
    if (assertion !== null && !/# time=/.test(line)) assertion[2] === 'ok' ? passedHere++ : failedHere++
    block.push(line)
    if (closing === null) continue
    const [, verdict, file = '', rest = ''] = closing
    const bad = verdict === 'not ok'
    console.log(`${verdict} ${file} (${passedHere}${failedHere > 0 ? `, ${failedHere} failed` : ''})${rest}`)
    if (bad) console.log(block.join('\n'))
    if (bad) result.failedFiles.push(file)
    result.passed += passedHere
    result.failed += bad ? Math.max(1, failedHere) : failedHere
    block = []
    passedHere = 0
    failedHere = 0
  }
  await ended
  return result
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
