// Restores as they happen: addresses that moved on, applications that were deleted and came back, a present database
// that is not what became of the backup, or is of another version of the program.

import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { backupDatabase } from '../../../src/storage/sql/copies/backup-database.js'
import { compareWith } from '../../../src/storage/sql/copies/compare.js'
import { type DatabaseFacts, factsOf } from '../../../src/storage/sql/copies/database-facts.js'
import { openExclusively } from '../../../src/storage/sql/copies/exclusive.js'
import { endIssuedIn } from '../../../src/storage/sql/copies/issued.js'
import type { StillEnded } from '../../../src/storage/sql/copies/still-ended.js'
import { migrations } from '../../../src/storage/sql/schema/migrations.js'
import { migrate } from '../../../src/storage/sql/sqlite/migrate.js'
import { createConnection, type SqliteConnection } from '../../../src/storage/sql/sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import { quickFolder } from '../../support/storage/quick-folder.js'

const tenant = (id: string) =>
  `insert into tenants (id, name, state, created_at, updated_at) values ('${id}', '${id}', 'enabled', 1, 1)`
const person = (id: string, email = `${id}@a.example`) =>
  `insert into users (id, email, email_key, email_verified, name, state, id_provider, created_at, updated_at)
   values ('${id}', '${email}', '${email}', 1, '${id}', 'enabled', 'local', 1, 1)`
const application = (id: string, of = 'c') =>
  `insert into applications (id, public_key, tenant_id, name, type, state, audience, created_at, updated_at, jwks)
   values ('${id}', 'pk ${id}', '${of}', '${id}', 'web', 'enabled', 'home', 1, 1, '{"keys":[1]}')`
const secret = (id: string, of: string) =>
  `insert into application_secrets (key_id, application_id, label, hint, hash, pepper_id, starts_at, ends_at, created_at)
   values ('${id}', '${of}', '', '', '${id}', 'p', 1, 1000, 1)`
const identity = (of: string) =>
  `insert into external_identities (issuer, subject, user_id, provider, created_at) values ('i', 's', '${of}', 'p', 1)`
const logged = (position: number, mac: string) => [
  `insert into ledger (position, at, event, actor, details, key_id, mac) values (${position}, 1, 'x', '{}', '{}', 'k', '${mac}')`,
  `update ledger_head set position = ${position}, mac = '${mac}' where id = 1`,
]
/** As directory/deleted keeps an application with one secret. */
const deleted = (id: string, kept: object, at = 1) =>
  `insert into deleted_applications (id, public_key, tenant_id, name, publisher, verified, type, deleted_at, deleted_by, purge_at, kept)
   values ('${id}', 'pk ${id}', 'c', '${id}', '', 0, 'web', ${at}, '', 9, '${JSON.stringify(kept)}')`
const keptSecret = (id: string, of: string) => ({
  ...{ key_id: id, application_id: of, label: '', hint: '', hash: id, pepper_id: 'p', starts_at: 1, ends_at: 1000 },
  ...{ last_used_at: null, created_at: 1 },
})
const keptApplication = (id: string) => ({
  ...{ id, public_key: `pk ${id}`, tenant_id: 'c', name: id, type: 'web', state: 'enabled', audience: 'home' },
  ...{ created_at: 1, updated_at: 1, auth_method: 'secret', jwks: null, verified: 0 },
})

interface Story {
  before: readonly string[]
  since: readonly string[]
  /** Migrations that the present has been through. */
  schema?: number
  /** Whose first page of rows cannot be read in the present. */
  damaged?: string
}

interface Played {
  ended: StillEnded | undefined
  read: (sql: string) => unknown[]
  present: SqliteConnection
}

function spoil(connection: SqliteConnection, file: string, table: string): void {
  const [{ page }] = connection.all('select rootpage as page from sqlite_master where name = ?', [table]) as [
    { page: number },
  ]
  connection.exec('pragma wal_checkpoint(truncate)')
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(4096, 0xff), 0, 4096, (page - 1) * 4096)
  closeSync(descriptor)
}

