// Every table says what ends its rows; those that leave by themselves do.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import {
  forgetExchangedTokens,
  insertRefreshToken,
  readRefreshToken,
} from '../../../src/storage/sql/grants/refresh-tokens.js'
import { retention } from '../../../src/storage/sql/ledger/retention.js'
import { declaredTables } from '../../support/databases/declared-tables.js'
import { openTemporaryStore } from '../../support/storage/temporary-store.js'

t.test('identity L7: each table says how long its rows stay', async (t) => {
  t.same(Object.keys(retention).sort(), Object.keys(declaredTables()).sort())
  for (const [table, { after }] of Object.entries(retention)) t.ok(after.length > 5, table)
})

t.test('identity L7: of a family of refresh tokens the newest are known, however often it was exchanged', async (t) => {
  const { store } = await openTemporaryStore(t)
  const grantId = randomUUID()
  await store.transaction(async (tx) => {
    await tx
      .insertInto('grants')
      .values({
        ...{ id: grantId, origin: 'code', user_id: 'u', application_id: 'a', tenant_id: 't', resource: 'r' },
        ...{ permissions: '', openid_scopes: '', client_identifier: 'a', authentication: '{}', state: 'active' },
        ...{ created_at: 1, ended_at: null, refresh_sequence: 0, idle_expires_at: 9, expires_at: 9 },
      })
      .execute()
    for (let sequence = 0; sequence < 30; sequence += 1)
      await insertRefreshToken(tx, { hash: `h${sequence}`, grantId, sequence, createdAt: 1 })
    await forgetExchangedTokens(tx, grantId, 20)
  })
  t.equal(await readRefreshToken(store.reader, 'h19'), undefined)
  for (const hash of ['h20', 'h29']) t.ok(await readRefreshToken(store.reader, hash), hash)
})
