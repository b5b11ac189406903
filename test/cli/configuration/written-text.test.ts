// Names in a configuration that is proposed: as people would write them, and read again as what they were.

import t from 'tap'
import { nameText } from '../../../src/cli/configuration/written-text.js'
import { readDisk } from '../../../src/config/read/file-reader.js'
import { readYaml } from '../../../src/config/read/source.js'
import { createReport } from '../../../src/config/report/report.js'

const plain = [
  ...[
    'list_tickets',
    'close-ticket',
    'desk.read',
    'v2',
    '_private',
    'nullable',
    'yesterday',
    'größe',
    'Überblick',
    '名前',
  ],
  ...[
    'desk://tickets/1',
    '/desk/mcp',
    'https://gate.example:8443/desk/mcp',
    'show all',
    'a@b',
    'a/b+c',
    'file:/etc/ca.pem',
  ],
]
const quoted = [
  ...['', ' ', ' a', 'a ', 'yes', 'No', 'ON', 'off', 'y', 'N', 'null', 'Null', 'true', 'FALSE', '~', '<<', '='],
  ...['1', '1e3', '0x1f', '0o7', '-1', '+1', '.5', '.inf', '.nan', '1_000', '1:30', '2026-07-28', '12e03'],
  ...['a: b', 'a:', ':a', '#x', 'a #x', '- x', '-', '? x', '?', 'a, b', 'a,b', '[a]', '{a}', 'desk://tickets/{id}'],
  ...[
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    '%a',
    '@a',
    '`a`',
    '"a"',
    "'a'",
    'a"b',
    '\\',
    'a\nb',
    'a\tb',
    'a\u2028b',
    'a\u202eb',
    '\u0000',
  ],
  ...['---', '...', '--- a', '\ufeffa', 'a\u00a0b', '😀'],
]

/** As the file is read: a name as a key, as a value, and between brackets. */
function readBack(name: string): unknown {
  const written = nameText(name)
  const report = createReport('proposed.yaml')
  const text = `${written}: 1\nvalue: ${written}\nlist: [${written}, ${written}]\nmap: { a: ${written}, b: ${written} }\n`
  const data = readYaml(text, { env: {}, folder: process.cwd(), reader: readDisk(), report }) as Record<string, unknown>
  return [report.problems(), Object.keys(data)[0], data['value'], data['list'], data['map']]
}

t.test('a name is in quotes where YAML would read something else, and nowhere else', async (t) => {
  t.same(plain.map(nameText), plain)
  const bare = quoted.map(nameText).filter((text) => !/^".*"$/.test(text))
  t.same(bare, [])
})

t.test('every name reads back as itself', async (t) => {
  // A reference is one with quotes and without.
  const names = [...plain, ...quoted].filter((name) => !name.startsWith('file:'))
  t.same(
    names.map(readBack),
    names.map((name) => [[], name, name, [name, name], { a: name, b: name }]),
  )
})
