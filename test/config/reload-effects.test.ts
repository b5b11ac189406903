// What the configuration reference says of each setting, that a reload changes it or the next start does, is what
// happens: a sample of each section is changed under a configuration that runs.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadConfiguration } from '../../src/config/read/load.js'
import { formatProblem } from '../../src/config/report/problem.js'
import { settingsReference } from '../../src/config/report/settings-reference.js'
import { ConfigurationFile } from '../../src/config/schema/file.js'
import type { Settings } from '../../src/config/settings/settings.js'

/** A file with something of every rule, in parts that a sample replaces. */
const parts = {
  include: '[{ file: a.yaml }]',
  permissions: '{ things_read: { describe: Read things } }',
  resources:
    '{ other: { id: https://other.example.com, name: Other, permissions: { other_read: { describe: Read } } } }',
  issuers: '{}',
  upstreams: '{ things: { target: "http://127.0.0.1:3001" } }',
  limits: '{ slow: { by: [application], rate: 10/min } }',
  plans: '{ free: { describe: To try, limits: { daily: { quota: 10/day } } } }',
  defaults: '{ limits: [application, tenant] }',
  routes: '{ GET /things: { to: things, require: things_read } }',
  tests: '[{ call: GET /things, expect: { status: 401 } }]',
  brand: '{ name: Acme }',
}

/** Section, the setting as the reference has it, its new text, and where the running process has it. */
const reloaded: readonly (readonly [
  section: string,
  row: string,
  text: string,
  read: (settings: Settings) => unknown,
])[] = [
  ['include', 'include[].file', '[{ file: b.yaml }]', ({ routes }) => routes.map(({ id }) => id)],
  [
    'permissions',
    'permissions.<name>.describe',
    '{ things_read: { describe: See things } }',
    ({ catalogue }) => catalogue.find('application', catalogue.own.id, 'things_read'),
  ],
  [
    'resources',
    'resources.<name>.id',
    parts.resources.replace('other.ex', 'another.ex'),
    ({ catalogue }) => [...catalogue.resources.keys()],
  ],
  [
    'issuers',
    'issuers.<name>.issuer',
    '{ acme: { issuer: https://id.acme.example, audience: api, acts: user, tenant: 052f5bb1-0d79-444c-a120-84212872beae, permissions: { scp: { read: things_read } } } }',
    ({ issuers }) => [...issuers.keys()],
  ],
  [
    'upstreams',
    'upstreams.<name>.target',
    '{ things: { target: "http://127.0.0.1:3002" } }',
    ({ upstreams }) => JSON.stringify(upstreams.get('things')),
  ],
  ['brand', 'brand.name', '{ name: Globex }', ({ brand }) => brand.name],
  ['limits', 'limits.<name>.rate', '{ slow: { by: [application], rate: 20/min } }', ({ limits }) => limits.get('slow')],
  [
    'plans',
    'plans.<name>.limits.<name>.quota',
    '{ free: { describe: To try, limits: { daily: { quota: 20/day } } } }',
    ({ plans }) => JSON.stringify([...(plans.get('free')?.limits.values() ?? [])]),
  ],
  ['defaults', 'defaults.limits', '{ limits: [application] }', ({ routes }) => routes.map(({ limits }) => limits)],
  [
    'routes',
    'routes.<name>.cost',
    '{ GET /things: { to: things, require: things_read, cost: 3 } }',
    ({ routes }) => routes.map(({ cost }) => cost),
  ],
  ['tests', 'tests[].expect', '[{ call: GET /things, expect: { status: 403 } }]', ({ tests }) => tests],
]

