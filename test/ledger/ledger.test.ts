// The ledger on SQLite; the same on PostgreSQL is ledger-postgresql.test.ts.

import t from 'tap'
import { ledgerContract } from '../contract/ledger.js'
import { openTemporaryStore } from '../support/storage/temporary-store.js'

t.setTimeout(120_000)
ledgerContract(t, (scope) => openTemporaryStore(scope))
