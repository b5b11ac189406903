// A Store of earlier in place of the one that was: a back-up that was restored, a failover that lost commits. Tokens
// that were issued in between name changes that there are no more, and a revocation must reach them, or they must be
// refused.
// full: restores and fails over SQLite and PostgreSQL
// run: apart

import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Settings } from '../../src/config/settings/settings.js'
import { openStorage } from '../../src/instance/open-storage.js'
import { createLedger } from '../../src/ledger/chain.js'
import { createLedgerKeys } from '../../src/ledger/ledger-keys.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { createRevocationView } from '../../src/revocation/revocation-view.js'
import { revoke } from '../../src/revocation/revoke.js'
import { listInstances, noteInstance } from '../../src/storage/sql/cluster/instances.js'
import { endIssued, endIssuedIn } from '../../src/storage/sql/copies/issued.js'
import { openStore } from '../../src/storage/sql/open-store.js'
import { startPostgres } from '../support/databases/postgresql.js'

t.setTimeout(240_000)
const server = await startPostgres(t)
const hourMs = 3_600_000
const log = { info() {}, warn() {}, error() {}, debug() {} } as never
let instances = 0

type StoreSettings = Settings['store']

/** An instance as a start of the program makes it, without anything that listens. */
async function start(t: Test, store: StoreSettings, onError: (error: unknown) => void = () => {}) {
  instances += 1
  const revocation = { staleAfterMs: 60_000, pollMs: 100, bounds: { perApplication: 50, perUser: 50 } }
  const storage = await openStorage({
    settings: { store, revocation, redis: undefined } as unknown as Settings,
    ...{ masterKeys: [new Uint8Array(32)], instanceId: `i${instances}`, metrics: createMetrics(), log, onError },
  })
  const { feed } = storage
  const view = createRevocationView({ feed, staleAfterMs: 60_000, horizonMs: 2 * hourMs })
  feed.follow(view)
  await feed.start()
  const ledger = createLedger({ keys: createLedgerKeys([new Uint8Array(32)]), now: Date.now })
  const deps = { ledger, actor: { kind: 'operator' } as const, feed, now: Date.now, tokenLifetimeMs: hourMs }
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= storage.leave().then(() => storage.close())
    return stopped
  }
  t.teardown(stop)
  let made = 0
  return {
    ...{ storage, feed, view, deps, stop },
    change: () => feed.commit(async (_tx, record) => record({ kind: 'keys' })),
    /** What a token says that is issued now. */
    token() {
      made += 1
      return { jti: `${instances}-${made}`, credentialId: 'k', applicationId: 'a', tenantId: 't', seq: view.seq }
    },
    refusal: (token: Parameters<typeof view.refusal>[0]) => view.refusal(token, Date.now()),
  }
}

type Backup = { take(): Promise<void>; restore(): Promise<void> }

async function onSqlite(t: Test): Promise<[StoreSettings, Backup]> {
  const folder = t.testdir()
  const file = join(folder, 'data', 'portcullis.db')
  await mkdir(join(folder, 'data'))
  const copy = join(folder, 'copy.db')
  return [
    { kind: 'sqlite', file, busyTimeoutMs: 30_000 },
    { take: () => copyFile(file, copy), restore: () => copyFile(copy, file) },
  ]
}

async function onPostgresql(): Promise<[StoreSettings, Backup]> {
  const url = await server.newDatabase()
  const name = new URL(url).pathname.slice(1)
  const copy = `${name}_copy`
  return [
    {
      ...{ kind: 'postgresql', url: { reveal: () => url } as never, ca: undefined, engine: 'postgresql' },
      ...{ connections: 4, connectMs: 10_000, statementMs: 10_000, waitMs: 10_000 },
    },
    {
      take: () => server.admin(`create database ${copy} template ${name} owner portcullis`).then(() => undefined),
      async restore() {
        await server.admin(`drop database ${name}`)
        await server.admin(`create database ${name} template ${copy} owner portcullis`)
      },
    },
  ]
}

for (const [engine, open] of [
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgresql],
] as const) {
  t.test(`gateway M4: after a restore every token is refused or reached by revoking (${engine})`, async (t) => {
    const [settings, backup] = await open(t)
    const before = await start(t, settings)
    await before.change()
    const old = before.token()
    await before.stop()
    await backup.take()

    const lost = await start(t, settings)
    t.equal(lost.refusal(old), undefined, 'a start ends no token')
    const issuedBetween = []
    for (let at = 0; at < 4; at += 1) {
      await lost.change()
      issuedBetween.push(lost.token())
    }
    await lost.stop()
    await backup.restore()

    const after = await start(t, settings)
    t.equal(after.refusal(old), undefined, 'a token of before the back-up')
    for (const token of issuedBetween) t.equal(after.refusal(token), 'unknown_change')
    for (let at = 0; at < 8; at += 1) await after.change()
    for (const token of issuedBetween)
      t.equal(after.refusal(token), 'unknown_change', 'nor later, when numbers have grown')
    const fresh = after.token()
    t.equal(after.refusal(fresh), undefined)
    await revoke(after.deps, { what: 'application', id: 'a' })
    t.equal(after.refusal(old), 'application_revoked')
    t.equal(after.refusal(fresh), 'application_revoked')
    await after.stop()

    const again = await start(t, settings)
    for (const token of issuedBetween) t.equal(again.refusal(token), 'unknown_change', 'nor after another start')
    t.equal(again.refusal(fresh), 'application_revoked')
    t.equal(again.refusal(again.token()), undefined)
  })
}

