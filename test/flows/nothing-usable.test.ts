// What somebody finds who gets the database, the logs, the checkpoints and an export of the ledger, after every story
// that makes a secret: none of the secrets, in no spelling, and no string that works as a credential.
// full: every story that makes a secret, then a search of all that it left
// run: apart

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import t from 'tap'
import { openSqliteDatabase } from '../../src/storage/sql/sqlite/sqlite-library.js'
import { normalizePassword } from '../../src/users/credentials/password-rules.js'
import { clusterConfiguration } from '../support/cluster/cluster-configuration.js'
import { createInstance, type Instance } from '../support/cluster/cluster-instance.js'
import { type MailServer, startMailServer } from '../support/people/mail-server.js'
import { makePeopleSecrets, type SecretsApp } from '../support/people/people-secrets.js'
import { steadyPort } from '../support/programs/steady-port.js'
import { makeClientSecrets, misplace } from '../support/secrets/client-secrets.js'
import { candidatesIn, foundSecrets } from '../support/secrets/found-secrets.js'
import { secretTrials, tryAll } from '../support/secrets/secret-trials.js'
import { readableSecrets } from '../support/settings/secret-settings.js'
import { until } from '../support/traffic/until.js'

t.setTimeout(240_000)

/** One instance on the embedded Store, in production mode, that logs all it has to say. */
async function openTestApp(mails: MailServer): Promise<SecretsApp> {
  // A socket's path has room for 103 bytes, and tap's own folders are named after the whole test.
  const folder = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const configFile = join(folder, 'portcullis.yaml')
  const settings = readableSecrets(mails.url)
  writeFileSync(configFile, clusterConfiguration(await steadyPort(), settings.configure))
  writeFileSync(join(folder, 'log'), '')
  const [port, operatorPort] = [await steadyPort(), await steadyPort()]
  const env = {
    ...settings.env,
    ...{ PORTCULLIS_LISTEN: `127.0.0.1:${port}`, PORTCULLIS_OPERATOR: `127.0.0.1:${operatorPort}` },
    ...{ PORTCULLIS_DATA: './data', NODE_ENV: 'production' },
  }
  const instance = createInstance({
    ...{ name: 'one', port, operatorPort, folder, configFile, env, store: undefined, redis: undefined },
  })
  t.teardown(() => instance.stop('SIGKILL'))
  await instance.start()
  return { instance, mails, known: new Map(settings.known) }
}

/** Each value of each row on a line of its own, and the files as they lie there, with what was deleted in them. */
async function everything({ folder, logFile, operator, manage }: Instance): Promise<Record<string, Buffer>> {
  const data = join(folder, 'data')
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const database = await openSqliteDatabase(join(data, 'portcullis.db'))
  const rows = (sql: string) => database.prepare(sql).all() as Record<string, unknown>[]
  const tables = rows("select name from sqlite_master where type = 'table'").map(({ name }) => String(name))
  const values = tables.flatMap((name) =>
    rows(`select * from "${name}"`).flatMap((row) => Object.values(row).map(String)),
  )
  database.close()
  const answers = ['/auditEvents?$top=200', '/activity?$top=200', '/auditEvents/verification', '/status', '/users']
  const managed = await Promise.all(answers.map(async (path) => (await manage('GET', path)).body))
  const watched = await Promise.all(['/metrics', '/config'].map(async (path) => (await operator(path)).body))
  return {
    ...Object.fromEntries(files.map((file) => [relative(data, file), readFileSync(file)])),
    ...{ 'the dump': Buffer.from(values.join('\n')), 'the log': readFileSync(logFile) },
    ...{ 'audit export': Buffer.from(managed.join('\n')), 'the operator listener': Buffer.from(watched.join('\n')) },
  }
}

t.test('S9 X5 X6: no dump, log, checkpoint or export has a secret, and nothing in them works as one', async (t) => {
  const startedAt = performance.now()
  const testApp = await openTestApp(await startMailServer(t))
  const { instance, known } = testApp
  const people = await makePeopleSecrets(testApp)
  const client = await makeClientSecrets(testApp, people)
  await misplace(testApp)
  const checkpoints = join(instance.folder, 'data', 'ledger-checkpoints.jsonl')
  await until('a checkpoint is written', async () => readFileSync(checkpoints, 'utf8') !== '')
  const places = await everything(instance)
  t.comment(`${known.size} secrets were made, after ${Math.round(performance.now() - startedAt)} ms`)
  for (const [name, bytes] of Object.entries(places)) {
    t.comment(`${name}: ${(bytes.byteLength / 1024).toFixed(0)} KiB`)
    t.ok(bytes.byteLength > 100, `${name} was written`)
  }
  t.ok(known.size > 60)
  for (const one of ['first: form token', 'live: code', 'operator token', 'client assertion']) t.ok(known.has(one), one)
  t.same(foundSecrets(known, places), [])

  t.match(readFileSync(instance.logFile, 'utf8'), /a mail for a new password was not sent/, 'failures were logged too')
  const [secret = ''] = known.values()
  for (const spelling of [
    secret,
    ...[0, 1, 2].map((pad) => Buffer.from('x'.repeat(pad) + secret).toString('base64url')),
  ]) {
    const planted = foundSecrets(known, { planted: Buffer.from(`{"a":"${spelling}"}`) })
    t.equal(planted.length, 1, 'what is there would be found, written another way too')
  }

  const candidates = candidatesIn(places)
  const trials = secretTrials(instance, people, client)
  const { working, tried } = await tryAll(trials, candidates, { cheap: 4_000, costly: 60 })
  t.comment(`${candidates.length} candidates; tried as ${JSON.stringify(tried)}`)
  t.same(working, [])
  // A hash for each is not affordable: of those that a sign-in does not check, each is compared with what it would
  // accept.
  const passwords = [...known].filter(([name]) => name.startsWith('password of ')).map(([, password]) => password)
  t.ok(passwords.length >= 2)
  t.same(
    candidates.filter((one) => passwords.includes(normalizePassword(one))),
    [],
  )
  for (const [name, count] of Object.entries(tried)) {
    if (name !== 'password' && name !== 'recovery code') t.equal(count, candidates.length, `all are tried as ${name}`)
  }
  for (const { name, right, works } of trials) {
    if (right !== undefined) t.equal(await works(right), true, `the right ${name} works in the same trial`)
  }
  await instance.stop()
  const left = readFileSync(join(instance.folder, 'data', 'portcullis.db'))
  const log = readFileSync(instance.logFile)
  t.same(foundSecrets(known, { 'the file after the end': left, 'the log of all this': log }), [])
  t.comment(`${Math.round(performance.now() - startedAt)} ms`)
})
