// Nothing stands in the documentation untried: for each block of code there is a test that runs its text, cut from the
// page. What no test can run says so on the page, and a test compares its commands with what there is.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfigFile, packageRoot } from '../../src/config/read/package-root.js'
import { mistakesOf, settingsFrom } from '../support/settings/config-file.js'
import { documentationFiles, documentedBlock, documentedBlocks } from '../support/settings/documentation.js'

const root = String(packageRoot())
const readmeTest = 'test/flows/readme.test.ts'
const here = 'test/flows/documentation.test.ts'
const firstStart = 'test/flows/first-start.test.ts'
const newcomer = 'test/flows/newcomer/quick-start.test.ts'
const wholePage = 'src/docs/quick-start.md'
const backups = 'test/cli/storage/documented-backup.test.ts'
const delegation = 'test/docs/delegation.test.ts'
const deployment = 'test/deploy/deployment.ts'

/** What stands in a block, which test tries it, and by which words in it. */
const tried: readonly (readonly [marker: string, test: string, by: string])[] = [
  ['api permission set orders', 'test/cli/api.test.ts', "documentedBlock('api permission set orders')"],
  ['descriptions: { de: Bestellungen', 'test/languages/permission-texts.test.ts', "documentedBlock('descriptions:')"],
  ['npm ci && npm start', firstStart, "documentedBlock('npm ci && npm start')"],
  ['curl -sS --cacert data/tls/ca.pem \\\n  -d grant_type', readmeTest, 'TOKEN=$(curl -sS --cacert'],
  ['export PORTCULLIS_LISTEN', readmeTest, "block('export PORTCULLIS_LISTEN')"],
  ['npx json-server', readmeTest, 'npx json-server'],
  ['cat > config/conf.d/posts.yaml', readmeTest, 'cat > config/conf.d/posts.yaml'],
  ['app create reader', readmeTest, 'app create reader'],
  ['npx @modelcontextprotocol/server-everything', readmeTest, "here('npx @modelcontextprotocol/server-everything')"],
  ['portcullis mcp list', readmeTest, "here('portcullis mcp list')"],
  ['delegated:$MCP/everything.read', readmeTest, "here('delegated:$MCP/everything.read')"],
  ['app create robot', readmeTest, "here('app create robot')"],
  ['/desk/mcp:', here, "documentedBlock('/desk/mcp:')"],
  ['/files/**:', readmeTest, '/files/**:'],
  ['app create reports', readmeTest, 'app create reports'],
  ['app permission add', readmeTest, 'app permission add'],
  ['#!/bin/sh\n', 'test/cli/registrations.test.ts', "documentedBlock('#!/bin/sh"],
  ['VERIFIER=$(', readmeTest, 'VERIFIER='],
  ['CODE=pcl_ac_', readmeTest, 'CODE='],
  ["from 'portcullis-client'", readmeTest, "from 'portcullis-client'"],
  ['node --env-file', readmeTest, 'node --env-file'],
  ['by: [application, tenant]', here, 'by: [application, tenant]'],
  ['portcullis doctor', readmeTest, 'portcullis doctor'],
  ['expect: { needs: User.Read.All }', here, 'expect: { needs: User.Read.All }'],
  ['tool: close_ticket', 'test/cli/mcp/operations.test.ts', "documentedBlock('tool: close_ticket')"],
  ['mcp rules list', 'test/tool-rules/command-line.test.ts', "documentedBlock('mcp rules set Contoso')"],
  ['openssl rand 32', 'test/deploy/compose.test.ts', 'openssl rand 32'],
  ['PORTCULLIS_REDIS=file:', 'test/instances/documented.test.ts', "documentedBlock('PORTCULLIS_REDIS=file:')"],
  ['secondFactor: {', here, "documentedBlock('secondFactor: {')"],
  ['plans:', here, "documentedBlock('plans:')"],
  ['name: Northwind ID', here, "documentedBlock('name: Northwind ID')"],
  [
    'app permission request',
    'test/cli/applications/request-access.test.ts',
    "documentedBlock('portcullis app permission request')",
  ],
  [
    'portcullis catalogue list',
    'test/cli/applications/catalogue.test.ts',
    "documentedBlock('portcullis catalogue list')",
  ],
  ['app create desk', delegation, "block('app create desk')"],
  ['grant-type:token-exchange', delegation, "'urn:ietf:params:oauth:grant-type:token-exchange'"],
  ['desk.env desk.mjs', delegation, "block('desk.mjs')"],
  ['portcullis backup /var', backups, 'portcullis backup /var'],
  ['portcullis restore /var', backups, 'portcullis restore'],
  ['pg_dump --format', backups, 'pg_dump'],
  ['pg_restore --clean', backups, 'pg_restore'],
  ['portcullis migrate-store', 'test/instances/moved.test.ts', "documentedBlock('portcullis migrate-store')"],
  [
    'portcullis check --mode',
    'test/cli/configuration/start-check.test.ts',
    "documentedBlock('portcullis check --mode')",
  ],
  ['make-secrets.sh', deployment, 'make-secrets.sh'],
  ['"day": "2026-11-22"', 'test/events/usage-days.test.ts', `documentedBlock('"day": "2026-11-22"')`],
  ['alias portcullis=', newcomer, wholePage],
  ["sed 's|^plans: {}|", newcomer, wholePage],
  ['for call in', newcomer, wholePage],
  ['portcullis top', newcomer, wholePage],
  ['prometheus --config.file', newcomer, wholePage],
  ['promtool query', newcomer, wholePage],
]

