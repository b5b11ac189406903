// The activity log and the file of checkpoints: bounded, in nobody's way, and worth something when they are needed.

import { appendFile, mkdir, readFile, rmdir, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t from 'tap'
import { createActivity } from '../../src/ledger/activity.js'
import { createCheckpoints } from '../../src/ledger/checkpoints.js'
import type { LedgerEvent } from '../../src/ledger/ledger.js'
import { countedActivity, countedLedger } from '../../src/ledger/ledger-metrics.js'
import { verifyLedger } from '../../src/ledger/verify.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { listActivity } from '../../src/storage/sql/ledger/activity.js'
import { readLedger } from '../../src/storage/sql/ledger/ledger-entries.js'
import { type Store, StoreUnavailable } from '../../src/storage/sql/store.js'
import { keys, writer } from '../contract/ledger.js'
import { openTemporaryStore, type TestScope } from '../support/storage/temporary-store.js'

t.setTimeout(60_000)
const startMs = Date.UTC(2026, 10, 21)

async function openActivity(t: TestScope, entries = 1_000) {
  const { store } = await openTemporaryStore(t)
  const clock = { nowMs: startMs }
  const fault: { error: Error | undefined } = { error: undefined }
  const faulty: Pick<Store, 'transaction'> = {
    transaction: (work, separation) =>
      fault.error === undefined ? store.transaction(work, separation) : Promise.reject(fault.error),
  }
  const dropped = { count: 0 }
  const onDropped = () => {
    dropped.count += 1
  }
  const activity = createActivity({ store: faulty, entries, now: () => clock.nowMs, onDropped })
  const read = (limit = 5_000) => listActivity(store.reader, { filter: {}, limit })
  return { store, activity, clock, fault, read, dropped }
}

t.test('X6 what failed is noted at once and written later, with who and where from', async (t) => {
  const { activity, read } = await openActivity(t)
  activity.note({
    event: 'sign-in.failed',
    actor: { kind: 'user', userId: 'u' },
    ...{ userId: 'u', tenantId: 't', applicationId: 'a', requestId: 'r', address: '192.0.2.1' },
    details: { reason: 'password' },
  })
  t.same(await read(), [], 'nobody waited')
  await activity.flush()
  const [row] = await read()
  t.match(row, { at: startMs, event: 'sign-in.failed', tenant_id: 't', application_id: 'a', user_id: 'u' })
  t.match(row, { request_id: 'r', address: '192.0.2.1' })
  t.same(JSON.parse(row?.details ?? ''), { actor: { kind: 'user', userId: 'u' }, reason: 'password' })
  await activity.flush()
  t.equal((await read()).length, 1)
})

t.test('X6 no text and no detail can make a note fail, or a batch', async (t) => {
  const { activity, read } = await openActivity(t)
  const circle: Record<string, unknown> = {}
  circle.circle = circle
  activity.note({ event: 'a.circle', details: circle })
  activity.note({ event: 'a.text', address: 'nul \0 half \ud800', userId: 'x'.repeat(10_000) })
  activity.note({ event: 'a.long', details: { text: 'x'.repeat(10_000) } })
  await activity.flush()
  const rows = await read()
  const find = (event: string) => rows.find((row) => row.event === event)
  t.equal(find('a.text')?.address, 'nul \ufffd half \ufffd')
  t.equal(find('a.text')?.user_id?.length, 256)
  t.equal(find('a.long')?.details, '{"omitted":"too long"}')
  t.equal(find('activity.dropped')?.details, '{"count":1}', 'what is no JSON is counted')
})

t.test(
  'X6 a flood is bounded in memory and counted; while the Store is away nothing grows and nothing is lost',
  async (t) => {
    const { activity, fault, read, dropped: forgotten } = await openActivity(t)
    fault.error = new StoreUnavailable('away')
    for (let n = 0; n < 600; n += 1) activity.note({ event: 'sign-in.failed', details: { n } })
    await t.rejects(activity.flush(), { code: 'store_unavailable' })
    for (let n = 600; n < 1_500; n += 1) activity.note({ event: 'sign-in.failed', details: { n } })
    await t.rejects(activity.flush(), { code: 'store_unavailable' })
    fault.error = undefined
    await activity.flush()
    const rows = await read()
    const failed = rows.filter((row) => row.event === 'sign-in.failed').map((row) => JSON.parse(row.details).n)
    t.same(
      failed.sort((a, b) => a - b),
      Array.from({ length: 1_000 }, (_, n) => n),
      'the first thousand',
    )
    const dropped = rows.filter((row) => row.event === 'activity.dropped')
    t.same(
      dropped.map((row) => JSON.parse(row.details)),
      [{ count: 500 }],
      'that there were more is said',
    )
    t.equal(forgotten.count, 500, 'to those who watch, too')
  },
)

t.test(
  'X6 rows, sign-ins, revocations and ended grants are counted, in few series whatever anybody writes',
  async (t) => {
    const metrics = createMetrics()
    const { activity, store } = await openActivity(t)
    const { ledger: plain, feed } = await writer(t, store)
    const ledger = countedLedger(plain, metrics)
    const actor = { kind: 'user', userId: 'u' } as const
    const ended = (details: LedgerEvent['details']) => ({ event: 'grant.ended', actor, details }) as const
    const events: LedgerEvent[] = [
      { event: 'user.signed-in', actor },
      ended({ reason: 'consent-withdrawn', grants: 3 }),
      ended({ reason: `for ${'u'}`, grants: 1 }),
      ended(undefined),
      { event: 'consent.granted', actor },
      { event: 'application.revoked', actor: { kind: 'operator' } },
      { event: 'secret.ended', actor: { kind: 'operator' } },
      { event: 'token.revoked', actor: { kind: 'application', applicationId: 'a' } },
      { event: 'registration-token.revoked', actor },
    ]
    for (const event of events) await feed.commit((tx) => ledger.append(tx, event))
    const log = countedActivity(activity, metrics)
    for (const event of ['user.sign-in-failed', 'user.sign-in-delayed', 'device.code-unknown'] as const) {
      log.note({ event, userId: 'u', address: '192.0.2.1' })
    }
    const text = await metrics.registry.metrics()
    const counted = text.split('\n').filter((line) => /^portcullis_(ledger|sign_ins|grants_ended)/.test(line))
    t.same(counted.sort(), [
      'portcullis_grants_ended_total{reason="code-reused"} 0',
      'portcullis_grants_ended_total{reason="consent-withdrawn"} 3',
      'portcullis_grants_ended_total{reason="other"} 2',
      'portcullis_grants_ended_total{reason="refresh-token-reused"} 0',
      'portcullis_ledger_breaks_total 0',
      'portcullis_ledger_rows_total 9',
      'portcullis_sign_ins_total{result="delayed"} 1',
      'portcullis_sign_ins_total{result="failed"} 1',
      'portcullis_sign_ins_total{result="signed_in"} 1',
    ])
    const revoked = text.split('\n').filter((line) => /^portcullis_revocations_total/.test(line))
    t.equal(revoked.length, 40, 'each pair of what and whom, from the start')
    t.same(revoked.filter((line) => !line.endsWith(' 0')).sort(), [
      'portcullis_revocations_total{kind="application",by="operator"} 1',
      'portcullis_revocations_total{kind="credential",by="operator"} 1',
      'portcullis_revocations_total{kind="grant",by="user"} 5',
      'portcullis_revocations_total{kind="token",by="application"} 1',
    ])
    await log.flush()
    t.equal((await listActivity(store.reader, { filter: {}, limit: 10 })).length, 3, 'and all is noted')
  },
)

t.test('X6 the table keeps the newest entries, and the oldest leave in bounded batches', async (t) => {
  const { activity, clock, read } = await openActivity(t, 100)
  for (let n = 0; n < 900; n += 1) {
    clock.nowMs += 1
    activity.note({ event: 'sign-in.failed', details: { n } })
  }
  await activity.flush()
  t.equal((await read()).length, 900)
  await activity.trim()
  const rows = await read()
  t.equal(rows.length, 100)
  t.equal(JSON.parse(rows.at(-1)?.details ?? '').n, 800)
  await activity.trim()
  t.equal((await read()).length, 100)
})

async function openCheckpoints(t: TestScope) {
  const { store, file: database } = await openTemporaryStore(t)
  const { append } = await writer(t, store)
  const file = join(dirname(database), 'checkpoints.jsonl')
  const create = () => createCheckpoints({ file, store, keys, now: () => startMs })
  return { store, append, file, create, checkpoints: create() }
}

t.test('X6 a checkpoint is written when the chain grew, readable by nobody else, and by a new process', async (t) => {
  const { store, append, file, create, checkpoints } = await openCheckpoints(t)
  t.same(await checkpoints.lines(), [], 'no file')
  await checkpoints.write()
  t.same(await checkpoints.lines(), [], 'an empty ledger says nothing')
  await append(1)
  await checkpoints.write()
  await checkpoints.write()
  t.equal((await checkpoints.lines()).length, 1, 'nothing new')
  await append(2)
  await append(3)
  const next = create()
  await next.write()
  await next.write()
  await create().write()
  const lines = await checkpoints.lines()
  t.same(
    lines.map((line) => JSON.parse(line).count),
    [1, 3],
  )
  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.match(await verifyLedger({ store, keys }, lines), { clean: true, checkpoints: 2 })
  t.notMatch(lines.join(), Buffer.from(keys.current.checkpoint).toString('hex'))
})

t.test('X6 a chain that has become shorter is said when the next checkpoint is due, once', async (t) => {
  const { store, append, checkpoints } = await openCheckpoints(t)
  for (const n of [1, 2, 3]) await append(n)
  await checkpoints.write()
  const rows = await readLedger(store.reader, 0, 10)
  await store.transaction(async (tx) => {
    await tx.deleteFrom('ledger').where('position', '=', 3).execute()
    await tx
      .updateTable('ledger_head')
      .set({ position: 2, mac: rows[1]?.mac ?? '' })
      .execute()
  })
  await t.rejects(checkpoints.write(), { code: 'ledger_shortened' })
  await checkpoints.write()
  const lines = await checkpoints.lines()
  t.same(
    (await verifyLedger({ store, keys }, lines)).problems,
    [{ kind: 'cut-off', position: 3, line: 1 }],
    'the earlier line stays and shows it',
  )
})

t.test('a file of checkpoints that cannot be written is reported once, and caught up with when it can', async (t) => {
  const { append, file, checkpoints } = await openCheckpoints(t)
  await append(1)
  await mkdir(file)
  await t.rejects(checkpoints.write(), { code: 'EISDIR' })
  await checkpoints.write()
  await checkpoints.write()
  await rmdir(file)
  await checkpoints.write()
  t.equal((await checkpoints.lines()).length, 1)
  await append(2)
  await unlink(file)
  await checkpoints.write()
  t.same(
    (await checkpoints.lines()).map((line) => JSON.parse(line).count),
    [2],
    'a file that was moved away begins anew',
  )
})

t.test('a line that was torn by a loss of power is taken back, and is none', async (t) => {
  const { store, append, file, checkpoints, create } = await openCheckpoints(t)
  await append(1)
  await checkpoints.write()
  const whole = await readFile(file, 'utf8')
  await appendFile(file, whole.slice(0, 40))
  t.equal((await checkpoints.lines()).length, 1)
  await append(2)
  await create().write()
  const lines = await checkpoints.lines()
  t.equal(lines.length, 2)
  t.match(await verifyLedger({ store, keys }, lines), { clean: true, checkpoints: 2 })
  await truncate(file, 40)
  await append(3)
  await create().write()
  t.equal((await checkpoints.lines()).length, 1)
  await writeFile(file, 'not ours\n')
  await create().write()
  t.same(
    (await verifyLedger({ store, keys }, await checkpoints.lines())).problems,
    [{ kind: 'checkpoint-forged', position: 0, line: 1 }],
    'what was put there by somebody else is found',
  )
})
