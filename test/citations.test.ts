// Whatever is cited can be looked up in the repository: sections of the contract, threats, decisions, tests.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../src/config/read/package-root.js'
import type { SourceFile } from './support/models/architecture.js'
import { type Citable, sectionsOf, threatsOf, unresolved, unshown } from './support/models/citations.js'

const root = String(packageRoot())
/** They hold made-up citations. */
const exempt = new Set([
  'test/citations.test.ts',
  'test/words.test.ts',
  'test/run/title-list.test.ts',
  'test/support/models/citations.ts',
])

function read(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(tsx?|md)$/.test(path))
    .map((path) => `${folder}/${path}`)
    .filter((path) => !exempt.has(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

const readme = { path: 'README.md', text: readFileSync(join(root, 'README.md'), 'utf8') }
const files = [...read('src'), ...read('test'), ...read('deploy'), readme]
const texts = new Map(files.map(({ path, text }) => [path, text]))
const threats = threatsOf(texts.get('src/THREATS.md') ?? '')
const citable: Citable = {
  sections: sectionsOf(texts.get('src/CONTRACT.md') ?? ''),
  threats: new Set(threats.map((threat) => threat.code)),
  decisions: new Set(
    readdirSync(join(root, 'src/decisions')).map((name) => Number(/^(\d{4})-/.exec(name)?.[1] ?? Number.NaN)),
  ),
  files: new Set([...texts.keys(), ...exempt]),
}

t.test('every citation in sources, tests and documents resolves', async (t) => {
  t.ok(files.length > 1500, `${files.length} files were read`)
  t.ok(citable.sections.size > 60, `${citable.sections.size} sections of the contract`)
  t.same(unresolved(files, citable), [])
})

t.test('every threat has a sentence, and a test that names it', async (t) => {
  t.ok(threats.length > 240, `${threats.length} threats`)
  t.same(unshown(threats, texts), [])
})

t.test('a planted citation of what is not there is found', async (t) => {
  const comment = (said: string) => unresolved([{ path: 'src/http/a.ts', text: `// ${said}\n` }], citable)
  t.match(comment('What a caller gets (contract §9).'), [/contract §9/])
  t.match(comment('What a caller gets (contract §3 and §7.99).'), [/contract §7\.99/])
  t.match(comment('Over two lines (contract\n// §12).'), [/contract §12/])
  t.match(comment('What holds it off (K99).'), [/K99/])
  t.match(comment('What holds it off (identity M1, M77).'), [/identity M77/])
  t.match(comment('Why (decision 9999).'), [/decision 9999/])
  t.match(comment('Held by test/http/nothing.test.ts.'), [/nothing\.test\.ts/])
  t.match(comment('The issue’s third line.'), [/issue/])
  t.same(comment('Contract §7.5 and §8; K7, gateway L11, M7, decisions 84 and 0048, test/citations.test.ts.'), [])
  t.same(
    unresolved([{ path: 'src/http/a.ts', text: "const a = 'K99 %C3%A9'\n" }], citable),
    [],
    'a source cites in comments',
  )
  t.match(
    unresolved([{ path: 'test/a.test.ts', text: "t.test('K99 no', run)\n" }], citable),
    [/K99/],
    'a test in titles',
  )
})

t.test('a planted mistake in the list of threats is found', async (t) => {
  const row = (code: string, sentence: string, shown: string) => threatsOf(`| ${code} | ${sentence} | ${shown} |\n`)
  const sentence = 'Somebody wants something: it is refused.'
  const shown = new Map([['test/a.test.ts', "t.test('K1 gateway M7: it is refused', run)"]])
  t.same(unshown([...row('K1', sentence, '`a.test.ts`'), ...row('gateway M7', sentence, '`a.test.ts`')], shown), [])
  t.same(unshown(row('K2', sentence, '`a.test.ts`'), shown), ['test/a.test.ts does not show K2'])
  t.same(unshown(row('K1', sentence, '`b.test.ts`'), shown), ['test/b.test.ts does not show K1'])
  t.same(unshown(row('K1', sentence, ''), shown), ['K1 is shown nowhere'])
  t.same(unshown(row('K1', 'Bad.', '`a.test.ts`'), shown), ['K1 says nothing'])
  const twice = row('K1', sentence, '`a.test.ts`')
  t.same(unshown([...twice, ...twice], shown), ['K1 is listed twice'])
})
