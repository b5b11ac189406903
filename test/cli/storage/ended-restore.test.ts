// `portcullis restore` without a folder, after pg_restore: only on a store, and only while no instance uses it.
// run: apart

import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { noteInstance } from '../../../src/storage/sql/cluster/instances.js'
import { startPostgres } from '../../support/databases/postgresql.js'
import { openPostgresTestStore } from '../../support/databases/postgresql-store.js'
import { runCommand } from '../../support/rooms/cli.js'

t.setTimeout(120_000)

const dead = { id: 'dead', name: 'gone:1', startedAt: 1, seenAt: Date.now(), appliedSeq: 1 }

t.test('what was issued ends on a store that no instance uses', async (t) => {
  const server = await startPostgres(t)
  const cwd = t.testdir({
    'portcullis.yaml': 'store:\n  url: ${PORTCULLIS_STORE}\nrevocation: { staleAfter: 1s, poll: 200ms }\n',
  })
  const restore = (url: string) =>
    runCommand(['restore', '--yes', '--config', 'portcullis.yaml'], { cwd, env: { PORTCULLIS_STORE: url } })

  await t.test('an empty database stays empty', async (t) => {
    const { code, err } = await restore(server.url)
    t.equal(code, 3)
    t.match(err, /this database holds no Portcullis store: run pg_restore first\. Nothing was changed/)
    t.same(await server.admin(`select 1 from pg_tables where schemaname = 'public'`), [])
  })

  await t.test('one that an instance uses is left alone', async (t) => {
    const { store, url } = await openPostgresTestStore(t, server)
    let isDone = false
    const running = restore(url).finally(() => {
      isDone = true
    })
    // It notes itself for as long as the command looks.
    for (let seenAt = 1; !isDone; seenAt += 1) {
      const row = { id: 'one', name: 'host:7', startedAt: 1, seenAt, appliedSeq: 1 }
      await store.transaction((tx) => noteInstance(tx, row), 'first-lock')
      await pause(20)
    }
    const { code, err } = await running
    t.equal(code, 1)
    t.match(err, /an instance uses this database \(host:7, seen just now\)\. Stop all instances first/)
    t.match(err, /Nothing was changed/)
    t.equal((await store.reader.selectFrom('feed_gaps').selectAll().execute()).length, 0)
  })

  await t.test('the row of one that was killed, or that came with the dump, is no obstacle', async (t) => {
    const { store, url } = await openPostgresTestStore(t, server)
    await store.transaction((tx) => noteInstance(tx, dead), 'first-lock')
    const { code, err } = await restore(url)
    t.equal(code, 0, err)
    t.match(err, /The database lists 1 instance: for 1 s this looks whether one still runs/)
    t.match(err, /Every token and sign-in of before has ended/)
    t.match(
      err,
      /If you removed one since the backup, remove that one\nagain once the server runs\. The keys of the backup:/,
    )
    t.match(err, /Before you start the instances, move ledger-checkpoints\.jsonl\* of each data folder away/)
    t.ok((await store.reader.selectFrom('feed_gaps').selectAll().execute()).length > 0)
  })
})
