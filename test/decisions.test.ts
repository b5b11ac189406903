// The index of the decisions says what the records say: each once, by its title, with its status.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../src/config/read/package-root.js'

const folder = join(String(packageRoot()), 'src/decisions')
const line = /^- \[(\d+)\]\((\S+\.md)\) (.+): (accepted|(?:superseded|amended) by \d+(?:, \d+)*)$/gm
const statusLine = /^\*\*Status\.\*\* (Superseded|Amended) (by \d+(?:, \d+)*)\.$/m

/** What does not fit, a sentence each. `records`: text by name of the file. */
function problems(index: string, records: ReadonlyMap<string, string>): string[] {
  const listed = [...index.matchAll(line)].map(([, number, name, title, status]) => ({ number, name, title, status }))
  const unread = (index.match(/^- /gm) ?? []).length - listed.length
  const found = unread === 0 ? [] : [`${unread} lines of the index cannot be read`]
  for (const [name, text] of records) {
    const of = listed.filter((entry) => entry.name === name)
    if (of.length !== 1) found.push(`${name} is listed ${of.length} times`)
    const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? []
    const [, change, by = ''] = statusLine.exec(text) ?? []
    const status = change === undefined ? 'accepted' : `${change.toLowerCase()} ${by}`
    for (const entry of of) {
      if (entry.number !== number || entry.title !== title) found.push(`${name} has another title`)
      if (entry.status !== status) found.push(`${name} is ${status}, and listed as ${entry.status}`)
    }
    for (const later of by.match(/\d+/g) ?? []) {
      const record = [...records].find(([other]) => Number(other.slice(0, 4)) === Number(later))?.[1] ?? ''
      if (!new RegExp(`\\b0*${number}\\b`).test(record))
        found.push(`${name} is changed by ${later}, which does not name it`)
    }
  }
  for (const { name = '' } of listed) if (!records.has(name)) found.push(`${name} is listed and not there`)
  return found
}

t.test('each decision is listed once, by its title and with its status', async (t) => {
  const names = readdirSync(folder).filter((name) => name !== 'README.md')
  const records = new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  t.ok(records.size > 100, `${records.size} records`)
  t.same(problems(readFileSync(join(folder, 'README.md'), 'utf8'), records), [])
})

t.test('a planted mistake in the index is found', async (t) => {
  const records = new Map([
    ['0001-a.md', '# 1. A\n\n**Decision.** It is so.\n'],
    ['0002-b.md', '# 2. B\n\n**Status.** Superseded by 1.\n'],
    ['0003-c.md', '# 3. C\n\n**Status.** Amended by 4.\n'],
    ['0004-d.md', '# 4. D\n\nAmends decision 0003.\n'],
  ])
  const [a, b, c, d] = [
    '- [1](0001-a.md) A: accepted',
    '- [2](0002-b.md) B: superseded by 1',
    '- [3](0003-c.md) C: amended by 4',
    '- [4](0004-d.md) D: accepted',
  ]
  const unnamed = '0002-b.md is changed by 1, which does not name it'
  t.same(problems([a, b, c, d].join('\n'), records), [unnamed])
  t.same(problems([a, c, d].join('\n'), records), ['0002-b.md is listed 0 times', unnamed])
  t.same(problems([a, a, b, c, d].join('\n'), records), ['0001-a.md is listed 2 times', unnamed])
  t.match(problems([a, b, '- [3](0003-c.md) C: accepted', d].join('\n'), records).join(), /0003-c\.md is amended by 4/)
  t.match(problems(['- [1](0001-a.md) B: accepted', b, c, d].join('\n'), records).join(), /another title/)
  t.match(problems([a, b, c, d, '- [5](0005-e.md) E: accepted'].join('\n'), records).join(), /0005-e\.md is listed and/)
  t.match(problems([a, b, c, d, '- 6'].join('\n'), records).join(), /1 lines of the index cannot be read/)
})
