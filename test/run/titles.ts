// `npm run test:titles`: the titles of all tests, by file. With a commit (`-- 93a08e1`): what has become of the titles
// of that one, and why, as far as former-titles.tsv is about it. Exits with 1 when a title of then is neither there nor
// explained.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FormerTitles, readFormerTitles } from './former-titles.js'
import { isExplained, type Title, type TitleChanges, titleChanges, titlesIn } from './title-list.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const table = readFormerTitles(readFileSync(new URL('former-titles.tsv', import.meta.url), 'utf8'))

const [given] = process.argv.slice(2)
if (given === undefined) for (const { file, title } of titlesNow()) console.log(`${file}\t${title}`)
else process.exitCode = compare(wholeName(given)) ? 0 : 1

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}

function wholeName(commit: string): string {
  try {
    return git('rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`).trim()
  } catch {
    console.error(`${commit} is no commit of this repository`)
    process.exit(2)
  }
}

function titlesNow(): Title[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .flatMap((path) => titlesIn(`test/${path}`, readFileSync(join(root, 'test', path), 'utf8')))
}

function titlesAt(commit: string): Title[] {
  return git('ls-tree', '-r', '--name-only', commit, 'test')
    .split('\n')
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => titlesIn(path, git('show', `${commit}:${path}`)))
}

/** Whether every title of the commit is there or explained. */
function compare(commit: string): boolean {
  const known: FormerTitles = table.commit === commit ? table : { commit, titles: [], added: [] }
  const [before, after] = [titlesAt(commit), titlesNow()]
  const changes = titleChanges(before, after, known.titles)
  tell(changes)
  tellNew(changes.added, known)
  const { explained, reworded, gone, added, stale } = changes
  const moved = changes.moved.reduce((sum, { to }) => sum + to.length, 0)
  const counts = [
    `${moved} moved`,
    `${explained.length} explained`,
    `${reworded.length} reworded without a reason`,
    `${gone.length} gone`,
    `${added.length} new`,
    `${stale.length} stale rows`,
  ]
  console.log(`${before.length} titles before, ${after.length} after: ${counts.join(', ')}`)
  return isExplained(changes)
}

function tell({ moved, explained, reworded, gone, stale }: TitleChanges): void {
  for (const { title, from, to } of moved) console.log(`moved\t${from.join(' ')} -> ${to.join(' ')}\t${title}`)
  for (const { from, to, why } of explained)
    console.log(`explained\t${from.file} -> ${to.file}\t${from.title} -> ${to.title}\t${why}`)
  for (const { from, to } of reworded) console.log(`reworded, why?\t${to.file}\t${from.title} -> ${to.title}`)
  for (const { file, title } of gone) console.log(`gone\t${file}\t${title}`)
  for (const { from, to } of stale)
    console.log(`stale row\t${from.file}\t${from.title} -> ${to.title}, which is not so`)
}

/** By their reason, in the order of the table; those without one last. */
function tellNew(titles: readonly Title[], { added }: FormerTitles): void {
  const reasons = [...new Set(added.map(({ why }) => why)), undefined]
  const reasonOf = (file: string) => added.find((row) => row.file === file)?.why
  for (const reason of reasons) {
    for (const { file, title } of titles.filter((one) => reasonOf(one.file) === reason))
      console.log(`new\t${file}\t${title}\t${reason ?? 'no reason given'}`)
  }
}
