// Every contract of the Store on PostgreSQL, as on SQLite.
// full: every room’s queries on PostgreSQL
// run: apart

import t from 'tap'
import { storeContract } from '../../../contract/store.js'
import { startPostgres } from '../../../support/databases/postgresql.js'
import { openPostgresTestStore } from '../../../support/databases/postgresql-store.js'

const server = await startPostgres(t)

await t.test('the PostgreSQL Store keeps the contract', (t) =>
  storeContract(t, (scope) => openPostgresTestStore(scope, server)),
)
