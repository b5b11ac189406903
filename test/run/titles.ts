// `npm run test:titles`: the titles of all tests, by file. With a commit (`-- 93a08e1`): what has become of the titles
// of that one.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Title, titleChanges, titlesIn } from './title-list.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

const [commit] = process.argv.slice(2)
if (commit === undefined) for (const { file, title } of titlesNow()) console.log(`${file}\t${title}`)
else compare(titlesAt(commit), titlesNow())

function titlesNow(): Title[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .flatMap((path) => titlesIn(`test/${path}`, readFileSync(join(root, 'test', path), 'utf8')))
}

function titlesAt(name: string): Title[] {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return git('ls-tree', '-r', '--name-only', name, 'test')
    .split('\n')
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => titlesIn(path, git('show', `${name}:${path}`)))
}

function compare(before: readonly Title[], after: readonly Title[]): void {
  const { moved, reworded, gone, added } = titleChanges(before, after)
  for (const { title, from, to } of moved) console.log(`moved\t${from.join(' ')} -> ${to.join(' ')}\t${title}`)
  for (const { from, to } of reworded) console.log(`reworded\t${to.file}\t${from.title} -> ${to.title}`)
  for (const { file, title } of gone) console.log(`gone\t${file}\t${title}`)
  for (const { file, title } of added) console.log(`new\t${file}\t${title}`)
  const movedTitles = moved.reduce((sum, { to }) => sum + to.length, 0)
  const counts = [`${movedTitles} moved`, `${reworded.length} reworded`, `${gone.length} gone`, `${added.length} new`]
  console.log(`${before.length} titles before, ${after.length} after: ${counts.join(', ')}`)
}
