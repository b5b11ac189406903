// The titles of tests are found as they are written, and what became of them is told.

import t from 'tap'
import { titleChanges, titlesIn } from './title-list.js'

t.test('titles are found at every depth, templates as they are written', async (t) => {
  const text = [
    "t.test('one', async (t) => {",
    '  for (const x of xs) await t.test(`two ${x.name}`, { timeout: 5 }, async () => {})',
    "  t.ok(/pattern/.test('no title'))",
    '  await t.test(`three`, async () => {})',
    '})',
    'test(title, async () => {})',
    'describe.test(\n  // why\n  "four",\n  run,\n)',
  ].join('\n')
  t.same(
    titlesIn('a.test.ts', text).map(({ title }) => title),
    ['one', 'two ${x.name}', 'three', 'title', 'four'],
  )
})

t.test('what moved, went and came is told apart, also of a title that occurs more often', async (t) => {
  const titles = (...pairs: [string, string][]) => pairs.map(([file, title]) => ({ file, title }))
  const before = titles(['a', 'same'], ['a', 'moves'], ['a', 'goes'], ['a', 'twice'], ['a', 'twice'], ['b', 'twice'])
  const after = titles(['a', 'same'], ['b', 'moves'], ['b', 'comes'], ['c', 'twice'], ['a', 'twice'])
  t.same(titleChanges(before, after), {
    moved: [
      { title: 'moves', from: ['a'], to: ['b'] },
      { title: 'twice', from: ['a'], to: ['c'] },
    ],
    reworded: [],
    gone: titles(['a', 'goes'], ['b', 'twice']),
    added: titles(['b', 'comes']),
  })
  t.same(titleChanges(before, before), { moved: [], reworded: [], gone: [], added: [] })
})

t.test('a title in other words is paired with the one that it was, sooner in a file of the same name', async (t) => {
  const titles = (...pairs: [string, string][]) => pairs.map(([file, title]) => ({ file, title }))
  const before = titles(
    ['a/x.ts', 'First of all: the story of a gate'],
    ['a/x.ts', 'another story'],
    ['a/y.ts', 'and a third'],
  )
  const after = titles(
    ['b/x.ts', 'the story of a gateway'],
    ['b/z.ts', 'another tale told'],
    ['a/y.ts', 'nothing alike'],
  )
  t.same(titleChanges(before, after), {
    moved: [],
    reworded: [{ from: before[0], to: after[0] }],
    gone: before.slice(1),
    added: after.slice(1),
  })
})
