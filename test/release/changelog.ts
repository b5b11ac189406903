// What changed for anyone who uses it, from the subjects of commits (Conventional Commits 1.0): by kind, then by room.
// Pure.

/** A commit as `git log` tells of it. */
export interface Commit {
  subject: string
  body: string
}

interface Change {
  type: string
  /** The room, or `other`. */
  room: string
  what: string
  /** What callers have to do, where it breaks something. */
  breaking: string | undefined
}

const kinds: readonly (readonly [heading: string, type: string])[] = [
  ['Added', 'feat'],
  ['Fixed', 'fix'],
  ['Faster', 'perf'],
]
const width = 120

/**
 * The section of one version, `## 0.2.0 (2026-11-22)` and what belongs to it; an empty one says so. `isFirst`: nobody
 * had anything before, so only what was added is listed. Commits of other types change nothing for users, unless they
 * break something.
 */
export function changelogSection(options: {
  version: string
  /** YYYY-MM-DD. */
  date: string
  commits: readonly Commit[]
  isFirst: boolean
}): string {
  const changes = options.commits.flatMap((commit) => changeOf(commit) ?? [])
  const broken = options.isFirst ? [] : changes.filter((change) => change.breaking !== undefined)
  const listedKinds = options.isFirst ? kinds.slice(0, 1) : kinds
  const parts = [
    ...part('Breaking', broken, (change) => change.breaking ?? change.what),
    ...listedKinds.flatMap(([heading, type]) =>
      part(
        heading,
        changes.filter((change) => change.type === type),
      ),
    ),
  ]
  const lines = parts.length > 0 ? parts : ['Nothing that users notice.', '']
  return [`## ${options.version} (${options.date})`, '', ...lines].join('\n')
}

/**
 * The file with the section above all others. Throws when it has that version already, or no heading to put it under.
 */
export function withSection(file: string, section: string): string {
  const [heading = ''] = section.split('\n')
  const version = heading.split(' ')[1]
  if (file.split('\n').some((line) => line.startsWith(`## ${version} `))) {
    throw new Error(`CHANGELOG.md has ${version} already`)
  }
  const first = file.search(/^## /m)
  if (first === -1) return `${file.trimEnd()}\n\n${section}`
  return `${file.slice(0, first)}${section}\n${file.slice(first)}`
}

function changeOf({ subject, body }: Commit): Change | undefined {
  const [, type = '', rooms = 'other', mark, what = ''] = /^([a-z]+)(?:\(([^)]+)\))?(!)?: (.+)$/.exec(subject) ?? []
  if (what === '') return undefined
  const footer = /^BREAKING[ -]CHANGE: (.+(?:\n(?!\n)(?![A-Za-z-]+: ).+)*)/m.exec(body)?.[1]?.replace(/\s*\n\s*/g, ' ')
  return { type, room: rooms, what, breaking: footer ?? (mark === undefined ? undefined : what) }
}

function part(heading: string, changes: readonly Change[], say = (change: Change) => change.what): string[] {
  if (changes.length === 0) return []
  const rooms = [...new Set(changes.map((change) => change.room))].sort()
  const lines = rooms.flatMap((room) => {
    const said = [...new Set(changes.filter((change) => change.room === room).map(say))]
    return wrapped(`- **${room}**: ${said.join('; ')}`)
  })
  return [`### ${heading}`, '', ...lines, '']
}

function wrapped(text: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ` `
    }
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
