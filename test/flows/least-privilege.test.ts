// Least privilege, measured: five permissions, two of them used through the gate; what is not used is shown, taken
// away, and nothing that was used breaks. The whole program, its command line, its portal, and the API by the
// application's own token.
// run: apart

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { parseDocument } from 'yaml'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import type { PermissionUseAnswer, UsageAnswer } from '../../src/management/permissions/usage-schemas.js'
import { openSqliteStore } from '../../src/storage/sql/sqlite/sqlite.js'
import { sumRouteUsage } from '../../src/storage/sql/usage/usage-reads.js'
import { textOf } from '../support/browser/scripted-browser.js'
import { call, tokenRequest } from '../support/programs/demo.js'
import { browseProgram } from '../support/programs/people-program.js'
import { plantSetUpLink } from '../support/programs/planted-link.js'
import { type Program, startProgram } from '../support/programs/program.js'
import { runCommand } from '../support/rooms/cli.js'
import { until } from '../support/traffic/until.js'

const used = ['Subscription.Read.All', 'User.Read.All']
const unused = ['ResourceGroup.Read.All', 'Subscription.ReadWrite.All', 'User.ReadWrite.All']

/** The program with counts that are written at once and a window of some seconds, and its command line. */
async function open(t: { teardown(work: () => unknown): void }) {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  document.setIn(['usage', 'flushEvery'], '100ms')
  // What was used must count as used until somebody has looked, on a machine that stands still for a moment too.
  document.setIn(['usage', 'unusedAfter'], '12s')
  const config = join(cwd, 'portcullis.yaml')
  writeFileSync(config, String(document))
  const program = await startProgram({ cwd, config })
  t.teardown(() => program.stop())
  const run = (line: string) => runCommand(line.split(' '), { cwd, env: { ...program.env, PORTCULLIS_CONFIG: config } })
  return { cwd, program, run }
}

async function tokenOf(program: Program, client: { applicationId: string; clientSecret: string }, scope = '.default') {
  const { applicationId, clientSecret } = client
  const fields = { grant_type: 'client_credentials', client_id: applicationId, client_secret: clientSecret, scope }
  return JSON.parse((await tokenRequest(program, fields)).body)
}

const ids = (permissions: readonly { id: string }[]) => permissions.map(({ id }) => id).sort()
/** The line of a table that begins with that permission. */
const rowOf = (rows: readonly string[], id: string) => rows.find((row) => row.trim().startsWith(id)) ?? ''

