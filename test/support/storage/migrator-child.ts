// A process that stops for ever inside a migration, holding the lock: `migrator-child <file> <statements> <more>`.
// It does as openSqliteStore does, but after so many statements it says "inside" and waits to be killed. `more` is the
// number of migrations that it adds to the history, each with a table, a column and a row.

import { setTimeout as pause } from 'node:timers/promises'
import { migrations } from '../../../src/storage/sql/schema/migrations.js'
import type { Migration } from '../../../src/storage/sql/schema/schema-history.js'
import { migrate } from '../../../src/storage/sql/sqlite/migrate.js'
import { createConnection, tune } from '../../../src/storage/sql/sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import { say, untilGo } from './child-messages.js'

const [file = '', statements = '', more = ''] = process.argv.slice(2)
await untilGo()
const database = await openSqliteDatabase(file)
const connection = createConnection(database)
const history = [...migrations, ...Array.from({ length: Number(more) }, (_, i) => addition(migrations.length + 1 + i))]
let left = Number(statements)
const stopping = {
  ...connection,
  exec(text: string): void {
    connection.exec(text)
    left -= 1
    if (left !== 0) return
    say('inside')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  },
}
// The lock is often taken by the writers of the test: both steps may be busy at first.
for (let done = false; !done; ) {
  try {
    tune(database, 'write')
    migrate(stopping, history, Date.now())
    done = true
  } catch {
    left = Number(statements)
    await pause(1)
  }
}
say('migrated')

function addition(version: number): Migration {
  return {
    version,
    name: `addition ${version}`,
    statements: [
      `create table addition_${version} (id text primary key)`,
      `alter table tenants add column addition_${version} text`,
      `insert into addition_${version} (id) values ('x')`,
      `update tenants set name = 'changed by the migration'`,
    ],
  }
}
