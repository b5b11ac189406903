// A whole run repeats what may have failed because of the machine, and only that.
// run: apart

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { Lane, PlannedFile } from './plan.js'
import { runTests, toRepeat } from './tap.js'

const planned = (name: string, lane: Lane): PlannedFile => ({ name, lane, drawsLess: false, seconds: 1 })

t.test('what failed and has a process of its own is repeated, unless too much failed', async (t) => {
  const files = [planned('a.test', 'alone'), planned('b.test', 'apart'), planned('c.test', 'shared')]
  const failed = files.map(({ name }) => `dist/test/${name}.js`)
  t.same(toRepeat(files, failed.slice(0, 2)), ['a.test', 'b.test'])
  t.same(toRepeat(files, failed), [], 'the run fails because of the third')
  t.same(toRepeat(files, []), [])
  const seven = Array.from({ length: 7 }, (_, at) => planned(`${at}.test`, 'alone'))
  const all = seven.map(({ name }) => `dist/test/${name}.js`)
  t.equal(toRepeat(seven, all.slice(1)).length, 6)
  t.same(toRepeat(seven, all), [])
})

/** Fails when it runs for the first time. */
const onceBad = `
  import { existsSync, writeFileSync } from 'node:fs'
  import t from 'tap'
  const mark = new URL('./mark', import.meta.url)
  t.test('second', async (t) => {
    t.ok(existsSync(mark), 'there was a first time')
    writeFileSync(mark, '')
  })`
const bad = `
  import t from 'tap'
  t.test('never', async (t) => t.fail('as always'))`

t.test('a file that fails once counts as passed and is named; one that fails again has failed', async (t) => {
  const files = [planned('once.test', 'apart'), planned('bad.test', 'alone')]
  const { result, said } = await runIn(t, files, true)
  t.same(result.failedFiles, ['dist/test/bad.test.js'])
  t.same(result.failedOnce, ['dist/test/once.test.js'])
  t.match(result, { passed: 1, failed: 1 })
  t.match(said, /^NOT OK \d\/2 once\.test: 0 passed, 1 failed/m, 'what it said at first is there')
  t.match(said, /^ok again, alone, \d\/2 once\.test: 1 passed \(/m)
})

t.test('a run of chosen files repeats nothing', async (t) => {
  const { result, said } = await runIn(t, [planned('once.test', 'apart')], false)
  t.match(result, { passed: 0, failed: 1, failedFiles: ['dist/test/once.test.js'], failedOnce: [] })
  t.notMatch(said, /again/)
})

async function runIn(t: Test, files: readonly PlannedFile[], again: boolean) {
  const root = t.testdir({
    dist: { test: { 'once.test.js': onceBad, 'bad.test.js': bad } },
    'package.json': '{"type":"module"}',
  })
  const own = fileURLToPath(new URL('.', import.meta.url))
  symlinkSync(own, join(root, 'dist/test/run'))
  const logged = t.capture(console, 'log')
  const result = await runTests({ root, seed: 1, files, environment: {}, again })
  return {
    result,
    said: logged()
      .map(({ args }) => args.join(' '))
      .join('\n'),
  }
}
