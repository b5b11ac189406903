// A restore knows of every column of every table what to do with it, and does it. A column without a rule is named.

import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { packageRoot } from '../../../src/config/read/package-root.js'
import { columnsOf, notKnown, tableRules } from '../../../src/storage/sql/copies/rules/table-rules.js'
import { keepEnded } from '../../../src/storage/sql/copies/still-ended.js'
import { migrations } from '../../../src/storage/sql/schema/migrations.js'
import { migrate } from '../../../src/storage/sql/sqlite/migrate.js'
import { createConnection, type SqliteConnection } from '../../../src/storage/sql/sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import { quickFolder } from '../../support/storage/quick-folder.js'

type Value = string | number | null

interface Column {
  name: string
  type: string
}

/** Where only the stricter of two values wins: `lax strict`. */
const strictness: Readonly<Record<string, readonly [Value, Value]>> = {
  'applications.state': ['enabled', 'disabled'],
  'applications.require_pkce': [0, 1],
  'applications.audience': ['any', 'home'],
  'applications.verified': [1, 0],
  'applications.device_codes': ['allowed', 'off'],
  'application_secrets.ends_at': [9, 5],
  'users.state': ['enabled', 'disabled'],
  'users.operator': [1, 0],
  'users.factor_demanded_at': [null, 7],
  'memberships.role': ['administrator', 'developer'],
  'passkeys.counter': [3, 8],
  'tenants.state': ['enabled', 'disabled'],
  'tenants.user_consent': ['allowed', 'administrators'],
  'tenants.foreign_consent': ['allowed', 'verified'],
  'tenants.device_codes': ['allowed', 'off'],
  'tenants.administrators': ['any', 'secondFactor'],
  'tenants.second_factor': ['owner', 'developer'],
  'tenants.own_sign_in': ['allowed', 'owners'],
  'tenants.sign_in_providers': [null, '["one"]'],
  'tenants.client_hosts': [null, '["one"]'],
  'webhooks.enabled': [1, 0],
  'webhooks.disabled_because': [null, null],
  'registration_tokens.uses_left': [9, 2],
  'registration_tokens.expires_at': [9, 2],
  'api_permissions.kinds': ['application,delegated', 'delegated'],
  'api_permissions.admin_consent': [0, 1],
  'api_permissions.role': ['developer', 'administrator'],
}

/** Rows that others name, by the column that names them. */
const parents = ['tenant_id', 'application_id', 'user_id', 'api_id', 'webhook_id', 'grant_id', 'subscription_record_id']

function columnsIn(connection: SqliteConnection, table: string): Column[] {
  return connection.all('select name, type from pragma_table_info(?) order by cid', [table]) as Column[]
}

function sampleOf(table: string, { name, type }: Column): Value {
  const strict = strictness[`${table}.${name}`]
  if (strict !== undefined) return strict[0]
  if (table === 'deleted_applications' && name === 'id') return 'deleted'
  if (name === 'kept') return '{}'
  if (parents.includes(name)) return 'id'
  return type.toLowerCase() === 'text' ? name : 1
}

/** One row in every table. */
async function filled(t: Test): Promise<{ folder: string; file: string; tables: Map<string, Column[]> }> {
  const folder = quickFolder(t)
  const file = join(folder, 'earlier.db')
  const connection = createConnection(await openSqliteDatabase(file))
  migrate(connection, migrations, 1)
  connection.exec('pragma foreign_keys = off')
  connection.exec('pragma ignore_check_constraints = on')
  const names = connection.all("select name from sqlite_master where type = 'table' and name not like 'sqlite%'", [])
  const tables = new Map((names as { name: string }[]).map(({ name }) => [name, columnsIn(connection, name)]))
  for (const [table, columns] of tables) {
    if (table === 'schema_migrations') continue
    const marks = columns.map(() => '?').join(', ')
    connection.run(`delete from ${table}`, [])
    connection.run(
      `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) values (${marks})`,
      columns.map((column) => sampleOf(table, column)),
    )
  }
  t.same(connection.all('pragma foreign_key_check', []), [])
  connection.close()
  return { folder, file, tables }
}

/** What a copy is after a restore beside a present in which `change` happened. */
async function restored(
  { folder, file }: { folder: string; file: string },
  change: (present: SqliteConnection) => void,
): Promise<SqliteConnection> {
  const [now, copy] = [join(folder, 'now.db'), join(folder, 'copy.db')]
  copyFileSync(file, now)
  copyFileSync(file, copy)
  const present = createConnection(await openSqliteDatabase(now))
  present.exec('pragma foreign_keys = off')
  present.exec('pragma ignore_check_constraints = on')
  change(present)
  keepEnded(present, copy, 50)
  present.close()
  return createConnection(await openSqliteDatabase(copy))
}

const rowOf = (connection: SqliteConnection, table: string) =>
  connection.all(`select * from ${table}`, [])[0] as Record<string, Value> | undefined

t.test('V10: every column of the schema is data of the copy, or what ended since wins', async (t) => {
  const { tables } = await filled(t)
  const open = [...tables].flatMap(([table, columns]) => {
    const decided = columnsOf(tableRules[table as keyof typeof tableRules] ?? { key: [], copied: [], ended: [] })
    const found = columns.map(({ name }) => name)
    return [
      ...found.filter((name) => !decided.includes(name)).map((name) => `${table}.${name} has no rule`),
      ...decided.filter((name) => !found.includes(name)).map((name) => `${table}.${name} is not in the schema`),
      ...decided.filter((name, at) => decided.indexOf(name) !== at).map((name) => `${table}.${name} has two rules`),
    ]
  })
  t.same(open, [])
  t.same(
    Object.keys(tableRules).filter((table) => !tables.has(table)),
    [],
  )
})