/** What waits for the next start: the setting, and a text for its section. */
const fixed: readonly (readonly [row: string, text: string])[] = [
  ['reload.watch', '{ watch: false }'],
  ['server.limits.body', '{ limits: { body: 5MiB } }'],
  ['data.folder', '{ folder: ./elsewhere }'],
  ['store.sqlite.busyTimeout', '{ sqlite: { busyTimeout: 3s } }'],
  ['redis.url', '{ url: "redis://127.0.0.1:1" }'],
  ['tokens.lifetime', '{ lifetime: 30min }'],
  ['revocation.staleAfter', '{ staleAfter: 7s }'],
  ['applications.restorable', '{ restorable: 7d }'],
  ['quotas.applications', '{ applications: 5 }'],
  ['log.level', '{ level: debug }'],
  ['signIn.idle', '{ idle: 2h }'],
  ['mail.url', '{ url: "smtp://127.0.0.1:25" }'],
  ['ledger.checkpoints', '{ checkpoints: other.jsonl }'],
  ['usage.flushEvery', '{ flushEvery: 20s }'],
  ['registration.standard', '{ standard: false }'],
  ['federation.fetch', '{ fetch: false }'],
  ['events.allow', '{ allow: [receiver.internal] }'],
]

const lineOf = (row: string) =>
  settingsReference()
    .split('\n')
    .find((line) => line.startsWith(`| \`${row}\` |`)) ?? ''
const sections = Object.keys((ConfigurationFile as unknown as { properties: object }).properties)

function start(t: { testdir(files: Record<string, string>): string }, more = '') {
  const text = (changed: Partial<typeof parts>, rest = '') =>
    [...Object.entries({ ...parts, ...changed }).map(([name, value]) => `${name}: ${value}`), rest].join('\n')
  const route = (name: string) =>
    `upstreams: { ${name}: { target: "http://127.0.0.1:3009" } }\nroutes: { GET /${name}: { to: ${name}, require: things_read } }\n`
  const folder = t.testdir({ 'portcullis.yaml': text({}, more), 'a.yaml': route('a'), 'b.yaml': route('b') })
  const options = { file: 'portcullis.yaml', env: {}, cwd: folder }
  const running = loadConfiguration(options)
  return {
    running,
    reload(changed: Partial<typeof parts>, rest = more) {
      writeFileSync(join(folder, 'portcullis.yaml'), text(changed, rest))
      return loadConfiguration(options, running.fixed)
    },
  }
}

t.test('what a reload changes, it changes at once, and nothing waits', async (t) => {
  for (const [section, row, text, read] of reloaded) {
    t.match(lineOf(row), /\| at a reload \|$/, `${row}: ${lineOf(row)}`)
    const { running, reload } = start(t)
    const { settings, waiting } = reload({ [section]: text })
    t.same(waiting, [], row)
    t.notSame(read(settings), read(running.settings), row)
  }
})

t.test('what the next start changes stays as it runs, and the reload says so', async (t) => {
  for (const [row, text] of fixed) {
    t.match(lineOf(row), /\| at the next start \|$/, `${row}: ${lineOf(row)}`)
    const { running, reload } = start(t)
    const [section = ''] = row.split('.')
    const { settings, waiting } = reload({}, `${section}: ${text}`)
    t.match(waiting.map(formatProblem).join('\n'), `${row}: takes effect at the next start`, row)
    t.same(withoutWarnings(settings), withoutWarnings(running.settings), row)
  }
})

/** As text: what a process has compiled anew is the same when it reads the same. */
function withoutWarnings({ warnings: _, ...settings }: Settings): string {
  return JSON.stringify(settings)
}

t.test('every section has a sample, and every row of the reference says when it takes effect', async (t) => {
  const tried = new Set([...reloaded.map(([section]) => section), ...fixed.map(([row]) => row.split('.')[0] ?? '')])
  t.same(
    sections.filter((section) => !tried.has(section)).sort(),
    // The format has one version. Of the mode and of secrets a start in production is shown elsewhere.
    ['mode', 'secrets', 'version'],
  )
  const rows = settingsReference()
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  for (const row of rows) t.match(row, / \| at (?:a reload|the next start) \|$/, row)
  t.comment(`${rows.length} rows`)
})
