// The ledger on PostgreSQL, as on SQLite.
// full: the contract of the ledger on PostgreSQL
// run: apart

import t from 'tap'
import { ledgerContract } from '../contract/ledger.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { openPostgresTestStore } from '../support/databases/postgresql-store.js'

t.setTimeout(180_000)
const server = await startPostgres(t)
ledgerContract(t, (scope) => openPostgresTestStore(scope, server))