t.test('and that is what becomes of it', async (t) => {
  const database = await filled(t)
  const changing = new Map(
    [...database.tables].map(([table, columns]) => {
      const { rows, key, ended } = tableRules[table as keyof typeof tableRules]
      const special = ended.flatMap((one) => (one.special === true ? one.columns : []))
      const owners = typeof rows === 'object' && 'owners' in rows ? Object.keys(rows.owners) : []
      return [
        table,
        columns.filter(({ name }) => ![...key, ...special, ...owners].includes(name) && table !== 'schema_migrations'),
      ]
    }),
  )
  const rounds = Math.max(...[...changing.values()].map((columns) => columns.length))
  let compared = 0
  for (const direction of ['stricter', 'laxer'] as const) {
    for (let round = 0; round < rounds; round += 1) {
      const turned: [table: string, column: string, before: Value, now: Value][] = []
      for (const [table, columns] of changing) {
        const column = columns[round]
        // A row of a copy always has its owners.
        if (column === undefined || (direction === 'laxer' && parents.includes(column.name))) continue
        const [lax, strict] = strictness[`${table}.${column.name}`] ?? []
        const other = column.type.toLowerCase() === 'text' ? 'other' : 2
        const pair: [Value, Value] = strict === undefined ? [sampleOf(table, column), other] : [lax ?? null, strict]
        turned.push([table, column.name, ...(direction === 'stricter' ? pair : ([pair[1], pair[0]] as const))])
      }
      const copy = await restored(database, (present) => {
        present.run('attach database ? as c', [join(database.folder, 'copy.db')])
        present.exec('pragma foreign_keys = off')
        for (const [table, column, before, now] of turned) {
          present.run(`update c.${table} set ${column} = ?`, [before])
          present.run(`update main.${table} set ${column} = ?`, [now])
        }
        present.exec('detach database c')
      })
      for (const [table, column, before, now] of turned) {
        const { rows, ended } = tableRules[table as keyof typeof tableRules]
        const isTaken = typeof rows === 'object' && ('ofNow' in rows || rows.mirrored === true)
        const isEnded = ended.some((one) => one.columns.includes(column))
        const isOrdered = strictness[`${table}.${column}`] !== undefined
        const wins = isTaken || (isEnded && (!isOrdered || direction === 'stricter'))
        t.equal(rowOf(copy, table)?.[column], wins ? now : before, `${table}.${column}, ${direction} since`)
        compared += 1
      }
      copy.close()
    }
  }
  t.ok(compared > 400, `${compared} columns`)
})

t.test('a row that was taken away ends while its owners are there, and comes back with them', async (t) => {
  const database = await filled(t)
  const owned = Object.entries(tableRules).flatMap(([table, { rows }]) =>
    typeof rows === 'object' && 'owners' in rows && Object.keys(rows.owners).length > 0 ? [table] : [],
  )
  t.ok(owned.length >= 18)
  const ended = await restored(database, (present) => {
    for (const table of owned) present.exec(`delete from ${table}`)
  })
  for (const table of owned) t.equal(rowOf(ended, table), undefined, `${table}: ended`)
  t.ok(rowOf(ended, 'applications'))
  t.same(ended.all('pragma foreign_key_check', []), [])
  ended.close()
  const back = await restored(database, (present) => {
    for (const table of [...owned, 'applications', 'tenants', 'users', 'apis']) present.exec(`delete from ${table}`)
  })
  for (const table of owned) t.ok(rowOf(back, table), `${table}: back`)
  back.close()
})

t.test('a logo has one owner: taken away it stays away, changed it is as the copy has it', async (t) => {
  const database = await filled(t)
  for (const other of ['application_id', 'tenant_id']) {
    const copy = createConnection(await openSqliteDatabase(database.file))
    copy.exec("update brand_logos set tenant_id = 'id', application_id = 'id'")
    copy.exec(`update brand_logos set ${other} = null`)
    copy.close()
    const change = async (statement: string) => {
      const after = await restored(database, (present) => present.exec(statement))
      const row = rowOf(after, 'brand_logos')
      after.close()
      return row?.['digest']
    }
    t.equal(await change('delete from brand_logos'), undefined, other)
    t.equal(await change("update brand_logos set digest = 'another'"), 'digest')
    t.equal(await change('delete from brand_logos; delete from applications; delete from tenants'), 'digest', 'back')
  }
})

t.test('what PostgreSQL cannot know is named, each once, and on the page', async (t) => {
  const page = readFileSync(join(String(packageRoot()), 'src/docs/operations.md'), 'utf8').replaceAll(/\s+/g, ' ')
  for (const label of [...notKnown().values()].flat()) t.ok(page.includes(label), label)
  const named = [...notKnown().values()].flat()
  t.same(named, [...new Set(named)])
  for (const label of ['signing keys', 'webhooks', 'e-mail addresses', 'stricter rules of tenants', 'secrets']) {
    t.ok(named.includes(label), label)
  }
  t.notOk(named.includes('sign-ins'), 'those end')
})
