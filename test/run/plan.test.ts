// Which files a run has: nothing is left out of all tiers, or of all parts, and what is left out says why.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { readOptions } from './options.js'
import { inShard, inTier, longestFirst, marksIn, type PlannedFile, readPlan } from './plan.js'

const plan = readPlan(String(packageRoot()))
const namesOf = (files: readonly PlannedFile[]) => files.map(({ name }) => name)

t.test('quick and rest together are everything; a file is in both only if its random tests draw less', async (t) => {
  const [quick, rest, full] = (['quick', 'rest', 'full'] as const).map((tier) => inTier(plan, tier))
  t.same(namesOf(full ?? []), namesOf(plan))
  t.ok(plan.length > 250, `${plan.length} files`)
  t.ok((quick?.length ?? 0) > 200 && (rest?.length ?? 0) > 50, `${quick?.length} are quick, ${rest?.length} the rest`)
  t.same(new Set([...namesOf(quick ?? []), ...namesOf(rest ?? [])]), new Set(namesOf(plan)))
  const twice = quick?.filter((file) => rest?.includes(file)) ?? []
  t.same(
    twice.filter(({ drawsLess }) => !drawsLess),
    [],
  )
})

t.test('parts are everything, each file once, and take about as long as each other', async (t) => {
  for (const of of [1, 2, 3, 7]) {
    const parts = Array.from({ length: of }, (_, at) => inShard(plan, { number: at + 1, of }))
    t.same(namesOf(parts.flat()).sort(), namesOf(plan), `${of} parts`)
    const seconds = parts.map((part) => part.reduce((sum, file) => sum + file.seconds, 0))
    const longest = longestFirst(plan)[0]?.seconds ?? 0
    t.ok(Math.max(...seconds) - Math.min(...seconds) <= longest, `${of} parts: ${seconds.map(Math.round)} s`)
  }
})

t.test('only test files ask how much they may draw, so that a run can see which do', async (t) => {
  const folder = join(String(packageRoot()), 'test')
  const others = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?<!\.test)\.ts$/.test(path),
  )
  t.ok(others.length > 100, `${others.length} files were read`)
  t.same(
    others.filter((path) => marksIn(path, readFileSync(join(folder, path), 'utf8')).drawsLess),
    [],
  )
})

t.test('what starts a program, a browser or a database has a process of its own', async (t) => {
  const starts = /\bstart(?:Program|Browser|Postgres|Redis)\(/
  const textOf = ({ name }: PlannedFile) => readFileSync(join(String(packageRoot()), 'test', `${name}.ts`), 'utf8')
  const starting = plan.filter((file) => starts.test(textOf(file)))
  t.ok(starting.length > 50, `${starting.length} files start something`)
  t.same(namesOf(starting.filter(({ lane }) => lane === 'shared')), [], '`// run: apart` in their first lines')
})

t.test('the marks of a file', async (t) => {
  const plain = { lane: 'shared', drawsLess: false }
  t.same(marksIn('a', '// About a.\n\nimport x\n'), plain)
  t.same(marksIn('a', '// About a.\n// full: an hour\n// run: alone\n'), {
    ...plain,
    lane: 'alone',
    fullOnly: 'an hour',
  })
  t.same(marksIn('a', "// A.\n\nimport { drawn } from '../support/effort.js'\n"), { ...plain, drawsLess: true })
  t.same(marksIn('a', `// A.\n${'\n'.repeat(20)}// full: too far down\n`), plain)
  t.throws(() => marksIn('a', '// A.\n// run: sometimes\n'), /sometimes" is none of alone, apart/)
  t.throws(() => marksIn('a', '// A.\n// full:\n'), /does not say why/)
})

t.test('the words of the command line', async (t) => {
  const fresh = { tier: 'quick', words: [], seed: 5, times: false }
  t.same(readOptions([], 5), fresh)
  t.same(readOptions(['--all', '--rest'], 5), { ...fresh, tier: 'rest' }, 'npm run test:all -- --rest')
  t.same(readOptions(['--rest', '--all'], 5), { ...fresh, tier: 'rest' })
  t.same(readOptions(['--all', '--shard', '2/3', '--times'], 5), {
    ...{ ...fresh, tier: 'full', times: true },
    shard: { number: 2, of: 3 },
  })
  t.same(readOptions(['gateway/', '--seed', '17', 'x'], 5), { ...fresh, words: ['gateway/', 'x'], seed: 17 })
  for (const wrong of ['0/3', '4/3', '3', 'a/b', '-1/2', '']) {
    t.throws(() => readOptions(['--shard', wrong], 5), /i\/n/, wrong)
  }
  t.throws(() => readOptions(['--seed', 'x'], 5), /needs a number/)
  t.throws(() => readOptions(['--seed'], 5), /needs a number/)
  t.throws(() => readOptions(['--al'], 5), /--al is no option/)
})
