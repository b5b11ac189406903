// `portcullis backup` and `restore` against the program itself: tokens of before a backup are good after it, what came
// later is gone and said so, and whatever a server would refuse to start on is refused before anything changes.
// run: apart
// full: a server and ten commands beside it

import { randomBytes } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { migrations } from '../../../src/storage/sql/schema/migrations.js'
import { brandSomething } from '../../support/brands/branded.js'
import { call, demoToken } from '../../support/programs/demo.js'
import { type Program, startProgram } from '../../support/programs/program.js'
import { runCommand } from '../../support/rooms/cli.js'

t.setTimeout(180_000)

/** A socket's path has room for 103 bytes: tap's own folders are named after the whole test. */
function shortFolder(t: Test): string {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  return cwd
}

const portsOf = ({ baseUrl, operatorUrl }: Program) => ({
  public: Number(new URL(baseUrl).port),
  operator: Number(new URL(operatorUrl).port),
})

const statusOf = async (program: Program, token: string) =>
  (await call(program, '/api/v2/me', { headers: { authorization: `Bearer ${token}` } })).status

t.test(
  'a backup of a running server is restored: what came later is forgotten, what was revoked stays so',
  async (t) => {
    const cwd = shortFolder(t)
    const first = await startProgram({ cwd })
    t.teardown(() => first.stop())
    const run = (line: string, more = {}) => runCommand(line.split(' '), { cwd, env: first.env, ...more })
    const well = async (t: Test, line: string) => {
      const result = await run(line)
      t.equal(result.code, 0, `${line}\n${result.err}`)
      return result
    }
    const [before, revoked] = [await demoToken(first), await demoToken(first)]
    const folder = join(cwd, 'saved')
    await well(t, 'app create Leaky')

    await t.test('the backup is whole, private, and says what it has', async (t) => {
      const { out, err } = await well(t, 'backup saved --with-keys')
      t.equal(out, `${folder}\n`)
      t.match(err, /has 1 tenant, 3 applications, 0 people and an audit log up to event \d+: [\d.]+ MB/)
      t.match(err, /holds the keys too/)
      t.equal(statSync(folder).mode & 0o777, 0o700)
      for (const name of ['portcullis.db', 'manifest.json', 'keys/development-master.key', 'tls/ca.key']) {
        t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, `${name} is its owner's`)
      }
      t.notOk(existsSync(join(folder, 'portcullis.db-wal')), 'the file alone is the whole database')
      t.same(
        readdirSync(cwd).filter((name) => name.includes('partial')),
        [],
        'no draft is left',
      )
      t.match(await run('backup saved'), { code: 2, err: /is there already: name a new folder/ })
    })

    await well(t, 'app create later')
    const later = await demoToken(first)
    await well(t, `revoke token ${revoked}`)
    t.equal(await statusOf(first, revoked), 401)
    await well(t, 'app disable Leaky --yes')

    await t.test('nothing is restored under a running server, and nobody is overrun', async (t) => {
      t.match(await run('restore saved --yes'), { code: 1, err: /a server runs on this data folder: stop it first/ })
      await first.stop()
      t.match(await run('restore saved'), { code: 2, err: /say --yes/ })
      t.match(await run('restore saved', { answer: 'n' }), { code: 1, err: /nothing was done/ })
    })

    const kept = await run('restore saved --keep-tokens', { answer: 'y' })
    t.equal(kept.code, 0, kept.err)
    t.match(kept.err, /The database has 4 applications and 0 people, the backup of \S+ has 3 applications and 0 people/)
    t.notMatch(kept.err, /of before has ended/)
    t.match(
      kept.err,
      /[1-9]\d* events of the audit log are newer than the backup.* Tokens and sign-ins of the backup go on/,
    )
    t.match(kept.err, /Kept: .*portcullis\.db\.before-restore-/)
    t.match(kept.err, /still ended: .*1 disabled applications.*1 revocations/)
    const second = await startProgram({ cwd, ports: portsOf(first) })
    t.teardown(() => second.stop())
    t.equal(await statusOf(second, before), 200, 'with --keep-tokens a token of before the backup is good')
    t.equal(await statusOf(second, revoked), 401, 'but not one that was revoked since')
    t.equal(await statusOf(second, later), 401, 'a token of a forgotten time is refused')
    t.notMatch((await well(t, 'app list')).out, /later/)
    t.match((await well(t, 'app list')).out, /Leaky.*disabled/, 'what was disabled since stays disabled')
    t.match((await well(t, 'audit verify')).out, /ledger +clean/)
    await second.stop()

    const restored = await run('restore saved', { answer: 'y' })
    t.equal(restored.code, 0, restored.err)
    t.match(restored.err, /Every token and every sign-in ends.*Every token and sign-in of before has ended/s)
    const third = await startProgram({ cwd, ports: portsOf(first) })
    t.teardown(() => third.stop())
    for (const token of [before, revoked, later])
      t.equal(await statusOf(third, token), 401, 'no token of before is good')
    t.equal(await statusOf(third, await demoToken(first)), 200, 'and the secret works')
    t.match((await well(t, 'audit verify')).out, /ledger +clean/)
  },
)

