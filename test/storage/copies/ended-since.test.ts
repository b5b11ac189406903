// What has ended since a backup does not come back to life with it: of what the present database still has, and all that
// was issued.

import { join } from 'node:path'
import t, { type Test } from 'tap'
import { backupDatabase } from '../../../src/storage/sql/copies/backup-database.js'
import { openExclusively } from '../../../src/storage/sql/copies/exclusive.js'
import { endIssuedIn } from '../../../src/storage/sql/copies/issued.js'
import { keepEnded } from '../../../src/storage/sql/copies/still-ended.js'
import { migrations } from '../../../src/storage/sql/schema/migrations.js'
import { migrate } from '../../../src/storage/sql/sqlite/migrate.js'
import { createConnection, type SqliteConnection } from '../../../src/storage/sql/sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import { quickFolder } from '../../support/storage/quick-folder.js'

const person = (id: string, operator = 0) =>
  `insert into users (id, email, email_verified, name, state, id_provider, password_hash, created_at, updated_at, operator)
   values ('${id}', '', 0, '${id}', 'enabled', 'local', 'old ${id}', 1, 1, ${operator})`
const application = (id: string) =>
  `insert into applications (id, public_key, tenant_id, name, type, state, audience, created_at, updated_at)
   values ('${id}', 'pk ${id}', 'c', '${id}', 'web', 'enabled', 'home', 1, 1)`
const secret = (id: string, of: string) =>
  `insert into application_secrets (key_id, application_id, label, hint, hash, pepper_id, starts_at, ends_at, created_at)
   values ('${id}', '${of}', '', '', '${id}', 'p', 1, 1000, 1)`
const grant = (id: string, sequence: number) =>
  `insert into grants (id, origin, user_id, application_id, tenant_id, resource, permissions, openid_scopes, client_identifier,
     authentication, state, created_at, refresh_sequence, idle_expires_at, expires_at)
   values ('${id}', 'code', 'ada', 'kept', 'c', '', '', '', '', '{}', 'active', 1, ${sequence}, 9, 9)`
const session = (id: string) =>
  `insert into sessions (id_hash, user_id, created_at, last_seen_at, expires_at, authenticated_at, acr, amr, user_agent, address)
   values ('${id}', 'ada', 1, 1, 9, 1, '', '[]', '', '')`
const consent = (of: string) =>
  `insert into user_consents (user_id, application_id, tenant_id, resource, permission_id, granted_at)
   values ('ada', '${of}', 'c', 'api', 'Read', 1)`
const grantedBy = (of: string) =>
  `insert into permission_grants (application_id, tenant_id, kind, resource, permission_id, granted_at, granted_by)
   values ('${of}', 'c', 'application', 'api', 'Read', 1, '')`
const key = (kid: string, state: string) =>
  `insert into signing_keys (kid, purpose, alg, state, public_jwk, private_jwk, created_at, activates_at)
   values ('${kid}', 'token', 'ES256', '${state}', '{}', '', 1, 1)`

/** Yesterday. */
const earlier = [
  "insert into tenants (id, name, state, created_at, updated_at) values ('c', 'Contoso', 'enabled', 1, 1)",
  ...[person('ada', 1), person('bob', 1), person('gone')],
  ...[application('kept'), application('deleted')],
  ...[secret('leaked', 'kept'), secret('good', 'kept'), secret('shortened', 'kept'), secret('back', 'deleted')],
  ...[consent('kept'), consent('deleted'), grantedBy('kept'), grantedBy('deleted')],
  ...[grant('used', 3), grant('exchanged', 3), grant('over', 3)],
  ...[session('there'), session('signed out')],
  "insert into memberships (user_id, tenant_id, role, created_at, updated_at) values ('ada', 'c', 'owner', 1, 1), ('bob', 'c', 'member', 1, 1)",
  "insert into recovery_codes (hash, user_id) values ('used', 'ada'), ('unused', 'ada')",
  "insert into one_time_links (hash, purpose, created_by, created_at, expires_at) values ('link', 'invitation', '', 1, 9)",
  key('stolen', 'active'),
]

