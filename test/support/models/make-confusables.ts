// Makes src/naming/confusables-table.ts of a new Unicode version (decision 0101):
// npx tsx test/support/models/make-confusables.ts confusables.txt > src/naming/confusables-table.ts
// The file is at https://www.unicode.org/Public/security/latest/confusables.txt.

import { readFileSync } from 'node:fs'

const columns = 112

/** The module's text. */
export function confusablesModule(file: string): string {
  const version = /^# Version: (\S+)/m.exec(file)?.[1] ?? 'an unknown version'
  const lines = (entriesOf(file).match(new RegExp(`.{1,${columns}}`, 'g')) ?? []).map((line) => `  '${line}',`)
  return `// Which characters look like which others: confusables.txt of Unicode ${version} (UTS 39 §4), without what NFKC maps already. Made by
// test/support/models/make-confusables.ts (decision 0101). © 1991-2026 Unicode, Inc., under the Unicode License v3: UNICODE-LICENSE.txt.

/** Entries \`prototype source source …,\`: code points in base 36; sources each as the distance from the one before. */
export const confusablesTable: string = [
${lines.join('\n')}
].join('')
`
}

function entriesOf(file: string): string {
  const sources = new Map<string, number[]>()
  for (const line of file.split('\n')) {
    const [from, to] = line.replace(/#.*/, '').split(';')
    if (from === undefined || to === undefined) continue
    const [source = 0] = codePoints(from)
    const character = String.fromCodePoint(source)
    if (character.normalize('NFKC') !== character) continue
    const prototype = codePoints(to).map((each) => each.toString(36))
    sources.set(prototype.join('.'), [...(sources.get(prototype.join('.')) ?? []), source])
  }
  return [...sources].map(([prototype, list]) => `${prototype} ${distances(list).join(' ')}`).join(',')
}

function distances(list: readonly number[]): string[] {
  const sorted = [...list].sort((one, other) => one - other)
  return sorted.map((each, at) => (each - (sorted[at - 1] ?? 0)).toString(36))
}

function codePoints(text: string): number[] {
  return text
    .trim()
    .split(/\s+/)
    .map((each) => Number.parseInt(each, 16))
}

const [, , path] = process.argv
if (path !== undefined && import.meta.url.endsWith(process.argv[1]?.split('/').at(-1) ?? '?')) {
  process.stdout.write(confusablesModule(readFileSync(path, 'utf8')))
}
