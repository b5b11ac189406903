// The titles of tests are found as they are written, and what became of them is reported.

import t from 'tap'
import { readFormerTitles } from './former-titles.js'
import { isExplained, titleChanges, titlesIn } from './title-list.js'

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

t.test('what moved, went and came is distinguished, also of a title that occurs more often', async (t) => {
  const titles = (...pairs: [string, string][]) => pairs.map(([file, title]) => ({ file, title }))
  const before = titles(['a', 'same'], ['a', 'moves'], ['a', 'goes'], ['a', 'twice'], ['a', 'twice'], ['b', 'twice'])
  const after = titles(['a', 'same'], ['b', 'moves'], ['b', 'comes'], ['c', 'twice'], ['a', 'twice'])
  t.same(titleChanges(before, after), {
    moved: [
      { title: 'moves', from: ['a'], to: ['b'] },
      { title: 'twice', from: ['a'], to: ['c'] },
    ],
    explained: [],
    reworded: [],
    gone: titles(['a', 'goes'], ['b', 'twice']),
    added: titles(['b', 'comes']),
    stale: [],
  })
  t.same(titleChanges(before, before), { moved: [], explained: [], reworded: [], gone: [], added: [], stale: [] })
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
    explained: [],
    reworded: [{ from: before[0], to: after[0] }],
    gone: before.slice(1),
    added: after.slice(1),
    stale: [],
  })
})

t.test('a title of before that is not there needs a row of the table, which says where it is shown', async (t) => {
  const before = [
    { file: 'a', title: 'the house stands' },
    { file: 'a', title: 'stays' },
  ]
  const after = [
    { file: 'b', title: 'the project stands' },
    { file: 'a', title: 'stays' },
  ]
  const [was, is] = [before[0] as (typeof before)[0], after[0] as (typeof after)[0]]
  const row = { from: was, to: is, why: 'renamed: house → project' }

  const explained = titleChanges(before, after, [row])
  t.match(explained, { explained: [row], reworded: [], gone: [], added: [], stale: [] })
  t.ok(isExplained(explained))

  const alike = titleChanges(before, [{ file: 'a', title: 'the house of cards stands' }, ...after.slice(1)])
  t.equal(alike.reworded.length, 1)
  t.notOk(isExplained(alike), 'that it looks like another one is no reason')
  t.notOk(isExplained(titleChanges(before, after.slice(1))), 'nothing is there instead')

  const merged = { from: was, to: { file: 'a', title: 'stays' }, why: 'merged' }
  t.match(titleChanges(before, before.slice(1), [merged]), { explained: [merged], gone: [], stale: [] })
})

t.test('a row of the table that matches nothing is stale, and explains nothing', async (t) => {
  const before = [{ file: 'a', title: 'goes' }]
  const after = [{ file: 'b', title: 'comes' }]
  const row = { from: { file: 'a', title: 'goes' }, to: { file: 'b', title: 'comes' }, why: 'renamed' }
  const rows = {
    'never was': { ...row, from: { file: 'a', title: 'went' } },
    'was in another file': { ...row, from: { file: 'b', title: 'goes' } },
    'is not there now': { ...row, to: { file: 'a', title: 'comes' } },
  }
  for (const [name, stale] of Object.entries(rows)) {
    const changes = titleChanges(before, after, [stale])
    t.match(changes, { explained: [], gone: before, stale: [stale] }, name)
    t.notOk(isExplained(changes), name)
  }
  t.match(titleChanges(before, after, [row, row]), { explained: [row], stale: [row] }, 'said twice')
  t.match(titleChanges(before, before, [row]), { explained: [], gone: [], stale: [row] }, 'it is there as ever')
})

t.test('the table has a commit, and lines of titles with reasons only', async (t) => {
  const head = `# commit: ${'0a'.repeat(20)}\n`
  const read = readFormerTitles(`# why\n${head}\nwas\ta\tone\tb\ttwo\trenamed\nnew\tc\tthe issue asks\n`)
  t.same(read, {
    commit: '0a'.repeat(20),
    titles: [{ from: { file: 'a', title: 'one' }, to: { file: 'b', title: 'two' }, why: 'renamed' }],
    added: [{ file: 'c', why: 'the issue asks' }],
  })
  t.throws(() => readFormerTitles('was\ta\tone\tb\ttwo\trenamed\n'), /# commit/)
  for (const line of ['was\ta\tone\tb\ttwo', 'was\ta\tone\tb\ttwo\t', 'new\tc', 'gone\ta\tone', 'text', 'toString\ta'])
    t.throws(() => readFormerTitles(`${head}${line}\n`), /line 2/, line)
})