async function play(t: Test, { before, since, schema = migrations.length, damaged }: Story): Promise<Played> {
  const folder = quickFolder(t)
  const [file, copy] = [join(folder, 'portcullis.db'), join(folder, 'copy.db')]
  const writer = createConnection(await openSqliteDatabase(file))
  migrate(writer, migrations.slice(0, schema), 1)
  for (const statement of [tenant('c'), ...logged(1, 'one'), ...before]) writer.exec(statement)
  const facts: DatabaseFacts = await backupDatabase(file, copy)
  for (const statement of since) writer.exec(statement)
  if (damaged !== undefined) spoil(writer, file, damaged)
  writer.close()
  const present = await openExclusively(file)
  t.teardown(() => present.close())
  await endIssuedIn(copy, 'once', { nowMs: 50 })
  const ended = await compareWith({ connection: present, facts: factsOf(present) }, { file: copy, facts }, 50)
  const connection = createConnection(await openSqliteDatabase(copy))
  t.teardown(() => connection.close())
  const read = (sql: string) => connection.all(sql, []).map((row) => Object.values(row as object).join(' '))
  t.same(read('pragma foreign_key_check'), [])
  return { ended, read, present }
}

t.test('V10: an account does not go back to a mailbox that was lost', async (t) => {
  const { ended, read } = await play(t, {
    before: [
      ...[person('ada', 'lost@x.example'), person('bob'), person('eve'), person('gone', 'free@x.example')],
      "insert into email_vouchers (user_id, tenant_id, created_at) values ('gone', 'c', 1), ('bob', 'c', 1)",
    ],
    since: [
      "update users set email = 'ada@new.example', email_key = 'ada@new.example' where id = 'ada'",
      "update users set email_key = null where id in ('bob', 'eve')",
      "update users set email = 'eve@a.example', email_key = 'eve@a.example' where id = 'bob'",
      "update users set email = 'free@x.example', email_key = 'free@x.example', email_verified = 0 where id = 'eve'",
      "delete from email_vouchers where user_id = 'gone'",
      "delete from users where id = 'gone'",
    ].sort((one, other) => Number(other.includes('gone')) - Number(one.includes('gone'))),
  })
  t.same(read('select id, email, email_key, email_verified from users order by id'), [
    'ada ada@new.example ada@new.example 1',
    'bob eve@a.example eve@a.example 1',
    'eve free@x.example free@x.example 0',
    'gone   0',
  ])
  t.same(read('select user_id from email_vouchers'), ['bob'], 'nobody vouches for an address that is not there')
  t.match(ended, { ended: [{ what: 'e-mail addresses', count: 3 }], back: [{ what: 'people', count: 1 }] })
})

t.test('applications are told no address of before: profiles have the one that counts', async (t) => {
  const profile = (of: string, tenantId: string, email: string) =>
    `insert into profiles values ('${of} ${tenantId}', '${tenantId}', '${of}', '', '', '${email}', '', '', 0, 0, 0, '', '', '', '', 0, 1)`
  const shown = (of: string, email: string) => `update profiles set email = '${email}' where user_id = '${of}'`
  const { read } = await play(t, {
    before: [
      ...[tenant('d'), person('ada', 'lost@x.example'), person('bob'), person('eve'), person('gone', 'free@x.example')],
      ...[profile('ada', 'c', 'lost@x.example'), profile('bob', 'c', 'bob@a.example'), profile('eve', 'c', '')],
      ...[profile('gone', 'c', 'free@x.example'), profile('eve', 'd', 'eve@a.example')],
      "update users set email_verified = 0 where id = 'eve'",
      "insert into email_vouchers (user_id, tenant_id, created_at) values ('eve', 'd', 1)",
      "insert into profiles values ('own', 'c', null, '', '', 'of@tenant.example', '', '', 0, 0, 0, '', '', '', '', 0, 1)",
    ],
    since: [
      "delete from profiles where user_id = 'gone'",
      "delete from users where id = 'gone'",
      "update users set email = 'ada@new.example', email_key = 'ada@new.example' where id = 'ada'",
      shown('ada', 'ada@new.example'),
      "update users set email = 'free@x.example', email_key = 'free@x.example', email_verified = 0 where id = 'bob'",
      shown('bob', ''),
    ],
  })
  t.same(read('select id, email from profiles order by id'), [
    'ada c ada@new.example',
    'bob c ',
    'eve c ',
    'eve d eve@a.example',
    'gone c ',
    'own of@tenant.example',
  ])
})

