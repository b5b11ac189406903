// Finds former words in names and texts. A function over file texts, so that planted ones can be shown to be found.

import type { SourceFile } from './architecture.js'
import type { FormerWord } from './former-words.js'

/** Prose between the elements of a page. */
const prose = /(?<=[>}])(?:[^<>{}();=]|; (?=[a-z]))*(?=[<{])/g
/** Comments, strings and regular expressions: all that names nothing. */
const unnamed = new RegExp(
  [
    /\/\/[^\n]*/,
    /\/\*[\s\S]*?\*\//,
    /'(?:\\.|[^'\\\n])*'/,
    /"(?:\\.|[^"\\\n])*"/,
    // A template up to what is put in, and what follows that in its line.
    /`(?:\\.|[^`$\\]|\$(?!\{))*(?:`|\$\{)/,
    /\}(?:\\.|\$(?!\{)|[^`${}\\\n])*(?:`|\$\{)/,
    /(?<=[=(,:;!&|?[{}\n]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/[\\\n])+\/[a-z]*/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/** `openRedisMemory` and `redis-memory` as `open redis memory` and `redis memory`. */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase()
}

/** A line for each former word that a file still uses, with the word to write instead. */
export function formerUses(files: readonly SourceFile[], table: readonly FormerWord[]): string[] {
  const rows = table.map((row) => ({ ...row, anywhere: row.text && new RegExp(row.text, `${row.text.flags}m`) }))
  return files.flatMap(({ path, text }) => {
    const named = namesIn(path, text).map((name) => ({ name, words: wordsOf(name) }))
    return rows.flatMap(({ word, standard, names, text: forbidden, anywhere }) => {
      const instead = `"${word}" is "${standard}"`
      const byName = named.filter(({ words }) => names?.test(words)).map(({ name }) => `${path}: ${name}: ${instead}`)
      if (!anywhere?.test(text)) return byName
      const lines = text.split('\n').flatMap((line, at) => (forbidden?.test(line) ? [at + 1] : []))
      return [...byName, ...lines.map((line) => `${path}:${line}: ${instead}`)]
    })
  })
}

/** The parts of a path, and everything that code names, each once. */
function namesIn(path: string, text: string): string[] {
  const spoken = path.endsWith('.tsx') ? text.replace(prose, ' ') : text
  const code = /\.tsx?$/.test(path) ? spoken.replace(unnamed, ' ') : ''
  return [...new Set([...path.split('/'), ...(code.match(/[A-Za-z_$][\w$]*/g) ?? [])])]
}