for (const [engine, open] of [
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgresql],
] as const) {
  t.test(`V10: no token of before a restore works again, revoked or not (${engine})`, async (t) => {
    const [settings, backup] = await open(t)
    const before = await start(t, settings)
    await before.change()
    const [kept, revoked] = [before.token(), before.token()]
    await before.stop()
    await backup.take()
    const lost = await start(t, settings)
    await revoke(lost.deps, { what: 'token', id: revoked.jti })
    t.equal(lost.refusal(revoked), 'token_revoked')
    const between = []
    for (let at = 0; at < 4; at += 1) {
      await lost.change()
      between.push(lost.token())
    }
    await lost.stop()
    await backup.restore()
    if (settings.kind === 'sqlite') await endIssuedIn(settings.file, 'everything', { nowMs: Date.now() })
    else {
      const store = await openStore(settings)
      await endIssued(store, Date.now())
      await store.close()
    }
    const after = await start(t, settings)
    for (const token of [kept, revoked, ...between]) t.equal(after.refusal(token), 'unknown_change')
    const fresh = after.token()
    t.equal(after.refusal(fresh), undefined)
    await after.stop()
    const again = await start(t, settings)
    for (const token of [kept, revoked, ...between])
      t.equal(again.refusal(token), 'unknown_change', 'nor after another start')
    t.equal(again.refusal(fresh), undefined)
  })
}

t.test('an instance that runs while tokens are ended refuses them too', async (t) => {
  const [settings] = await onPostgresql()
  const one = await start(t, settings)
  await one.change()
  const kept = one.token()
  const store = await openStore(settings as Extract<StoreSettings, { kind: 'postgresql' }>)
  const ghost = { id: 'of-the-copy', name: 'of-the-copy', startedAt: Date.now(), seenAt: Date.now(), appliedSeq: 0 }
  await store.transaction((tx) => noteInstance(tx, ghost))
  await endIssued(store, Date.now())
  await endIssued(store, Date.now())
  const listed = await listInstances(store.reader, 0)
  t.notOk(
    listed.some(({ id }) => id === ghost.id),
    'no change waits for an instance of the copy',
  )
  await store.close()
  await one.feed.catchUp()
  t.equal(one.refusal(kept), 'unknown_change')
  t.equal(one.refusal(one.token()), undefined)
})

t.test('tokens end first: what cannot end in time leaves none of them good', async (t) => {
  const [settings] = (await onPostgresql()) as [Extract<StoreSettings, { kind: 'postgresql' }>, Backup]
  const one = await start(t, settings)
  await one.change()
  const kept = one.token()
  const busy = await openStore(settings)
  const store = await openStore({ ...settings, statementMs: 300 })
  await busy.transaction(async (tx) => {
    await sql`lock table sessions in access exclusive mode`.execute(tx)
    await t.rejects(endIssued(store, Date.now()))
  })
  await one.feed.catchUp()
  t.equal(one.refusal(kept), 'unknown_change')
  await endIssued(store, Date.now())
  await Promise.all([busy.close(), store.close()])
})

t.test('gateway M4: a failover that lost commits is one too, for who knew of them and who did not', async (t) => {
  const [settings] = await onPostgresql()
  const one = await start(t, settings)
  const other = await start(t, settings)
  await one.change()
  await other.feed.catchUp()
  const kept = one.token()
  const { seq } = one.feed
  const issuer = await start(t, settings)
  await issuer.change()
  await issuer.change()
  const lost = issuer.token()
  // It is gone with what it knew; the others are as they were before it came.
  await issuer.stop()
  const head = issuer.feed.seq
  t.ok(head > seq)
  await one.feed.catchUp()
  await one.storage.store.transaction(async (tx) => {
    await sql`delete from changes where seq > ${seq}`.execute(tx)
    await sql`delete from feed_gaps where until_seq > ${seq}`.execute(tx).catch(() => undefined)
    await sql`update feed_head set seq = ${seq}`.execute(tx)
  })
  await one.feed.catchUp()
  await other.feed.catchUp()
  for (const instance of [one, other]) {
    t.equal(instance.refusal(kept), undefined)
    t.equal(instance.refusal(lost), 'unknown_change')
  }
  await revoke(one.deps, { what: 'application', id: 'a' })
  await other.feed.catchUp()
  for (const instance of [one, other]) {
    t.equal(instance.refusal(kept), 'application_revoked')
    t.equal(instance.refusal(lost), 'unknown_change')
  }
})

t.test('gateway M4: who lost the Store for a while numbers on after a gap, and the others follow it', async (t) => {
  const [settings] = await onPostgresql()
  const one = await start(t, settings)
  const other = await start(t, settings)
  await one.change()
  await other.feed.catchUp()
  const { seq } = one.feed
  const kept = one.token()
  await server.admin(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'portcullis'`)
  const change = async (): Promise<void> => {
    await one.change().catch(change)
  }
  await change()
  t.ok(one.feed.seq > seq + 100, 'numbers of a log that may be gone are not given again')
  await other.feed.catchUp().catch(() => other.feed.catchUp())
  for (const instance of [one, other]) {
    t.equal(instance.refusal(kept), undefined)
    t.equal(instance.refusal({ ...kept, seq: seq + 1 }), 'unknown_change')
    t.equal(instance.refusal({ ...kept, seq: one.feed.seq }), undefined)
  }
})