t.test('an identity that was unlinked and linked to another person stays where it is not', async (t) => {
  const moved = await play(t, {
    before: [person('ada'), person('bob'), identity('ada')],
    since: ['delete from external_identities', identity('bob')],
  })
  t.same(moved.read('select user_id from external_identities'), [])
  const gone = ['delete from external_identities', "delete from users where id = 'ada'"]
  const taken = await play(t, {
    before: [person('ada'), person('bob'), identity('ada')],
    since: [...gone, identity('bob')],
  })
  t.same(taken.read('select user_id from external_identities'), [], 'also where its owner of before comes back')
  const anew = await play(t, {
    before: [person('ada'), identity('ada')],
    since: [...gone, person('new'), identity('new')],
  })
  t.same(
    anew.read('select user_id from external_identities'),
    ['ada'],
    'but who signed in anew after a deletion has it back',
  )
})

t.test('deleted applications keep no secret that ended since, and what left for good is not there', async (t) => {
  const { ended, read } = await play(t, {
    before: [
      deleted('purged', { applications: [keptApplication('purged')] }),
      deleted('back', { applications: [keptApplication('back')], application_secrets: [keptSecret('leaked', 'back')] }),
      deleted('again', { applications: [keptApplication('again')], application_secrets: [keptSecret('old', 'again')] }),
      deleted('waits', { applications: [keptApplication('waits')], application_secrets: [keptSecret('its', 'waits')] }),
    ],
    since: [
      "delete from deleted_applications where id in ('purged', 'back', 'again')",
      application('back').replace("'back', 'web', 'enabled'", "'renamed', 'web', 'disabled'"),
      secret('new', 'back'),
      "insert into redirect_uris (application_id, purpose, uri) values ('back', 'redirect', 'https://a.example')",
      deleted('again', { applications: [keptApplication('again')], application_secrets: [] }, 7),
    ],
  })
  const kept =
    "select id, name, deleted_at, json_extract(kept, '$.application_secrets[0].key_id') from deleted_applications"
  t.same(read(`${kept} order by id`), ['again again 7 ', 'back renamed 1 ', 'waits waits 1 its'])
  t.same(
    read(
      `select json_extract(kept, '$.applications[0].state'), json_extract(kept, '$.applications[0].jwks'),
         json_extract(kept, '$.redirect_uris[0].uri') from deleted_applications where id = 'back'`,
    ),
    ['disabled {"keys":[]} https://a.example'],
    'it waits as it is now, without its keys',
  )
  t.match(ended?.ended, [{ what: 'deleted applications and their secrets', count: 3 }])
})

t.test('an application that was deleted since comes back without the secrets that had ended before', async (t) => {
  const { ended, read } = await play(t, {
    before: [
      application('mine'),
      secret('leaked', 'mine'),
      secret('good', 'mine'),
      application('purged'),
      secret('its', 'purged'),
    ],
    since: [
      'delete from application_secrets',
      'delete from applications',
      deleted('mine', {
        applications: [{ ...keptApplication('mine'), state: 'disabled' }],
        application_secrets: [keptSecret('good', 'mine')],
      }),
    ],
  })
  t.same(read('select key_id from application_secrets order by 1'), ['good', 'its'])
  t.same(read('select id, state, jwks is null from applications order by 1'), ['mine disabled 1', 'purged enabled 0'])
  t.match(ended?.back, [{ what: 'applications', count: 2 }])
})

t.test('a tenant that was deleted comes back with what it had', async (t) => {
  const { ended, read } = await play(t, {
    before: [
      ...[tenant('gone'), person('ada'), application('its', 'gone'), secret('one', 'its')],
      "insert into memberships (user_id, tenant_id, role, created_at, updated_at) values ('ada', 'gone', 'owner', 1, 1)",
    ],
    since: [
      'delete from application_secrets',
      'delete from memberships',
      'delete from applications',
      "delete from tenants where id = 'gone'",
    ],
  })
  t.same(read('select key_id from application_secrets'), ['one'])
  t.same(read('select user_id, tenant_id, role from memberships'), ['ada gone owner'])
  t.match(ended?.back, [
    { what: 'tenants', count: 1 },
    { what: 'applications', count: 1 },
  ])
})

