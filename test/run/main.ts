// `npm test`: installs what the tests need when it is missing (saying so), then lint, types and every test file, and
// ends with the line `N passed, N failed`. Options: `--seed N` repeats an order; words select files by name.

import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startJudging } from './judged.js'
import { runTests } from './tap.js'
import { installMissingTools } from './tools.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const words = process.argv.slice(2)
const seedAt = words.indexOf('--seed')
const seed = seedAt === -1 ? Date.now() % 1_000_000 : Number(words.splice(seedAt, 2)[1])

/** Runs a program and says what it said, all at once: two run at the same time. */
function step(title: string, command: string, options: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, options, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
    child.once('close', (status) => {
      console.log(`\n== ${title}\n${Buffer.concat(output).toString().trimEnd()}`)
      resolve(status === 0)
    })
  })
}

const node = process.execPath
const selecting = words.length > 0
if (!selecting) installMissingTools()
rmSync(new URL('../../dist', import.meta.url), { recursive: true, force: true })

const biome = ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '--config-path=config/lint.json', '.']
const [lint, types] = await Promise.all([
  selecting || step('lint', node, biome),
  step('types', node, ['node_modules/@typescript/native/bin/tsc', '--project', 'tsconfig.json']),
])
const judged = startJudging(root, { isWhole: !selecting })
const result = await runTests({ root, seed, words, environment: judged.environment })

const checks = { lint, types, document: judged.settle() }

const failedChecks = Object.entries(checks).filter(([, ok]) => !ok)
for (const [name] of failedChecks) console.log(`\n${name} failed`)
for (const file of result.failedFiles) console.log(`failed: ${file}`)
const failed = result.failed + failedChecks.length
console.log(`\nThe order of the files was --seed ${seed}`)
console.log(`${result.passed + Object.keys(checks).length - failedChecks.length} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
