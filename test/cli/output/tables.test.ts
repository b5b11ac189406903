// Every command that lists something, at terminals of 80, 100 and 160 columns, in a pipe, and with nothing to list.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import t from 'tap'
import { commandGroups } from '../../../src/cli/command-groups.js'
import { displayWidth } from '../../../src/cli/output/display-width.js'
import { laidOut } from '../../../src/cli/output/layout.js'
import { type OutputFormat, printRecord } from '../../../src/cli/output/output.js'
import { relativeTime } from '../../../src/cli/output/relative-time.js'
import type { Terminal } from '../../../src/cli/output/terminal.js'
import { runCommand, socketServer } from '../../support/rooms/cli.js'
import { ids, listAnswer, now } from './list-answers.js'

/** What is typed behind the words of each. */
const lists: Readonly<Record<string, { args?: string; shows?: RegExp; hides?: RegExp; never?: true }>> = {
  'app list': { shows: /^NAME/, hides: /TENANT|7c9e6679/ },
  'app permission list': { args: 'a', shows: /Contoso/, hides: /7c9e6679/, never: true },
  'app permission requests': { args: 'a' },
  'app federation list': { args: 'a' },
  'app owner list': { args: 'a' },
  'app new-origin list': {},
  'tenant list': {},
  'tenant members': { args: 'Contoso', shows: /maximiliana/ },
  'user list': {},
  'user sessions': { args: ids.user, shows: /^2 m ago/m },
  'user apps': { args: ids.user, shows: /Contoso/ },
  'user sign-ins': { args: ids.user, shows: /2 m ago/ },
  'user invitations': { shows: /in 3 d/ },
  'permission list': {},
  'api list': {},
  'catalogue list': { shows: /^posts/m },
  'catalogue callers': { args: 'posts', shows: /12345/, never: true },
  'consent list': { args: '--tenant Contoso', shows: /everybody/ },
  'consent requests': { shows: /Nightly/ },
  'registration-token list': { shows: /in 3 d/ },
  'audit list': { shows: /user maxi[\s\S]*application Nigh/, hides: /7c9e6679|550e8400/ },
  'audit activity': { shows: /2 m ago/ },
  'webhook list': {},
  'webhook deliveries': { args: 'w', shows: /waiting/ },
  'event list': { shows: /key.rotated/, never: true },
  'plan list': { shows: /starter/, never: true },
  'plan requests': { shows: /starter/ },
  'plan use': { shows: /starter/, never: true },
  'provider list': { shows: /id\.example/ },
  'keys list': { shows: /active/ },
  'mcp changes': { shows: /held/ },
  'mcp rules list': { args: 'Contoso', shows: /second-factor/ },
  'mcp rules set': { args: 'Contoso /desk/mcp second-factor close_ticket', shows: /second-factor/, never: true },
  usage: { args: '--by application', shows: /Nightly/ },
  status: { shows: /posts/, never: true },
  routes: { args: 'portcullis.yaml', shows: /^METHODS/, never: true },
}

async function surroundings(t: { teardown(work: () => unknown): void }, isEmpty: boolean) {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const server = await socketServer(join(cwd, 'admin.sock'), ({ path }) => listAnswer(path, isEmpty))
  t.teardown(() => server.close())
  const env = { PORTCULLIS_SOCKET: join(cwd, 'admin.sock') }
  return (line: string, more: { width?: number } = {}) =>
    runCommand(line.trim().split(/ +/), { cwd: process.cwd(), env, now, ...more })
}

const typed = (words: string) =>
  `${words} ${(lists[words]?.args ?? '').replace('portcullis.yaml', 'config/portcullis.yaml')}`

t.test('every list of the command line is in this table', async (t) => {
  const program = new Command('portcullis')
  const terminal = { out() {}, say() {}, env: {}, cwd: '/', interactive: false, colours: false, input: async () => '' }
  for (const group of commandGroups) (await group.load())(program, terminal)
  const found = (command: Command, words: string[]): string[] => [
    ...(command.options.some(({ argChoices }) => argChoices?.includes('wide')) ? [words.join(' ')] : []),
    ...command.commands.flatMap((inner) => found(inner, [...words, inner.name()])),
  ]
  // It asks servers of its own, not this one (cli/mcp/check).
  const others = ['mcp check']
  t.same(found(program, []).sort(), [...Object.keys(lists), ...others].sort())
})

t.test('tables fit the terminal, shorten names and no identifiers, and say times as people do', async (t) => {
  const run = await surroundings(t, false)
  for (const [words, { shows = /./, hides = /never/ }] of Object.entries(lists)) {
    for (const width of [80, 100, 160]) {
      const { code, out, err } = await run(typed(words), { width })
      t.equal(code, 0, `${words} ${err}`)
      const rows = words === 'status' ? out.split('\n\n').slice(1).join('\n') : out
      t.same(
        rows.split('\n').filter((line) => displayWidth(line) > width),
        [],
        `${words} at ${width}`,
      )
      t.notMatch(rows, /[0-9a-f]{8}-[0-9a-f-]*…/, `${words}: no half identifier`)
      t.notMatch(rows, /\d{4}-\d{2}-\d{2}T/, `${words}: times as people say them`)
      t.match(rows, shows, words)
      if (width === 80) t.notMatch(rows, hides, words)
    }
  }
})

