// `npm test` and `npm run test:all`: installs what the tests need when it is missing (saying so), then lint, types and
// the test files of the tier (plan.ts), and ends with the line `N passed, N failed`. `npm test -- --help` has the
// options.

import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleProgram } from '../../src/process/build/bundle.js'
import { makeRunFolder } from '../support/databases/postgresql-folder.js'
import { sweepMemoryFolders } from '../support/storage/memory-folder.js'
import { startJudging } from './judged.js'
import { type RunOptions, readOptions, usage } from './options.js'
import { durationsFile, inShard, inTier, type PlannedFile, readPlan } from './plan.js'
import { runTests, type TestResult } from './tap.js'
import { installMissingTools, tellMissingTools } from './tools.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const node = process.execPath

const given = process.argv.slice(2)
if (given.includes('--help')) console.log(usage)
else process.exitCode = (await run(optionsOrEnd())) ? 0 : 1

function optionsOrEnd(): RunOptions {
  try {
    return readOptions(given, Date.now() % 1_000_000)
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}

/** Whether everything was as it should be. */
async function run(options: RunOptions): Promise<boolean> {
  const { words, seed } = options
  const selecting = words.length > 0
  const { files, left } = selected(options)
  if (selecting) tellMissingTools()
  else installMissingTools({ isForAll: options.tier !== 'quick' })
  rmSync(new URL('../../dist', import.meta.url), { recursive: true, force: true })
  const steps = Promise.all([selecting || lintStep(), typesStep(), bundleStep()])
  sweepMemoryFolders()
  const database = selecting ? {} : databaseOfRun()
  const [lint, types, program] = await steps
  const judged = startJudging(root, { isWhole: !selecting })
  const effort = selecting || options.tier !== 'quick' ? { PORTCULLIS_TEST_FULL: '1' } : {}
  const given = {
    PORTCULLIS_TEST_SEED: String(seed),
    ...(program === undefined ? {} : { PORTCULLIS_TEST_PROGRAM: program }),
  }
  const environment = { ...judged.environment, ...effort, ...database, ...given }
  const result = await runTests({ root, seed, files, environment, again: !selecting })
  if (options.times) tellTimes(result)

  const checks = { lint, types, bundle: program !== undefined, document: judged.settle() }
  const failedChecks = Object.entries(checks).filter(([, ok]) => !ok)
  for (const [name] of failedChecks) console.log(`\n${name} failed`)
  for (const file of result.failedFiles) console.log(`failed: ${file}`)
  for (const file of result.failedOnce) console.log(`failed once, and passed when it ran again alone: ${file}`)
  const failed = result.failed + failedChecks.length
  if (!selecting) tellLeftOut(left, options)
  console.log(`\nThe order of the files and the random tests were --seed ${seed}`)
  console.log(`${result.passed + Object.keys(checks).length - failedChecks.length} passed, ${failed} failed`)
  return failed === 0
}

/** Where initdb cannot do it, each file that needs a PostgreSQL says why. */
function databaseOfRun(): Record<string, string> {
  // What a signal would leave behind may be in memory.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))
  try {
    return { PORTCULLIS_TEST_POSTGRES: makeRunFolder() }
  } catch (error) {
    console.log(`there is no database for all files: ${(error as Error).message}`)
    return {}
  }
}

function selected({ tier, words, shard }: RunOptions): { files: PlannedFile[]; left: PlannedFile[] } {
  const all = readPlan(root)
  if (words.length > 0) {
    return { files: all.filter(({ name }) => words.some((word) => `${name}.js`.includes(word))), left: [] }
  }
  const wanted = inTier(all, tier)
  const files = shard === undefined ? wanted : inShard(wanted, shard)
  return { files, left: all.filter((file) => !files.includes(file)) }
}

/** What a run did not show, and what does. */
function tellLeftOut(left: readonly PlannedFile[], { tier, shard }: RunOptions): void {
  if (tier === 'full' && shard === undefined) return
  console.log(`\nLeft out: ${left.length} files; npm run test:all runs everything.`)
  if (shard !== undefined) console.log(`This was part ${shard.number} of ${shard.of} (--shard).`)
  else if (tier === 'rest') console.log('They are those of npm test.')
  else {
    for (const { name, fullOnly } of left) console.log(`  ${name}: ${fullOnly}`)
    console.log('Random tests drew a tenth of what they draw there.')
  }
}

/** Says what each file took, and keeps it for the order of the next run. */
function tellTimes({ took }: TestResult): void {
  const longest = [...took].toSorted(([, a], [, b]) => b.processorSeconds - a.processorSeconds)
  console.log('\n== times (seconds, seconds of processor)')
  for (const [name, { seconds, processorSeconds }] of longest) {
    console.log(`${seconds.toFixed(1).padStart(7)} ${processorSeconds.toFixed(1).padStart(7)}  ${name}`)
  }
  const sum = longest.reduce((total, [, { processorSeconds }]) => total + processorSeconds, 0)
  console.log(`${sum.toFixed(0)} seconds of processor in all`)
  const known: Record<string, number> = JSON.parse(readFileSync(durationsFile(root), 'utf8'))
  for (const [name, { seconds }] of took) known[name] = Math.round(seconds * 10) / 10
  const sorted = Object.fromEntries(Object.entries(known).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(durationsFile(root), `${JSON.stringify(sorted, null, 2)}\n`)
}

function lintStep(): Promise<boolean> {
  const biome = ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '--config-path=config/lint.json', '.']
  return step('lint', node, biome)
}

function typesStep(): Promise<boolean> {
  return step('types', node, ['node_modules/@typescript/native/bin/tsc', '--project', 'tsconfig.json'])
}

/** The main file; undefined when there is none. The programs of the tests start from their own files then. */
function bundleStep(): Promise<string | undefined> {
  return bundleProgram(root, 'program/main.js').catch(
    (error: Error) => void console.log(`\n== bundle\n${error.message}`),
  )
}

/** Runs a program and says what it said, all at once: two run at the same time. */
function step(title: string, command: string, words: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
    child.once('close', (status) => {
      console.log(`\n== ${title}\n${Buffer.concat(output).toString().trimEnd()}`)
      resolve(status === 0)
    })
  })
}
