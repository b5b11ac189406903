// A stretch of time in the ledger: what is found does not depend on how it is found, nor on clocks that differ.

import t from 'tap'
import { listLedger } from '../../src/storage/sql/ledger/ledger-entries.js'
import { boundsOf } from '../../src/storage/sql/ledger/time-bounds.js'
import { openTemporaryStore } from '../support/storage/temporary-store.js'

const day = 86_400_000
const at = (n: number) => Date.UTC(2026, 0, 1) + n * day

t.test('a list of some days reads their part of the ledger, and leaves nothing of them out', async (t) => {
  const { store } = await openTemporaryStore(t)
  const none = { tenant_id: null, application_id: null, user_id: null, request_id: null, address: null }
  // The clock of one instance goes an hour ahead: its rows stand before earlier ones.
  const times = Array.from({ length: 60 }, (_, n) => at(n) + (n % 3 === 0 ? 3_600_000 : 0))
  await store.transaction(async (tx) => {
    for (const [n, ms] of times.entries()) {
      const row = {
        position: n + 1,
        at: ms,
        event: 'tenant.created',
        actor: '{}',
        details: '{}',
        key_id: 'k',
        mac: 'm',
      }
      await tx
        .insertInto('ledger')
        .values({ ...none, ...row, previous_mac: null })
        .execute()
    }
  })
  t.same(await boundsOf(store.reader, { from: at(20), to: at(25) }), { least: 19, most: 27 })
  t.same(await boundsOf(store.reader, { from: at(-5), to: at(100) }), { least: undefined, most: undefined })
  t.same(await boundsOf(store.reader, {}), { least: undefined, most: undefined })
  for (const [from, to] of [
    [0, 60],
    [20, 25],
    [59, 60],
    [3, 4],
    [70, 80],
  ] as const) {
    for (const order of ['newest', 'oldest'] as const) {
      const filter = { from: at(from), to: at(to) }
      const found = await listLedger(store.reader, { filter, order, limit: 100 })
      const expected = times.flatMap((ms, n) => (ms >= filter.from && ms < filter.to ? [n + 1] : []))
      const inOrder = order === 'newest' ? expected.reverse() : expected
      t.same(
        found.map(({ position }) => position),
        inOrder,
        `${from} to ${to}, ${order}`,
      )
    }
  }
})
