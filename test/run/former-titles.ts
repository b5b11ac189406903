// The table of titles that are others now (former-titles.tsv), and of those that are new: a line each, its parts
// divided by tabs. What a line says is judged in title-list.ts.

import type { Title } from './title-list.js'

/** A title that is no more, where what it showed is shown, and why. */
export interface FormerTitle {
  from: Title
  to: Title
  why: string
}

/** Why the titles of a file are new that the commit did not have. */
export interface NewTitles {
  file: string
  why: string
}

export interface FormerTitles {
  /** The commit, whole, whose titles these are. */
  commit: string
  titles: FormerTitle[]
  added: NewTitles[]
}

/**
 * Reads the table: comments begin with `#`, one of them is `# commit: …`; `was`, file, title, file now, title now, why;
 * `new`, file, why. Throws with the number of a line that is none of these.
 */
export function readFormerTitles(text: string): FormerTitles {
  const commit = /^# commit: ([0-9a-f]{40})$/m.exec(text)?.[1]
  if (commit === undefined) throw new Error('the table does not say "# commit: …", the whole of it')
  const titles: FormerTitle[] = []
  const added: NewTitles[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (line === '' || line.startsWith('#')) continue
    const [kind, ...parts] = line.split('\t')
    const [file = '', second = '', fileNow = '', titleNow = '', why = ''] = parts
    const expected = { was: 5, new: 2 }[String(kind)]
    if (parts.length !== expected || parts.includes(''))
      throw new Error(`line ${at + 1} is no title with its reason: ${line}`)
    if (kind === 'new') added.push({ file, why: second })
    else titles.push({ from: { file, title: second }, to: { file: fileNow, title: titleNow }, why })
  }
  return { commit, titles, added }
}