/** What is compared with what there is; the page says why it is not run. */
const checked: readonly (readonly [marker: string, test: string])[] = [
  ['npm ci && npm test', here],
  ['npm run bench --', here],
  ['docker build -f deploy/Dockerfile', 'test/deploy/documented-commands.test.ts'],
  ['docker compose -f compose.one.yaml', 'test/deploy/documented-commands.test.ts'],
  ['docker compose up -d --build', 'test/deploy/documented-commands.test.ts'],
  ['docker compose build gateway-1', 'test/deploy/documented-commands.test.ts'],
  ['docker compose stop gateway-1', 'test/deploy/documented-commands.test.ts'],
]

t.test('every block of code is one that a test runs, or its page says that it is only checked', async (t) => {
  const blocks = documentedBlocks().filter(({ language }) => language !== '' && language !== 'svg')
  for (const { file, text, isOnlyChecked } of blocks) {
    if (isOnlyChecked) {
      const one = checked.find(([marker]) => text.includes(marker))
      t.ok(one !== undefined && existsSync(join(root, one[1])), `${file}: no test checks\n${text}`)
      continue
    }
    const found = tried.filter(([marker]) => text.includes(marker))
    t.ok(found.length > 0, `${file}: no test tries\n${text}`)
  }
  const all = documentedBlocks().map(({ text }) => text)
  for (const [marker, test, by] of tried) {
    t.ok(
      all.some((text) => text.includes(marker)),
      `a block has ${marker}`,
    )
    t.ok(readFileSync(join(root, test), 'utf8').includes(by), `${test} runs ${marker}`)
  }
  const only = blocks.filter(({ isOnlyChecked }) => isOnlyChecked).length
  t.equal(only, checked.length)
  t.comment(`${blocks.length - only} blocks are run, ${only} are only checked`)
})

t.test('the command for the tests is one of package.json, and what it starts is there', async (t) => {
  const words = (documentedBlock('npm ci && npm test') ?? '').trim().split(/ && /)
  t.same(words, ['npm ci', 'npm test'])
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { test: string } }
  const program = scripts.test.split(' ').at(-1) ?? ''
  t.ok(existsSync(join(root, program)), program)
})

t.test('the commands that measure are some of package.json', async (t) => {
  const named = [...(documentedBlock('npm run bench --') ?? '').matchAll(/^npm run ([\w:]+)/gm)].map(([, name]) => name)
  t.same(named, ['bench', 'bench', 'bench:picture'])
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  t.hasProps(scripts, ['bench', 'bench:picture'])
})

t.test('what README.md shows of a page stands there word for word', async (t) => {
  const [pages, readme] = [documentationFiles().filter((file) => file !== 'README.md'), ['README.md']]
  const known = new Set(documentedBlocks(pages).map(({ text }) => text))
  const others = documentedBlocks(readme).filter(({ language, text }) => language !== '' && !known.has(text))
  t.same(
    others.map(({ text }) => text),
    ['npm ci && npm test\n'],
  )
})