t.test('a database that is not what became of the backup says nothing of it', async (t) => {
  const before = [application('mine'), secret('new', 'mine'), ...logged(2, 'two')]
  const older = await play(t, {
    before,
    since: [
      'delete from application_secrets',
      'delete from ledger where position = 2',
      ...logged(2, 'other'),
      ...logged(3, 'more'),
    ],
  })
  t.equal(older.ended, undefined, 'an older backup was restored and went on')
  t.same(older.read('select key_id from application_secrets'), ['new'], 'what it never had has not ended')
  const fresh = await play(t, { before, since: ['delete from application_secrets', 'delete from ledger'] })
  t.equal(fresh.ended, undefined, 'a new one was made')
  const pruned = await play(t, {
    before,
    since: [
      'delete from application_secrets',
      'delete from ledger where position <= 2',
      ...logged(3, 'x'),
      'update ledger_start set position = 2 where id = 1',
    ],
  })
  t.same(
    pruned.read('select key_id from application_secrets'),
    [],
    'rows that were taken away for their age prove nothing',
  )
})

t.test('a present database of an older or newer version knows what has ended, and stays as it is', async (t) => {
  const before = [
    application('mine').replace(', jwks)', ')').replace(', \'{"keys":[1]}\')', ')'),
    secret('leaked', 'mine'),
  ]
  const since = ['delete from application_secrets']
  const older = await play(t, { before, since, schema: 21 })
  t.same(older.read('select key_id from application_secrets'), [])
  t.equal(factsOf(older.present).schemaVersion, 21)
  const next = migrations.length + 1
  const newer = await play(t, {
    before,
    since: [
      ...since,
      "alter table applications add column later text not null default ''",
      `insert into schema_migrations (version, name, applied_at) values (${next}, 'later', 1)`,
    ],
  })
  t.same(newer.read('select key_id from application_secrets'), [], 'going back to the program of before an upgrade')
})

t.test('a clock that was put back hides none of the numbers that the lost state gave', async (t) => {
  const { read, present } = await play(t, {
    before: ['update feed_head set seq = 20'],
    since: ['update feed_head set seq = 70000'],
  })
  const file = (present.all('pragma database_list', []) as { file: string }[])[0]?.file ?? ''
  const copy = join(file, '..', 'copy.db')
  await endIssuedIn(copy, 'lost', { nowMs: 50, lost: factsOf(present).change })
  t.same(read('select after_seq, until_seq from feed_gaps'), ['20 71000'])
  await endIssuedIn(copy, 'everything', { nowMs: 50, lost: 70_000 })
  t.same(read('select max(until_seq) from feed_gaps where after_seq = -1'), ['72001'])
  await t.rejects(endIssuedIn(copy, 'everything', { nowMs: 0.5 }), TypeError)
})

t.test('a present database that is damaged inside stops no restore', async (t) => {
  const { ended, read } = await play(t, {
    before: [application('mine'), secret('one', 'mine'), person('ada')],
    since: ["update users set state = 'disabled'"],
    damaged: 'application_secrets',
  })
  t.equal(ended, undefined)
  t.same(read('select state from users'), ['enabled'], 'half of what is known would look like all of it')
  t.same(read('select key_id from application_secrets'), ['one'])
})

t.test('what was carried over is carried over again when the same backup is restored twice', async (t) => {
  const { present, read } = await play(t, {
    before: [application('mine'), secret('leaked', 'mine'), secret('good', 'mine'), person('ada')],
    since: ["delete from application_secrets where key_id = 'leaked'", "update users set state = 'disabled'"],
  })
  const folder = quickFolder(t)
  const [file, copy] = [join(folder, 'portcullis.db'), join(folder, 'copy.db')]
  const at = (present.all('pragma database_list', []) as { file: string }[])[0]?.file ?? ''
  copyFileSync(join(at, '..', 'copy.db'), file)
  const writer = createConnection(await openSqliteDatabase(file))
  for (const statement of logged(2, 'restored')) writer.exec(statement)
  writer.close()
  const facts = await backupDatabase(file, copy)
  const again = createConnection(await openSqliteDatabase(copy))
  for (const statement of [secret('leaked', 'mine'), "update users set state = 'enabled'"]) again.exec(statement)
  again.close()
  const restored = await openExclusively(file)
  t.teardown(() => restored.close())
  await compareWith({ connection: restored, facts: factsOf(restored) }, { file: copy, facts }, 60)
  const connection = createConnection(await openSqliteDatabase(copy))
  t.teardown(() => connection.close())
  t.same(connection.all('select key_id from application_secrets', []), [{ key_id: 'good' }])
  t.same(connection.all('select state from users', []), [{ state: 'disabled' }])
  t.same(read('select key_id from application_secrets'), ['good'])
})
