// The titles of tests as they stand in a source text, and how two lists of them differ. Why a title is another one now
// is read from a table (former-titles.ts).

import { basename } from 'node:path'
import ts from 'typescript'
import type { FormerTitle } from './former-titles.js'

/** Below it two titles are two tests; in files of the same name they are sooner one. */
const least = { sameFile: 0.4, other: 0.6 }

export interface Title {
  /** From the project's root. */
  file: string
  /** As written; of a template its text with the expressions in it: `after ${name}`. */
  title: string
}

export interface TitleChanges {
  /** In the same number on both sides, somewhere else. */
  moved: { title: string; from: readonly string[]; to: readonly string[] }[]
  /** What the table says of a title that is no more, and what it says is there. */
  explained: FormerTitle[]
  /** Most of the words are the same, and the table says nothing; a guess to be read. */
  reworded: { from: Title; to: Title }[]
  gone: Title[]
  added: Title[]
  /** Rows of the table whose former title is there as ever, or was never there, or whose present one is not there. */
  stale: FormerTitle[]
}

/** Whether every title of before is there, moved or explained. */
export function isExplained({ reworded, gone }: TitleChanges): boolean {
  return reworded.length === 0 && gone.length === 0
}

/**
 * The titles of all `….test('…', …)` in a text, in their order. A title that is not written there, such as a variable,
 * is its name.
 */
export function titlesIn(file: string, text: string): Title[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false)
  const titles: Title[] = []
  const walk = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node)) {
      const [first] = node.arguments
      if (first !== undefined) titles.push({ file, title: titleOf(first, source) })
    }
    ts.forEachChild(node, walk)
  }
  walk(source)
  return titles
}

/** `t.test(title, …)` with something to run, as a regular expression's `test(text)` has not. */
function isTest({ expression, arguments: given }: ts.CallExpression): boolean {
  const isNamed = ts.isPropertyAccessExpression(expression)
    ? expression.name.text === 'test'
    : ts.isIdentifier(expression) && expression.text === 'test'
  return isNamed && given.length > 1
}

function titleOf(node: ts.Expression, source: ts.SourceFile): string {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  const written = source.text.slice(node.getStart(source), node.end)
  return ts.isTemplateExpression(node) ? written.slice(1, -1) : written
}

/** What is not the same on both sides. A title that occurs more often is compared by how often. */
export function titleChanges(
  before: readonly Title[],
  after: readonly Title[],
  table: readonly FormerTitle[] = [],
): TitleChanges {
  const changes: TitleChanges = { moved: [], explained: [], reworded: [], gone: [], added: [], stale: [] }
  const [old, now] = [byTitle(before), byTitle(after)]
  for (const title of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(title) ?? [], now.get(title) ?? []]
    const [from, to] = [without(was, is), without(is, was)]
    const both = Math.min(from.length, to.length)
    if (both > 0) changes.moved.push({ title, from: from.slice(0, both), to: to.slice(0, both) })
    changes.gone.push(...from.slice(both).map((file) => ({ file, title })))
    changes.added.push(...to.slice(both).map((file) => ({ file, title })))
  }
  return withReworded(withExplained(changes, after, table))
}

/** Takes from those that are gone what the table explains, and from those that are added what it says they were. */
function withExplained(changes: TitleChanges, after: readonly Title[], table: readonly FormerTitle[]): TitleChanges {
  const gone = [...changes.gone]
  const added = [...changes.added]
  const { explained, stale } = changes
  for (const row of table) {
    const at = gone.findIndex((title) => isSame(title, row.from))
    if (at === -1 || !after.some((title) => isSame(title, row.to))) {
      stale.push(row)
      continue
    }
    gone.splice(at, 1)
    const isNow = added.findIndex((title) => isSame(title, row.to))
    if (isNow !== -1) added.splice(isNow, 1)
    explained.push(row)
  }
  return { ...changes, gone, added }
}

function isSame(one: Title, other: Title): boolean {
  return one.file === other.file && one.title === other.title
}

/** Takes the pairs that look like one title from those that are gone and added, the most alike first. */
function withReworded(changes: TitleChanges): TitleChanges {
  const pairs = changes.gone.flatMap((from) =>
    changes.added
      .map((to) => ({ from, to, likeness: likeness(from.title, to.title) }))
      .filter(
        ({ to, likeness: alike }) => alike >= least[basename(to.file) === basename(from.file) ? 'sameFile' : 'other'],
      ),
  )
  const reworded: TitleChanges['reworded'] = []
  const taken = new Set<Title>()
  for (const { from, to } of pairs.toSorted((a, b) => b.likeness - a.likeness)) {
    if (taken.has(from) || taken.has(to)) continue
    taken.add(from).add(to)
    reworded.push({ from, to })
  }
  const free = (titles: readonly Title[]) => titles.filter((title) => !taken.has(title))
  return { ...changes, reworded, gone: free(changes.gone), added: free(changes.added) }
}

/** Of their words, how many they have in common: from 0 to 1. */
function likeness(one: string, other: string): number {
  const [a, b] = [one, other].map(
    (title) =>
      new Set(
        title
          .toLowerCase()
          .split(/[^\p{L}\d]+/u)
          .filter(Boolean),
      ),
  )
  if (a === undefined || b === undefined) return 0
  const common = [...a].filter((word) => b.has(word)).length
  return common / Math.max(1, a.size + b.size - common)
}

function byTitle(titles: readonly Title[]): Map<string, string[]> {
  const files = new Map<string, string[]>()
  for (const { title, file } of titles) files.set(title, [...(files.get(title) ?? []), file])
  return files
}

/** Those of `items` that are left when each of `others` has taken one like it. */
function without(items: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return items.filter((item) => {
    const at = left.indexOf(item)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}