t.test('the quick start and the page of one’s own service show the same service', async (t) => {
  const blocksOf = (page: string) => documentedBlocks([`src/docs/${page}.md`]).map(({ text }) => text)
  const [quickStart, ownService] = [blocksOf('quick-start'), blocksOf('your-own-service')]
  for (const marker of ['npx json-server', 'cat > config/conf.d/posts.yaml']) {
    const there = quickStart.filter((text) => text.includes(marker))
    t.ok(there.length === 1 && ownService.includes(there[0] ?? ''), marker)
  }
})

t.test('README.md is short', async (t) => {
  const shown = readFileSync(join(root, 'README.md'), 'utf8').replaceAll(/<!--[\s\S]*?-->/g, '')
  const words = shown.trim().split(/\s+/).length
  t.ok(words <= 950, `${words} words`)
})

t.test(
  'the limit of the documentation loads beside what comes with Portcullis, and its route costs five',
  async (t) => {
    const part = [
      'permissions: { Reports.Read: { describe: Read reports } }',
      'upstreams: { reports: { target: http://127.0.0.1:3001 } }',
      documentedBlock('by: [application, tenant]'),
    ].join('\n')
    const whole = readFileSync(defaultConfigFile(), 'utf8').replace(
      'include: [conf.d/*.yaml]',
      'include: [reports.yaml]',
    )
    const settings = settingsFrom(t, whole, {}, { 'reports.yaml': part })
    const route = settings.routes.find(({ id }) => id.includes('/reports/'))
    t.match(route, { cost: 5 })
  },
)

t.test('the route to an MCP server of the documentation loads beside what comes with Portcullis', async (t) => {
  const whole = readFileSync(defaultConfigFile(), 'utf8').replace(
    'include: [conf.d/*.yaml]',
    'include: [{ file: desk.yaml, paths: [/desk/**] }]',
  )
  const settings = settingsFrom(t, whole, {}, { 'desk.yaml': documentedBlock('/desk/mcp:') ?? '' })
  const route = settings.routes.find(({ id }) => id.includes('/desk/mcp'))
  t.match(route?.mcp?.tools.get('merge_tickets'), { cost: 5 })
  t.match(route?.mcp?.tools.get('purge_tickets'), { rule: 'approval' })
})

t.test('the demand of a second factor in the documentation loads beside what comes with Portcullis', async (t) => {
  const whole = readFileSync(defaultConfigFile(), 'utf8').replace(/^signIn:.*\n(?:[ #].*\n|\n)*/m, '')
  t.same(mistakesOf(t, `${whole}\n${documentedBlock('secondFactor: {')}`), [])
})

t.test('the brand of the documentation loads beside what comes with Portcullis', async (t) => {
  const whole = readFileSync(defaultConfigFile(), 'utf8').replace(/^brand:.*\n(?:[ #].*\n|\n)*/m, '')
  t.same(mistakesOf(t, `${whole}\n${documentedBlock('name: Northwind ID')}`), [])
  const dim = documentedBlock('name: Northwind ID')?.replace('#14532d', '#f5f5f5')
  t.match(mistakesOf(t, `${whole}\n${dim}`), [/needs 4[.]5:1/], 'a colour that nobody can read is a mistake')
})

t.test('the plans of the documentation load beside what comes with Portcullis', async (t) => {
  const whole = readFileSync(defaultConfigFile(), 'utf8')
    .replace(/^limits:\n(?:[ #].*\n|\n)*/m, '')
    .replace(/^plans: .*\n/m, '')
    .replace(/^defaults:.*\n(?:[ #].*\n)*/m, '')
  t.same(mistakesOf(t, `${whole}\n${documentedBlock('plans:')}`), [])
})

t.test(
  'the tests of the documentation pass with what comes with Portcullis, and a wrong one is reported',
  async (t) => {
    const tests = `${documentedBlock('expect: { needs: User.Read.All }')}`
    const withTests = (text: string) =>
      `${readFileSync(defaultConfigFile(), 'utf8').replace(/^tests:.*$/m, '')}\n${text}`
    t.same(mistakesOf(t, withTests(tests)), [])
    t.match(mistakesOf(t, withTests(tests.replace('needs: User.Read.All', 'status: 200'))), [/tests/])
  },
)