t.test('a restore into an empty folder brings the keys, and needs them', async (t) => {
  const cwd = shortFolder(t)
  const first = await startProgram({ cwd })
  t.teardown(() => first.stop())
  const token = await demoToken(first)
  const brandsAreIn = await brandSomething(t, first)
  const at = (line: string, folder: string) => runCommand(line.split(' '), { cwd: folder, env: first.env })
  t.equal((await at('keys rotate --immediately --yes', cwd)).code, 0, 'a key that retires has no private part')
  t.equal((await at('backup with --with-keys', cwd)).code, 0)
  t.equal((await at('backup without', cwd)).code, 0)
  await first.stop()
  const other = shortFolder(t)
  t.match(await at(`restore ${cwd}/without --yes`, other), {
    code: 2,
    err: /needs the master keys of the server that made it: set secrets\.masterKeys.*development-master\.key into \S+keys, or restore/,
  })
  t.notOk(existsSync(join(other, 'data', 'portcullis.db')), 'and nothing is there')
  const restored = await at(`restore ${cwd}/with --keep-tokens --yes`, other)
  t.equal(restored.code, 0, restored.err)
  t.match(restored.err, /Brought by the backup: .*development-master\.key/)
  t.match(restored.err, /Nothing here knows.*Of people: disabled people, operators, e-mail addresses.*: signing keys/s)
  t.match(restored.err, /also those that ended since.*\n.*\n +portcullis restore \S+with --yes/)
  const second = await startProgram({ cwd: other, ports: portsOf(first) })
  t.teardown(() => second.stop())
  t.equal(await statusOf(second, token), 200, 'on another machine the token is good where that is said')
  await brandsAreIn(second, other)
  const commands = restored.err.match(/(?<=^ +portcullis )keys remove \S+ --yes$/gm) ?? []
  t.ok(commands.length >= 2)
  for (const command of commands) t.equal((await at(command, other)).code, 0, command)
  t.equal(await statusOf(second, token), 401, 'no key of the backup verifies after the commands that were printed')
  t.equal(await statusOf(second, await demoToken(first)), 200, 'and there is one that signs')
})

