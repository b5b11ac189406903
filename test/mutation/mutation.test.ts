// What the mutation runner takes out, what it chooses, and what it understands. That it finds a hole is shown by
// running it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { chosen, nearestFirst } from './choice.js'
import { built } from './copy.js'
import { readOptions, usage } from './options.js'
import { refusalsOf, without } from './refusals.js'

const refusing = [
  "if (name === '') throw new Error('empty')",
  'if (isOld(token)) {',
  "  return refuse('expired')",
  '}',
  'if (count > 3) return false',
  'if (count > 2) count = 2',
].join('\n')

t.test('a refusal is an if that does nothing but throw, or return one', async (t) => {
  t.same(
    refusalsOf('src/tokens/a.ts', refusing).map(({ line, condition }) => [line, condition]),
    [
      [1, "name === ''"],
      [2, 'isOld(token)'],
      [5, 'count > 3'],
    ],
  )
})

t.test('taken out, it never refuses, and the rest of the source is as it was', async (t) => {
  const text = 'let n = 4\nif (n > 3 || n < 0) throw new Error()\n'
  const [refusal] = refusalsOf('src/tokens/a.ts', text)
  if (refusal === undefined) throw new Error('no refusal was found')
  const taken = without(text, refusal)
  t.throws(() => new Function(text)())
  t.doesNotThrow(() => new Function(taken.replace(' as { never?: true }', ''))())
  t.equal(taken.split('\n').length, text.split('\n').length)
})

t.test('a source that is put back is built as the project builds it: an ES module, pages too', async (t) => {
  const root = String(packageRoot())
  const text = "import type { B } from './b.js'\nexport const a = (b: B) => b.go()\n"
  t.equal(built(root, 'src/tokens/a.ts', text), 'export const a = (b) => b.go();\n')
  t.match(
    built(root, 'src/web/a.tsx', 'export const a = () => <p>text</p>\n'),
    /^import \{.*\} from "preact\/jsx-runtime"/,
  )
})

t.test('in every room of the server there is something to take out', async (t) => {
  const src = join(String(packageRoot()), 'src')
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))
  const found = new Set(
    paths
      .filter((path) => refusalsOf(path, readFileSync(join(src, path), 'utf8')).length > 0)
      .map((path) => path.split('/')[0]),
  )
  const withoutRefusals = ['cluster', 'docs', 'main.ts', 'observability']
  for (const room of new Set(paths.map((path) => path.split('/')[0] ?? ''))) {
    if (!withoutRefusals.includes(room)) t.ok(found.has(room), room)
  }
})

t.test('a seed chooses the same refusals again, and --skip goes on where --count ended', async (t) => {
  const items = Array.from({ length: 50 }, (_, i) => i)
  const all = chosen(items, { seed: 7, skip: 0, count: 50 })
  t.same(
    all.toSorted((a, b) => a - b),
    items,
    'each of them once',
  )
  t.same(
    [0, 20, 40].flatMap((skip) => chosen(items, { seed: 7, skip, count: 20 })),
    all,
  )
  t.notSame(chosen(items, { seed: 8, skip: 0, count: 50 }), all)
})

t.test('the nearest tests come first: what imports the source, its folder, its room, several instances', async (t) => {
  const file = (path: string, text = '') => ({ path, text })
  const files = [
    file('test/flows/readme.test.ts'),
    file('test/limits/limiter.test.ts'),
    file('test/instances/together.test.ts'),
    file('test/identity/consent/consent.test.ts'),
    file('test/identity/token/refresh-token.test.ts'),
    file('test/access/decide.test.ts', "import { a } from '../../src/identity/token/token.js'\n"),
  ]
  t.same(nearestFirst(files, 'src/identity/token/token.ts'), [
    'test/access/decide.test.ts',
    'test/identity/token/refresh-token.test.ts',
    'test/identity/consent/consent.test.ts',
    'test/instances/together.test.ts',
    'test/limits/limiter.test.ts',
    'test/flows/readme.test.ts',
  ])
  t.equal(
    nearestFirst(files, 'src/identity/pending/consent.tsx')[0],
    'test/identity/consent/consent.test.ts',
    'its name',
  )
})

t.test('the words of the command line, and those that are refused', async (t) => {
  t.same(readOptions([], 5), { help: false, count: 20, skip: 0, seed: 5, under: 'src/' })
  t.same(readOptions(['--room', 'identity/token/', '--count', '3', '--skip', '6', '--seed', '9', '--tests', '4'], 5), {
    help: false,
    count: 3,
    skip: 6,
    seed: 9,
    under: 'src/identity/token/',
    tests: 4,
  })
  for (const words of [
    ['--count', '0'],
    ['--count', 'many'],
    ['--tests', '0'],
    ['--seed', '-1'],
    ['--rooms', 'a'],
    ['a'],
  ])
    t.throws(() => readOptions(words, 5), words.join(' '))
  for (const name of ['count', 'skip', 'seed', 'room', 'tests', 'help']) t.match(usage, `--${name}`)
})
