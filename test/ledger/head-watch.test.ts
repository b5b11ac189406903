// Rows that go missing are missed: those after the last checkpoint, cut off together with the head, and the one before
// a row that somebody wrote anew.
// full: tampers with SQLite and PostgreSQL, by the clock
// run: apart

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createCheckpoints } from '../../src/ledger/checkpoints.js'
import { createHeadWatch } from '../../src/ledger/head-watch.js'
import { verifyLedger } from '../../src/ledger/verify.js'
import { readLedger } from '../../src/storage/sql/ledger/ledger-entries.js'
import type { LedgerRow } from '../../src/storage/sql/ledger/ledger-head.js'
import type { Store } from '../../src/storage/sql/store.js'
import { keys, writer } from '../contract/ledger.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { openPostgresTestStore } from '../support/databases/postgresql-store.js'
import { openTemporaryStore } from '../support/storage/temporary-store.js'

t.setTimeout(120_000)
const server = await startPostgres(t)
const engines: [string, (t: Test) => Promise<Store>][] = [
  ['SQLite', async (t) => (await openTemporaryStore(t)).store],
  ['PostgreSQL', async (t) => (await openPostgresTestStore(t, server)).store],
]
const now = () => Date.UTC(2026, 10, 22)

async function openWatched(t: Test, store: Store) {
  const { append } = await writer(t, store)
  const folder = t.testdir({})
  const files = { checkpoints: join(folder, 'checkpoints.jsonl'), head: join(folder, 'head') }
  const checkpoints = createCheckpoints({ file: files.checkpoints, store, keys, now })
  const watch = (keep = checkpoints.keep) => createHeadWatch({ file: files.head, store, keys, now, keep })
  const verify = async () => verifyLedger({ store, keys }, [...(await checkpoints.lines()), ...(await watch().lines())])
  return { append, files, checkpoints, watch, verify }
}

async function cutTo(store: Store, position: number): Promise<LedgerRow[]> {
  const rows = await readLedger(store.reader, 0, 100)
  await store.transaction(async (tx) => {
    await tx.deleteFrom('ledger').where('position', '>', position).execute()
    const mac = rows[position - 1]?.mac ?? ''
    await tx.updateTable('ledger_head').set({ position, mac }).execute()
  })
  return rows
}

for (const [engine, open] of engines) {
  t.test(
    `identity L4: rows cut off together with the head are missed, with no checkpoint of them (${engine})`,
    async (t) => {
      const store = await open(t)
      const { append, files, checkpoints, watch, verify } = await openWatched(t, store)
      for (const n of [1, 2, 3]) await append(n)
      await checkpoints.write()
      const running = watch()
      await running.look()
      for (const n of [4, 5]) await append(n)
      await running.look()
      t.equal((await stat(files.head)).mode & 0o777, 0o600)
      t.match(await verify(), { clean: true, checkpoints: 2 })
      await cutTo(store, 4)
      t.match((await verify()).problems, [{ kind: 'cut-off', position: 5 }], 'verifying says so at once')
      await t.rejects(running.look(), { code: 'ledger_shortened' }, 'and so does who runs')
      await running.look()
      for (const n of [50, 60]) await append(n)
      await running.look()
      t.match((await verify()).problems, [{ kind: 'rewritten', position: 5 }], 'what showed it was kept')
    },
  )

  t.test(
    `identity L4: they are missed by the next start too, and when others were written since (${engine})`,
    async (t) => {
      const store = await open(t)
      const { append, watch } = await openWatched(t, store)
      for (const n of [1, 2, 3]) await append(n)
      await watch().look()
      await cutTo(store, 2)
      for (const n of [30, 40]) await append(n)
      const next = watch()
      await t.rejects(next.look(), { code: 'ledger_shortened' })
      await append(5)
      await next.look()
    },
  )

  t.test(`identity L4: a row after one that was taken out cannot be written anew (${engine})`, async (t) => {
    const store = await open(t)
    const { append, verify } = await openWatched(t, store)
    for (const n of [1, 2, 3, 4, 5]) await append(n)
    const forge = (change?: Partial<LedgerRow>) =>
      store.transaction(async (tx) => {
        await tx.deleteFrom('ledger').where('position', '=', 3).execute()
        if (change === undefined) return
        await tx.updateTable('ledger').set(change).where('position', '=', 4).execute()
      })
    await forge()
    t.same((await verify()).problems, [{ kind: 'removed', position: 3 }])
    await forge({ details: '{"n":"forged"}' })
    const both = [
      { kind: 'removed', position: 3 },
      { kind: 'changed', position: 4 },
    ]
    t.same((await verify()).problems, both)
    await forge({ previous_mac: null })
    t.same((await verify()).problems, both, 'nor by saying nothing of the one before')
    await forge({ previous_mac: 'f'.repeat(64) })
    t.same((await verify()).problems, both)
  })
}

t.test(
  'identity L4: a seal that cannot be written is reported once; a forged one is no reason to believe anything',
  async (t) => {
    const { store } = await openTemporaryStore(t)
    const { append, files } = await openWatched(t, store)
    await append(1)
    const nowhere = createHeadWatch({ file: join(files.head, 'x', 'y'), store, keys, now, keep: async () => {} })
    await t.rejects(nowhere.look(), { code: 'ENOENT' })
    await append(2)
    await nowhere.look()
  },
)