t.test('what is not a whole backup of this server is refused before anything changes', async (t) => {
  const cwd = shortFolder(t)
  const program = await startProgram({ cwd })
  t.equal((await runCommand(['backup', 'good'], { cwd, env: program.env })).code, 0)
  await program.stop()
  const state = () => readFileSync(join(cwd, 'data', 'portcullis.db')).toString('base64')
  const before = state()
  const spoiled = (spoil: (folder: string) => void): string => {
    const folder = mkdtempSync(join(cwd, 'spoiled-'))
    cpSync(join(cwd, 'good'), folder, { recursive: true })
    spoil(folder)
    return folder
  }
  const edited = (change: (manifest: { [name: string]: unknown }) => unknown) =>
    spoiled((folder) => {
      const file = join(folder, 'manifest.json')
      const manifest = JSON.parse(readFileSync(file, 'utf8'))
      change(manifest)
      writeFileSync(file, JSON.stringify(manifest))
    })
  const refusals: [string, string, RegExp][] = [
    ['no folder', join(cwd, 'nowhere'), /no backup: there is no manifest/],
    ['no manifest', spoiled((folder) => rmSync(join(folder, 'manifest.json'))), /no backup/],
    ['no JSON', spoiled((folder) => writeFileSync(join(folder, 'manifest.json'), '{')), /none of this program/],
    ['another shape', edited((manifest) => delete manifest['database']), /none of this program/],
    ['no database', spoiled((folder) => rmSync(join(folder, 'portcullis.db'))), /portcullis\.db is missing/],
    [
      'a changed database',
      spoiled((folder) => {
        const file = join(folder, 'portcullis.db')
        const bytes = readFileSync(file)
        bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
        writeFileSync(file, bytes)
      }),
      /portcullis\.db is not the file that was saved/,
    ],
    [
      'a path outside',
      edited((manifest) => Object.assign(manifest['files'] as object, { '../x': 'a'.repeat(64) })),
      /outside/,
    ],
    [
      'a newer schema',
      edited((manifest) => Object.assign(manifest['database'] as object, { schemaVersion: migrations.length + 1 })),
      /use the version of Portcullis that made it/,
    ],
  ]
  for (const [what, folder, why] of refusals) {
    const { code, err } = await runCommand(['restore', folder, '--yes'], { cwd, env: program.env })
    t.ok(code !== 0, what)
    t.match(err, why, what)
  }
  const env = { ...program.env, PORTCULLIS_MASTER_KEYS: randomBytes(32).toString('base64url') }
  const foreign = await runCommand(['restore', 'good', '--yes'], { cwd, env })
  t.match(foreign, { code: 2, err: /sealed under master key/ }, 'master keys of another server')
  t.equal(state(), before, 'the database is as it was')

  const postgres = { ...program.env, PORTCULLIS_STORE: 'postgresql://u@127.0.0.1:1/d?sslmode=disable' }
  const advice = { code: 2, err: /pg_dump --format=custom/ }
  t.match(await runCommand(['backup'], { cwd, env: postgres }), advice, 'PostgreSQL has its own tools')
  const url = join(cwd, 'store url')
  writeFileSync(url, postgres.PORTCULLIS_STORE)
  const fromFile = await runCommand(['backup'], { cwd, env: { ...program.env, PORTCULLIS_STORE: `file:${url}` } })
  t.ok(fromFile.err.includes(`--file=portcullis.dump "$(cat '${url}')"`), fromFile.err)
  t.match(await runCommand(['restore', 'good', '--yes'], { cwd, env: postgres }), { code: 2, err: /pg_restore/ })
  const nothing = { ...program.env, PORTCULLIS_DATA: './empty' }
  t.match(await runCommand(['backup'], { cwd, env: nothing }), { code: 3, err: /there is no database at/ })
})

t.test(
  'a damaged database is replaced, and kept; one that cannot be opened for another reason is not passed over',
  async (t) => {
    const cwd = shortFolder(t)
    const program = await startProgram({ cwd })
    const run = (line: string) => runCommand(line.split(' '), { cwd, env: program.env })
    t.equal((await run('backup good')).code, 0)
    t.equal((await run('app create later')).code, 0)
    const token = await demoToken(program)
    await program.stop()
    const file = join(cwd, 'data', 'portcullis.db')
    writeFileSync(`${file}.moved`, '')
    t.match(await run('backup stale'), { code: 2, err: /was moved to PostgreSQL/ }, 'what is not the store any more')
    rmSync(`${file}.moved`)
    rmSync(`${file}-wal`, { force: true })
    mkdirSync(`${file}-wal`)
    t.match(await run('restore good --yes'), { code: 1, err: /could not be opened, .* Nothing was changed/ })
    rmdirSync(`${file}-wal`)
    writeFileSync(file, 'not a database any more')
    const restored = await run('restore good --yes')
    t.equal(restored.code, 0, restored.err)
    const kept = readdirSync(join(cwd, 'data')).filter((name) => name.startsWith('portcullis.db.before-restore-'))
    t.same(
      kept.map((name) => readFileSync(join(cwd, 'data', name), 'utf8')),
      ['not a database any more'],
    )
    const again = await startProgram({ cwd, ports: portsOf(program) })
    t.teardown(() => again.stop())
    t.equal(await statusOf(again, token), 401, 'a token that was issued on what is forgotten is refused')
  },
)
