// Nothing stands in the documentation untried: for each block of code there is a test that runs it, and every page has
// its head.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfigFile, packageRoot } from '../../src/config/read/package-root.js'
import { mistakesOf, settingsFrom } from '../support/settings/config-file.js'
import { documentationFiles, documentedBlock, documentedBlocks } from '../support/settings/documentation.js'

const root = String(packageRoot())
const readmeTest = 'test/flows/readme.test.ts'
const here = 'test/flows/documentation.test.ts'
const firstStart = 'test/flows/first-start.test.ts'
const deployment = 'test/deploy/deployment.ts'

/** What stands in a block, which test tries it, and by which words in it. */
const tried: readonly (readonly [marker: string, test: string, by: string])[] = [
  ['npm ci && npm start', firstStart, 'npm ci'],
  ['npm ci && npm test', 'test/run/main.ts', ''],
  ['curl -sS --cacert data/tls/ca.pem \\\n  -d grant_type', firstStart, 'banner'],
  ['export PORTCULLIS_LISTEN', 'test/support/programs/program.ts', 'PORTCULLIS_LISTEN'],
  ['npx json-server', readmeTest, 'npx json-server'],
  ['cat > config/conf.d/posts.yaml', readmeTest, 'cat > config/conf.d/posts.yaml'],
  ['app create reader', readmeTest, 'app create reader'],
  ['/files/**:', readmeTest, '/files/**:'],
  ['app create reports', readmeTest, 'app create reports'],
  ['app permission add', readmeTest, 'app permission add'],
  ['#!/bin/sh -eu', 'test/cli/registrations.test.ts', '#!/bin/sh -eu'],
  ['VERIFIER=$(', readmeTest, 'VERIFIER='],
  ['CODE=pcl_ac_', readmeTest, 'CODE='],
  ["from 'portcullis/client'", readmeTest, "from 'portcullis/client'"],
  ['node --env-file', readmeTest, 'node --env-file'],
  ['by: [application, tenant]', here, 'by: [application, tenant]'],
  ['portcullis doctor', readmeTest, 'portcullis doctor'],
  ['expect: { needs: User.Read.All }', here, 'expect: { needs: User.Read.All }'],
  ['openssl rand 32', 'test/deploy/compose.test.ts', 'openssl rand 32'],
  ['PORTCULLIS_STORE=file:', 'test/support/cluster/instances.ts', ''],
  ['make-secrets.sh', deployment, 'make-secrets.sh'],
  ['docker compose up -d --build', 'test/deploy/running.test.ts', ''],
  ['docker compose build gateway-1', 'test/deploy/running.test.ts', ''],
  ['docker compose stop gateway-1', 'test/deploy/running.test.ts', ''],
]

t.test('every block of code is one that a test tries', async (t) => {
  for (const { file, language, text } of documentedBlocks()) {
    if (language === '') continue
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

t.test('README.md is short', async (t) => {
  const words = readFileSync(join(root, 'README.md'), 'utf8').split(/\s+/).length
  t.ok(words <= 1100, `${words} words`)
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

t.test('the tests of the documentation pass with what comes with Portcullis, and a wrong one is told', async (t) => {
  const tests = `${documentedBlock('expect: { needs: User.Read.All }')}`
  const beside = (text: string) => `${readFileSync(defaultConfigFile(), 'utf8').replace(/^tests:.*$/m, '')}\n${text}`
  t.same(mistakesOf(t, beside(tests)), [])
  t.match(mistakesOf(t, beside(tests.replace('needs: User.Read.All', 'status: 200'))), [/tests/])
})
