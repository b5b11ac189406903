// The commands of the page on backups, cut from it and run by sh, with a store of 100,000 applications: the embedded one
// while it is written to, and PostgreSQL with its own tools.
// full: PostgreSQL, four programs and 600,000 rows
// run: apart

import { execFile } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { startPostgres } from '../../support/databases/postgresql.js'
import { postgresProgram } from '../../support/databases/postgresql-folder.js'
import { call, demoToken, portcullis } from '../../support/programs/demo.js'
import { type Program, programWords, startProgram } from '../../support/programs/program.js'
import { documentedBlock } from '../../support/settings/documentation.js'
import { plainEnvironment } from '../../support/settings/plain-environment.js'
import { addApplications } from '../../support/storage/many-applications.js'

t.setTimeout(600_000)

const count = 100_000

/** A socket's path has room for 103 bytes: tap's own folders are named after the whole test. */
function shortFolder(t: Test): string {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  return cwd
}

/** Runs the block of the page in which `marker` stands, with its folders in `cwd`. */
async function documented(program: Program, marker: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const block = (documentedBlock(marker) ?? '').replaceAll(/\/var\/backups|\/run\/secrets/g, program.cwd)
  const words = programWords().map((word) => `'${word}'`)
  const script = `portcullis() { ${words.join(' ')} "$@"; }\n${block}`
  const path = `${dirname(postgresProgram('pg_dump'))}${delimiter}${process.env['PATH']}`
  const surroundings = { ...plainEnvironment(), ...program.env, ...env, PATH: path }
  const { stdout, stderr } = await promisify(execFile)('sh', ['-e', '-c', script], {
    cwd: program.cwd,
    env: surroundings,
  })
  return stdout + stderr
}

const statusOf = async (program: Program, token: string) =>
  (await call(program, '/api/v2/me', { headers: { authorization: `Bearer ${token}` } })).status

const portsOf = ({ baseUrl, operatorUrl }: Program) => ({
  public: Number(new URL(baseUrl).port),
  operator: Number(new URL(operatorUrl).port),
})

/** How many tenants and applications the store has, by one more backup. */
async function rowsOf(program: Program): Promise<{ tenants: number; applications: number }> {
  const { stdout } = await portcullis(program, ['backup', 'another', '-o', 'json'])
  const { tenants, applications } = JSON.parse(stdout).database.rows
  return { tenants, applications }
}

t.test('100,000 applications: a backup beside tokens and writes, and everything of it after the restore', async (t) => {
  const first = await startProgram({ cwd: shortFolder(t) })
  await first.stop()
  await addApplications(join(first.folder, 'portcullis.db'), count)
  const again = (cwd: string) => startProgram({ cwd, ports: portsOf(first) })
  const running = await again(first.cwd)
  t.teardown(() => running.stop())
  const token = await demoToken(first)
  let isDone = false
  const slowest = (async () => {
    let longest = 0
    for (let calls = 0; !isDone && calls < 40; calls += 1) {
      const begun = performance.now()
      t.equal(await statusOf(running, await demoToken(first)), 200)
      longest = Math.max(longest, performance.now() - begun)
    }
    return longest
  })()
  const begun = performance.now()
  const said = await documented(running, 'portcullis backup /var')
  isDone = true
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  t.match(said, /has 1 tenant, 100002 applications/)
  t.comment(
    `${said.match(/[\d.]+ MB in [\d.]+ s/)}; the command ${seconds} s; a token and a call beside it at most ${Math.ceil(await slowest)} ms`,
  )
  t.equal((await portcullis(running, ['tenant', 'create', 'later'])).code, 0)
  await running.stop()
  t.match(await documented(running, 'portcullis restore'), /Next: start the server/)
  const after = await again(first.cwd)
  t.teardown(() => after.stop())
  t.same(await rowsOf(after), { tenants: 1, applications: count + 2 }, 'all of the backup, and nothing of later')
  t.equal(await statusOf(after, token), 401, 'a token of before has ended')
  t.equal(await statusOf(after, await demoToken(first)), 200, 'and a new one is good')
})

t.test('PostgreSQL: dumped while it runs, restored by the commands of the page', async (t) => {
  const server = await startPostgres(t)
  const cwd = shortFolder(t)
  // A file, as the page has it: PostgreSQL's own tools know no `file:`.
  writeFileSync(join(cwd, 'store-url'), `${server.url}\n`, { mode: 0o600 })
  const env = { PORTCULLIS_STORE: `file:${join(cwd, 'store-url')}` }
  const first = await startProgram({ cwd, env })
  t.teardown(() => first.stop())
  const token = await demoToken(first)
  await documented(first, 'pg_dump', env)
  t.equal((await portcullis(first, ['app', 'create', 'later'])).code, 0)
  const later = await demoToken(first)
  t.match(await portcullis(first, ['restore', '--yes']), {
    code: 1,
    stderr: /an instance uses this database \(\S+, seen/,
  })
  t.equal(await statusOf(first, later), 200, 'and nothing was ended')
  await first.stop()
  const said = await documented(first, 'pg_restore', env)
  t.match(said, /Of people: .*e-mail addresses.*Of tenants: .*webhooks.*Of the server: signing keys/s)
  t.match(said, /move ledger-checkpoints\.jsonl\* of each data folder away/)
  const checkpoints = join(first.folder, 'ledger-checkpoints.jsonl')
  const aside = join(cwd, 'aside.jsonl')
  renameSync(checkpoints, aside)
  rmSync(`${checkpoints}.head`)
  const commands = said.match(/(?<=^ +portcullis )keys remove \S+ --yes$/gm) ?? []
  const after = await startProgram({ cwd: first.cwd, env, ports: portsOf(first) })
  t.teardown(() => after.stop())
  t.equal(await statusOf(after, token), 401, 'a token of before the dump has ended')
  t.equal(await statusOf(after, await demoToken(first)), 200, 'and a new one is good')
  t.equal(await statusOf(after, later), 401, 'one that was issued on what is forgotten is refused')
  t.match(await portcullis(after, ['audit', 'verify']), { code: 0, stdout: /ledger +clean/ })
  const compared = await portcullis(after, ['audit', 'verify', '--checkpoints', aside])
  t.match(compared, { code: 1 }, 'the checkpoints of before know of rows that are gone')
  t.ok(commands.length >= 2)
  const signed = await demoToken(first)
  for (const command of commands)
    t.match(await portcullis(after, command.split(' ')), { code: 0, stderr: /removed/ }, command)
  t.equal(await statusOf(after, signed), 401, 'no key of the dump verifies after the commands that were printed')
  t.equal(await statusOf(after, await demoToken(first)), 200)
  const listed = await portcullis(after, ['app', 'list'])
  t.notMatch(listed.stdout, /later/)
})
