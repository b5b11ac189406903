// `npm test`: installs what the tests need when it is missing (saying so), then lint, types and every test file, and
// ends with the line `N passed, N failed`. Options: `--seed N` repeats an order; words select files by name.

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runTests } from './tap.js'
import { installMissingTools } from './tools.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const words = process.argv.slice(2)
const seedAt = words.indexOf('--seed')
const seed = seedAt === -1 ? Date.now() % 1_000_000 : Number(words.splice(seedAt, 2)[1])

function step(title: string, command: string, options: readonly string[]): boolean {
  console.log(`\n== ${title}`)
  const { status } = spawnSync(command, options, { cwd: root, stdio: 'inherit' })
  return status === 0
}

const node = process.execPath
const selecting = words.length > 0
if (!selecting) installMissingTools()
rmSync(new URL('../../dist', import.meta.url), { recursive: true, force: true })

const checks = {
  lint:
    selecting ||
    step('lint', node, [
      'node_modules/@biomejs/biome/bin/biome',
      'ci',
      '--colors=off',
      '--config-path=config/lint.json',
      '.',
    ]),
  types: step('types', node, ['node_modules/@typescript/native/bin/tsc', '--project', 'tsconfig.json']),
}
const result = await runTests({ root, seed, words })

const failedChecks = Object.entries(checks).filter(([, ok]) => !ok)
for (const [name] of failedChecks) console.log(`\n${name} failed`)
for (const file of result.failedFiles) console.log(`failed: ${file}`)
const failed = result.failed + failedChecks.length
console.log(`\nThe order of the files was --seed ${seed}`)
console.log(`${result.passed + Object.keys(checks).length - failedChecks.length} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