t.test('a pipe and -o wide have every column in full', async (t) => {
  const run = await surroundings(t, false)
  for (const words of Object.keys(lists)) {
    const piped = await run(typed(words))
    const wide = await run(`${typed(words)} -o wide`, { width: 80 })
    t.equal(piped.code, 0, `${words} ${piped.err}`)
    t.equal(wide.out, piped.out, words)
    t.notMatch(piped.out, /…|\b2 m ago\b/, words)
  }
  t.match(
    (await run('audit list')).out,
    /2026-03-01T11:58:00\.000Z.*Contoso.*203\.0\.113\.77 +0f8fad5b-[-0-9a-f]+ +550e8400/,
  )
})

t.test('an empty list says so and what to do next, and prints nothing', async (t) => {
  const run = await surroundings(t, true)
  for (const [words, { never }] of Object.entries(lists)) {
    if (never) continue
    const { code, out, err } = await run(typed(words), { width: 80 })
    if (words === 'tenant list') continue
    t.equal(code, 0, `${words} ${err}`)
    t.equal(out, '', words)
    t.match(err, /^[A-Z][^\n]{8,}[.?a-zA-Z]\n$/, words)
    const json = await run(`${typed(words)} -o json`)
    t.match(json.out, /"value": \[\]/, words)
  }
})

t.test('each name is looked up once, and none for programs', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const server = await socketServer(join(cwd, 'admin.sock'), ({ path }) => listAnswer(path, false))
  t.teardown(() => server.close())
  await runCommand(['audit', 'list', '-o', 'json'], { cwd, env: { PORTCULLIS_SOCKET: 'admin.sock' } })
  t.same(
    server.requests.map(({ path }) => path.replace(/\?.*/, '')),
    ['/api/v2/auditEvents'],
  )
  await runCommand(['audit', 'list'], { cwd, env: { PORTCULLIS_SOCKET: 'admin.sock' } })
  t.equal(server.requests.length, 5, 'each name once')
})

t.test('what goes first, and characters of two columns', async (t) => {
  const list = {
    headings: ['NAME', 'WHERE', 'NOTE'],
    rows: [
      ['東京の倉庫からの請求書です', 'x', 'a long note of somebody'],
      ['b', 'x', 'short'],
    ],
    context: ['WHERE'],
  }
  const narrow = laidOut(list, 30, 0)
  t.same(narrow.headings, ['NAME', 'NOTE'])
  for (const row of narrow.rows) t.ok(displayWidth(row.join('  ')) <= 30, row.join('  '))
  t.same(laidOut(list, 14, 0).headings, ['NAME'], 'the first column stays')
  const tool = 'trigger-the-long-running-operation'
  const tools = { headings: ['ROUTE', 'TOOL', 'NEEDS'], rows: [['/desk/mcp', tool, 'a-permission-of-some-length']] }
  t.notMatch(laidOut(tools, 60, 0).rows, [['/desk/mcp', tool]])
  t.match(laidOut({ ...tools, typed: ['TOOL'] }, 60, 0).rows, [['/desk/mcp', tool, /…$/]])
  t.same(laidOut({ ...list, firstToGo: ['NOTE'], context: [] }, 20, 0).headings, ['NAME', 'WHERE'])
  const alike = ['https://localhost:8443/api/v2/Posts.Read', 'https://localhost:8443/api/v2/Posts.Write', '東京の倉庫']
  const ids = { headings: ['PERMISSION'], rows: alike.map((id) => [id]) }
  t.same(
    laidOut(ids, 14, 0).rows,
    [['…v2/Posts.Read'], ['…2/Posts.Write'], ['東京の倉庫']],
    'what tells them apart stays',
  )
})

t.test('records say at a terminal how long ago, and in full elsewhere', async (t) => {
  const at = new Date(now - 3 * 86_400_000).toISOString()
  const shown = (width: number | undefined, format: OutputFormat = 'table') => {
    const parts: string[] = []
    const terminal = { width, now: () => now, out: (part: string) => parts.push(part) } as unknown as Terminal
    const fields = [
      { label: 'at', value: at },
      { label: 'token', value: `issued ${at}, until 2026-03-01T13:00:00.000Z` },
      { label: 'made', value: '2025-01-01T10:00:00Z' },
      { label: 'name', value: 'v2026-01-01T10:00:00Z-x' },
    ]
    printRecord(terminal, format, {}, fields)
    return parts.join('')
  }
  t.equal(
    shown(80),
    `at     3 d ago (2026-02-26 12:00 UTC)
token  issued 3 d ago (2026-02-26 12:00 UTC), until in 1 h (2026-03-01 13:00 UTC)
made   2025-01-01 10:00 UTC
name   v2026-01-01T10:00:00Z-x
`,
  )
  t.match(shown(undefined), `at     ${at}\n`)
  t.match(shown(80, 'wide'), `at     ${at}\n`)
})

t.test('relative times', async (t) => {
  const at = (seconds: number) => relativeTime(new Date(now + seconds * 1000).toISOString(), now)
  t.same([0, -20, -120, -3 * 3600, -2 * 86_400, 40, 3 * 86_400, -90 * 86_400].map(at), [
    'now',
    '20 s ago',
    '2 m ago',
    '3 h ago',
    '2 d ago',
    'in 40 s',
    'in 3 d',
    '2025-12-01',
  ])
})