t.test('what an application does not use is shown and removed at once; nothing that it used breaks', async (t) => {
  const { cwd, program, run } = await open(t)
  const well = async (line: string) => {
    const { code, out, err } = await run(line)
    t.equal(code, 0, `${line}\n${err}`)
    return out
  }
  const granted = [...used, ...unused].map((id) => `--permission ${id}`).join(' ')
  const client = JSON.parse(await well(`app create worker ${granted} --consent -o json`))
  const { applicationId } = client
  const first = await tokenOf(program, client)
  const ask = async (path: string, token: string, method = 'GET') =>
    await call(program, path, { method, headers: { authorization: `Bearer ${token}` } })
  const browser = browseProgram(program)
  await browser.open(await plantSetUpLink(program))
  const owner = { name: 'Ada Lovelace', email: 'ada@contoso.test', password: 'seven unrelated green words' }
  await browser.submit(owner, { form: 'set-up-form' })
  const permissionsPage = `/portal/applications/${applicationId}/permissions`
  /** What the page says of each permission, and which of them it would remove. */
  const onPage = async () => {
    const page = await browser.open(permissionsPage)
    t.equal(page.status, 200)
    const rows = [0, 1, 2, 3, 4].map((index) => textOf(page, `configured-${index}`)).filter((row) => row !== '')
    return { rows: rows.sort(), notice: textOf(page, 'unused') }
  }
  let allowed = 0
  const work = async (token: string) => {
    for (const path of ['/api/v2/me', '/api/v2/subscriptions']) {
      t.equal((await ask(path, token)).status, 200, path)
      allowed += 1
    }
  }
  await work(first.access_token)
  let use: PermissionUseAnswer | undefined
  await until(
    'three of five are unused, while two are used',
    async () => {
      await work(first.access_token)
      use = JSON.parse((await run('usage worker -o json')).out)
      return use?.removable.length === 3
    },
    60_000,
    500,
  )
  t.same(ids(use?.removable ?? []), unused)
  for (const one of use?.value ?? []) {
    const isUsed = used.includes(one.id)
    t.match(one, { configured: true, consent: 'administrator', measured: true, unused: !isUsed }, one.id)
    t.equal(one.lastUsedAt !== null && one.usesIn30Days > 0, isUsed, one.id)
  }
  await work(first.access_token)
  const shown = await onPage()
  t.equal(shown.rows.length, 5, 'the page has all five')
  for (const id of unused) t.match(rowOf(shown.rows, id), /Never.*unused for \d+ seconds: remove\?/s, `the page: ${id}`)
  for (const id of used) {
    t.match(rowOf(shown.rows, id), /\d{1,2} \w{3} 20\d\d/, `the page: ${id} was used`)
    t.notMatch(rowOf(shown.rows, id), /unused for/)
  }
  t.match(shown.notice, /^\s*3 permissions are not used/)
  for (const id of unused) t.match(shown.notice, id)
  for (const id of used) t.notMatch(shown.notice, id)
  await work(first.access_token)
  const table = await well('usage worker')
  for (const id of unused) t.match(table, new RegExp(`^${id} .* never +0 +0 +unused for \\d+ seconds$`, 'm'))
  for (const id of used) t.match(table, new RegExp(`^${id} .*Z +\\d+ +\\d+ +in use$`, 'm'))

  await t.test('an application reads its own usage with its own token, and no other’s (U2)', async (t) => {
    const own = await ask('/api/v2/usage?by=route', first.access_token)
    const answer: UsageAnswer = JSON.parse(own.body)
    t.equal(own.status, 200)
    t.equal(answer.applicationId, applicationId)
    const other = JSON.parse((await run('app create other -o json')).out)
    for (const query of [`applicationId=${other.applicationId}`, 'applicationId=other', `tenantId=${applicationId}`])
      t.equal((await ask(`/api/v2/usage?${query}`, first.access_token)).status, 404, query)
    const denied = await ask(`/api/v2/applications/${applicationId}/permissionUse`, first.access_token)
    t.match(JSON.parse(denied.body), { error: { code: 'InsufficientPermission' } }, 'permissions need Usage.Read.All')
  })

  await work(first.access_token)
  const removed = await run('usage worker --remove-unused --yes -o json')
  t.match(removed, { code: 0, err: /Removed .*ResourceGroup\.Read\.All.* the next ones have the rest/ })
  t.same(ids(JSON.parse(removed.out).value), used)
  t.equal((await ask('/api/v2/me', first.access_token)).status, 401, 'the token that had five is refused at once')
  t.equal((await onPage()).rows.length, 2, 'the page has two')

  const next = await tokenOf(program, client)
  const claims = JSON.parse(Buffer.from(next.access_token.split('.')[1], 'base64url').toString())
  t.same([...claims.roles].sort(), used, 'the next token has two')
  await work(next.access_token)
  const refused = await ask('/api/v2/resourceGroups', next.access_token)
  t.equal(refused.status, 403)
  t.match(JSON.parse(refused.body).error, { permission: { id: 'ResourceGroup.Read.All', status: 'not_configured' } })
  const refusal = await tokenOf(program, client, 'ResourceGroup.Read.All')
  t.match(refusal, { error: 'invalid_scope', error_description: /ResourceGroup\.Read\.All/ })
  const events = JSON.parse(await well('audit list -o json'))
  const about = events.value.filter((one: { applicationId: string | null }) => one.applicationId === applicationId)
  t.match(about.slice(0, 2), [{ event: 'admin-consent.withdrawn' }, { event: 'application.permissions-configured' }])

  await work(next.access_token)
  await program.stop()
  const store = await openSqliteStore({ file: join(cwd, 'data', 'portcullis.db'), busyTimeoutMs: 5_000 })
  t.teardown(() => store.close())
  const sums = await sumRouteUsage(store.reader, { applicationId, from: 0, to: 1_000_000 }, 'route', 100)
  const gate = sums.filter(({ key }) => key.startsWith('GET '))
  const total = (name: 'allowed' | 'not_permitted' | 'token_refused') => gate.reduce((sum, row) => sum + row[name], 0)
  t.same(
    [total('allowed'), total('not_permitted'), total('token_refused')],
    [allowed, 1, 1],
    'every call was counted once, also the last ones before the end',
  )
})
