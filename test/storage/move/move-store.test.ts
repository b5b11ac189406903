// From the embedded store to PostgreSQL with 100,000 applications: killed in the middle, gone on with, every row
// compared, and tokens of before go on.
// full: PostgreSQL, three programs and 600,000 rows
// run: apart

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { brandSomething } from '../../support/brands/branded.js'
import { type PostgresServer, startPostgres } from '../../support/databases/postgresql.js'
import { newMigratedDatabase } from '../../support/databases/postgresql-store.js'
import { call, demoToken, portcullis } from '../../support/programs/demo.js'
import { type Program, programWords, startProgram } from '../../support/programs/program.js'
import { plainEnvironment } from '../../support/settings/plain-environment.js'
import { addApplications } from '../../support/storage/many-applications.js'

t.setTimeout(600_000)

const count = 100_000

const statusOf = async (program: Program, token: string) =>
  (await call(program, '/api/v2/me', { headers: { authorization: `Bearer ${token}` } })).status

/** A socket's path has room for 103 bytes: tap's own folders are named after the whole test. */
function shortFolder(t: Test): string {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  return cwd
}

/** A program that was stopped, whose store has many applications, and a token of it. */
async function stoppedProgram(t: Test, applications: number): Promise<{ program: Program; token: string }> {
  const program = await startProgram({ cwd: shortFolder(t) })
  const token = await demoToken(program)
  await program.stop()
  await addApplications(join(program.folder, 'portcullis.db'), applications)
  return { program, token }
}

const portsOf = ({ baseUrl, operatorUrl }: Program) => ({
  public: Number(new URL(baseUrl).port),
  operator: Number(new URL(operatorUrl).port),
})

/** How many rows a move has put there so far. */
async function rowsMoved(server: PostgresServer): Promise<number> {
  const rows = await server
    .admin('select cast(coalesce(sum(rows), 0) as integer) as rows from portcullis_move.move_progress')
    .catch(() => [])
  return Number(rows[0]?.['rows'] ?? 0)
}

function startMove(program: Program, env: NodeJS.ProcessEnv): ChildProcess {
  const [node = '', ...words] = programWords()
  return spawn(node, [...words, 'migrate-store', '--yes'], {
    cwd: program.cwd,
    env: { ...plainEnvironment(), ...program.env, ...env },
    stdio: 'ignore',
  })
}

t.test('100,000 applications move to PostgreSQL: killed, gone on with, every row compared', async (t) => {
  const [server, { program, token }] = await Promise.all([startPostgres(t), stoppedProgram(t, count)])
  const env = { PORTCULLIS_STORE: server.url }
  const move = (more: readonly string[] = []) => portcullis(program, ['migrate-store', '--yes', ...more], env)

  const child = startMove(program, env)
  while ((await rowsMoved(server)) < 50_000) {
    if (child.exitCode !== null) throw new Error(`the move ended with ${child.exitCode}`)
    await pause(20)
  }
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  const left = await rowsMoved(server)
  t.ok(left >= 50_000, `killed with ${left} rows there`)
  const early = startProgram({ cwd: program.cwd, env, ports: portsOf(program) })
  await t.rejects(early, /a move into this database has not ended/, 'no instance starts on half a store')

  const begun = performance.now()
  const { code, stdout, stderr } = await move(['-o', 'json'])
  t.equal(code, 0, stderr)
  const moved = JSON.parse(stdout)
  t.comment(`${moved.rows} rows, ${moved.resumed} of them before: ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  t.equal(moved.resumed, left, 'it went on where the first one was killed')
  t.ok(moved.rows > 6 * count, `${moved.rows} rows`)
  for (const [table, { copied, compared }] of Object.entries(moved.byTable as Record<string, never>)) {
    t.equal(copied, compared, `${table}: as many rows compared as copied`)
  }
  const [found] = await server.admin(
    `select cast(count(*) as integer) as n from applications where name like 'Ünïcode “%” 日本 🚪'`,
  )
  t.equal(found?.['n'], count)

  await t.test('once more: everything is there already', async (t) => {
    const again = await move()
    t.equal(again.code, 0, again.stderr)
    t.match(again.stderr, /has all \d+ rows already/)
  })
  await t.test('the file is not served any more', async (t) => {
    const old = startProgram({ cwd: program.cwd, ports: portsOf(program) })
    await t.rejects(old, /was moved to PostgreSQL: set store\.url/)
  })
  const after = await startProgram({ cwd: program.cwd, env, ports: portsOf(program) })
  t.teardown(() => after.stop())
  t.equal(await statusOf(after, token), 200, 'a token of before is good')
  t.equal(await statusOf(after, await demoToken(program)), 200, 'and so is the secret')
  const verified = await portcullis(after, ['audit', 'verify'])
  t.match(verified, { code: 0, stdout: /ledger +clean/ })
  await t.test('a store that went on is not overwritten', async (t) => {
    const refused = await move()
    t.match(refused, { code: 1, stderr: /has a store already, and not this one/ })
  })
})

t.test('a move is refused while a server runs, into a used database, and without the master key', async (t) => {
  const server = await startPostgres(t)
  const env = { PORTCULLIS_STORE: server.url }
  const program = await startProgram({ cwd: shortFolder(t) })
  t.teardown(() => program.stop())
  const brandsAreIn = await brandSomething(t, program)
  const move = (more: NodeJS.ProcessEnv = {}) => portcullis(program, ['migrate-store', '--yes'], { ...env, ...more })
  t.match(await portcullis(program, ['migrate-store', '--yes']), {
    code: 2,
    stderr: /must name the PostgreSQL database/,
  })
  t.match(await move(), { code: 1, stderr: /a server runs on this database file: stop it first/ })
  await program.stop()
  t.match(await portcullis(program, ['migrate-store'], env), { code: 2, stderr: /say --yes/ })
  const others = Buffer.from('a master key of another server!!').toString('base64url')
  t.match(await move({ PORTCULLIS_MASTER_KEYS: others }), { code: 2, stderr: /sealed under master key/ })
  const unreachable = server.url.replace(/:\d+\//, ':1/')
  t.match(await move({ PORTCULLIS_STORE: unreachable }), {
    code: 5,
    stderr: /the file is unchanged.*the same command goes on/,
  })
  const schemas = await server.admin(`select nspname from pg_namespace where nspname = 'portcullis_move'`)
  t.same(schemas, [], 'nothing was begun')
  await server.admin('create table applications (id text)')
  t.match(await move(), { code: 1, stderr: /the file is unchanged/ }, 'a table of somebody else is in the way')
  await server.admin('drop table applications')
  const another = await newMigratedDatabase(server)
  const refused = await move({ PORTCULLIS_STORE: another })
  t.match(refused, {
    code: 1,
    stderr: /has a store already, and not this one: .*\. Nothing was moved, and the file is/,
  })
  t.notMatch(refused.stderr, /goes on/)
  const done = await move()
  t.equal(done.code, 0, done.stderr)
  const after = await startProgram({ cwd: program.cwd, env, ports: portsOf(program) })
  t.teardown(() => after.stop())
  await brandsAreIn(after)
})