/** Today. */
const since = [
  "delete from application_secrets where key_id in ('leaked', 'back')",
  "update application_secrets set ends_at = 500 where key_id = 'shortened'",
  ...['user_consents', 'permission_grants'].map((table) => `delete from ${table}`),
  "delete from applications where id = 'deleted'",
  "update users set state = 'disabled', operator = 0, password_hash = 'new' where id = 'bob'",
  "delete from users where id = 'gone'",
  "update memberships set role = 'developer' where user_id = 'ada'",
  "update memberships set role = 'owner' where user_id = 'bob'",
  "update grants set refresh_sequence = 4 where id = 'exchanged'",
  "update grants set state = 'ended' where id = 'over'",
  "delete from sessions where id_hash = 'signed out'",
  "update recovery_codes set used_at = 1 where hash = 'used'",
  "update one_time_links set used_at = 1 where hash = 'link'",
  'update feed_head set seq = 40',
  "insert into revocations (what, id, seq, at, expires_at) values ('token', 'j', 33, 1, 9), ('user', 'ada', 34, 1, 9)",
  ...["update signing_keys set state = 'removed'", key('fresh', 'active')],
]

async function two(t: Test): Promise<{ present: SqliteConnection; copy: string }> {
  const folder = quickFolder(t)
  const file = join(folder, 'portcullis.db')
  const copy = join(folder, 'copy.db')
  const writer = createConnection(await openSqliteDatabase(file))
  migrate(writer, migrations, 1)
  for (const statement of earlier) writer.exec(statement)
  writer.exec('update feed_head set seq = 20')
  await backupDatabase(file, copy)
  for (const statement of since) writer.exec(statement)
  writer.close()
  const present = await openExclusively(file)
  t.teardown(() => present.close())
  return { present, copy }
}

async function inCopy(t: Test, copy: string): Promise<(sql: string) => unknown[]> {
  const connection = createConnection(await openSqliteDatabase(copy))
  t.teardown(() => connection.close())
  return (sql) => connection.all(sql, []).map((row) => Object.values(row as object).join(' '))
}

t.test(
  'V10: what has ended since stays ended where its owner is still there, and comes back with it otherwise',
  async (t) => {
    const { present, copy } = await two(t)
    await endIssuedIn(copy, 'once', { nowMs: 50 })
    const counts = keepEnded(present, copy, 50)
    const read = await inCopy(t, copy)
    t.same(read('select key_id, ends_at from application_secrets order by 1'), [
      'back 1000',
      'good 1000',
      'shortened 500',
    ])
    t.same(read('select application_id from user_consents'), ['deleted'])
    t.same(read('select application_id from permission_grants'), ['deleted'])
    t.same(read('select id, state, operator, password_hash from users order by 1'), [
      ...['ada enabled 1 old ada', 'bob disabled 0 new', 'gone enabled 0 old gone'],
    ])
    t.same(
      read('select user_id, role from memberships order by 1'),
      ['ada developer', 'bob member'],
      'no role is raised',
    )
    t.same(
      read("select id from grants where state = 'active'"),
      ['used'],
      'an exchanged refresh token is not new again',
    )
    t.same(read('select id_hash from sessions'), ['there'])
    t.same(read('select hash from recovery_codes where used_at is null'), ['unused'])
    t.same(read('select hash from one_time_links'), [], 'what works once may have been used')
    t.same(
      read('select what, id, seq from revocations order by 1'),
      ['token j 21', 'user ada 21'],
      'before all that comes',
    )
    t.same(read('select kid, state from signing_keys order by 1'), ['fresh active', 'stolen removed'])
    t.same(read('select count(*) from feed_gaps where after_seq = -1'), ['0'], 'other tokens go on')
    t.match(counts.ended, [{ what: 'secrets', count: 1 }])
    t.same(
      present.all("select id from users where state = 'disabled'", []),
      [{ id: 'bob' }],
      'the present one is as it was',
    )
  },
)

t.test('all that was issued ends behind a gap of the log', async (t) => {
  const { copy } = await two(t)
  await endIssuedIn(copy, 'everything', { nowMs: 50 })
  const read = await inCopy(t, copy)
  t.same(read('select after_seq, until_seq from feed_gaps where after_seq = -1'), ['-1 1021'])
  t.same(read('select after_seq from feed_gaps where until_seq = 1020'), ['20'], 'and all that the lost state numbered')
  t.same(read('select seq, body from changes where seq > 20 order by 1'), [
    ...['1020 {"kind":"gap","after":20}', '1021 {"kind":"gap","after":-1}'],
  ])
  t.same(read('select seq from feed_head'), ['1021'])
  t.same(read("select count(*) from grants where state = 'active'"), ['0'])
  t.same(read('select count(*) from sessions'), ['0'])
  t.same(read('select count(*) from one_time_links'), ['0'])
  t.same(read('select count(*) from applications'), ['2'], 'what was registered is there')
})
