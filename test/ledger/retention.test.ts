// The beginning of the ledger can be taken away by order, and whatever was taken away otherwise is found.
// full: SQLite and PostgreSQL, pruned and tampered with in many ways
// run: apart

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { verifyArchive } from '../../src/ledger/archive.js'
import { archivedRow } from '../../src/ledger/archived-row.js'
import { createLedger } from '../../src/ledger/chain.js'
import { checkpointLine } from '../../src/ledger/checkpoint-lines.js'
import { createCheckpoints } from '../../src/ledger/checkpoints.js'
import { createHeadWatch } from '../../src/ledger/head-watch.js'
import { createLedgerKeys } from '../../src/ledger/ledger-keys.js'
import { NotPruned, prunableRows, pruneLedger, removePrunedRows } from '../../src/ledger/prune.js'
import { retainLedger } from '../../src/ledger/retention.js'
import { sealedStart } from '../../src/ledger/start.js'
import { type Verification, verifyLedger } from '../../src/ledger/verify.js'
import { readLedger } from '../../src/storage/sql/ledger/ledger-entries.js'
import { readLedgerHead } from '../../src/storage/sql/ledger/ledger-head.js'
import { readLedgerStart, writeLedgerStart } from '../../src/storage/sql/ledger/start.js'
import type { Statements, Store } from '../../src/storage/sql/store.js'
import { inRanges, keys, masterKey, verifiedAlike } from '../contract/ledger.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { openPostgresTestStore } from '../support/databases/postgresql-store.js'
import { startStorageChild } from '../support/storage/storage-child.js'
import { openTemporaryStore } from '../support/storage/temporary-store.js'

t.setTimeout(240_000)
const server = await startPostgres(t)
interface Stores {
  store: Store
  another(): Promise<Store>
}
const engines: [string, (t: Test) => Promise<Stores>][] = [
  ['SQLite', (t) => openTemporaryStore(t)],
  ['PostgreSQL', (t) => openPostgresTestStore(t, server)],
]

const dayMs = 86_400_000
const beganMs = Date.UTC(2025, 0, 1)
const nowMs = Date.UTC(2026, 10, 22)
const operator = { actor: { kind: 'operator' } } as const

/** What takes rows away, at the present. */
const pruningOf = (store: Store, ledgerKeys = keys) => {
  const now = () => nowMs
  return { store, keys: ledgerKeys, ledger: createLedger({ keys: ledgerKeys, now }), now }
}

/** `count` rows, a day after the other, of all of which events were made. */
async function append(store: Store, count: number): Promise<void> {
  const { position } = await readLedgerHead(store.reader)
  let at = beganMs + position * dayMs
  const ledger = createLedger({ keys, now: () => at })
  await store.transaction(async (tx) => {
    for (let n = 1; n <= count; n += 1, at += dayMs) {
      await ledger.append(tx, { event: 'consent.granted', ...operator, details: { n, text: `"é" \u{1f600}` } })
    }
    await tx
      .updateTable('event_cursor')
      .set({ position: position + count })
      .execute()
  }, 'first-lock')
}

const verify = (store: Store, lines: readonly string[] = []) => verifiedAlike(t, store, lines)
const prune = (store: Store, through: number) => pruneLedger(pruningOf(store), { through, digest: undefined }, operator)
const change = (store: Store, work: (tx: Statements) => Promise<unknown>) =>
  store.transaction(async (tx) => void (await work(tx)))
const removeUpTo = (tx: Statements, position: number) =>
  tx.deleteFrom('ledger').where('position', '<=', position).execute()

for (const [engine, open] of engines) {
  t.test(`identity L7: rows that were taken away by order are missed by nobody (${engine})`, async (t) => {
    const { store } = await open(t)
    await append(store, 12)
    const head = await readLedgerHead(store.reader)
    const [row] = await readLedger(store.reader, 4, 1)
    const lines = [
      checkpointLine(keys, { count: 5, head: row?.mac ?? '', at: nowMs }),
      checkpointLine(keys, { count: 12, head: head.mac, at: nowMs }),
    ]
    const rows = await prunableRows({ store, keys }, { before: beganMs + 5 * dayMs })
    t.match(rows, { first: 1, last: 5, head: row?.mac })
    const digest = rows?.digest
    await pruneLedger(pruningOf(store), { through: 5, digest }, operator)
    t.same(await readLedger(store.reader, undefined, 1).then(([first]) => first?.position), 6)
    t.match(await verify(store, lines), { clean: true, start: 5, count: 13, checkpoints: 2, problems: [] })
    const [said] = await readLedger(store.reader, 12, 1)
    t.match(said, { event: 'ledger.pruned', actor: '{"kind":"operator"}' })
    t.match(JSON.parse(said?.details ?? ''), { first: 1, last: 5, count: 5, digest, exported: true })
    await prune(store, 8)
    await append(store, 2)
    t.match(await verify(store, lines), { clean: true, start: 8, count: 16, checkpoints: 2 }, 'and once more')
    await prune(store, 13)
    t.match(await verify(store, lines), { clean: true, start: 13 }, 'also the row that said the first')
    const forged = checkpointLine(keys, { count: 13, head: '0'.repeat(64), at: nowMs })
    t.same((await verify(store, [forged])).problems, [{ kind: 'rewritten', position: 13, line: 1 }])
  })

  t.test(`identity L7: a beginning that was cut off otherwise is found (${engine})`, async (t) => {
    const { store } = await open(t)
    await append(store, 12)
    await prune(store, 3)
    const older = await readLedgerStart(store.reader)
    await prune(store, 6)
    const start = await readLedgerStart(store.reader)
    if (older === undefined || start === undefined) throw new Error('no start')
    const rows = await readLedger(store.reader, 0, 100)
    const macOf = (position: number) => rows.find((row) => row.position === position)?.mac ?? ''
    const untrusted = createLedgerKeys([Buffer.alloc(32, 9)])
    const { recorded } = start
    const attacks: [string, (tx: Statements) => Promise<unknown>, object[]][] = [
      ['rows after the start', (tx) => removeUpTo(tx, 8), [{ kind: 'removed', position: 7, until: 8 }]],
      [
        'more than the start says, moved by hand',
        async (tx) => {
          await removeUpTo(tx, 8)
          await writeLedgerStart(tx, { ...start, position: 8, mac: macOf(8) })
        },
        [{ kind: 'start-forged', position: 0 }, { kind: 'start' }, { kind: 'removed', position: 1, until: 8 }],
      ],
      [
        'a start under a key of their own',
        async (tx) => {
          await removeUpTo(tx, 8)
          await writeLedgerStart(tx, sealedStart(untrusted, { position: 8, mac: macOf(8), recorded, at: nowMs }))
        },
        [{ kind: 'start-unknown-key' }, { kind: 'start' }],
      ],
      [
        'a checkpoint as a start',
        async (tx) => {
          const { mac: seal } = JSON.parse(checkpointLine(keys, { count: 8, head: macOf(8), at: nowMs }))
          await removeUpTo(tx, 8)
          await writeLedgerStart(tx, { ...start, position: 8, mac: macOf(8), seal })
        },
        [{ kind: 'start-forged', position: 0 }, {}, { kind: 'removed', position: 1, until: 8 }],
      ],
      ['an older start', (tx) => writeLedgerStart(tx, older), [{ kind: 'start' }, { kind: 'removed' }]],
      ['no start', (tx) => tx.deleteFrom('ledger_start').execute(), [{ kind: 'start' }, { kind: 'removed' }]],
      [
        'the row that says so, gone',
        (tx) => tx.deleteFrom('ledger').where('position', '=', recorded).execute(),
        [
          { kind: 'start', position: 6 },
          { kind: 'cut-off', position: recorded },
        ],
      ],
      [
        'the row that says so, changed',
        (tx) => tx.updateTable('ledger').set({ details: '{}' }).where('position', '=', recorded).execute(),
        [
          { kind: 'start', position: 6 },
          { kind: 'changed', position: recorded },
        ],
      ],
    ]
    for (const [what, attack, expected] of attacks) {
      await change(store, attack)
      const found = await verify(store)
      t.equal(found.clean, false, what)
      t.match(found.problems, expected, what)
      await removePrunedRows(pruningOf(store))
      await change(store, async (tx) => {
        await tx.deleteFrom('ledger').execute()
        for (const row of rows) await tx.insertInto('ledger').values(row).execute()
        await writeLedgerStart(tx, start)
      })
      t.equal((await verify(store)).clean, true, 'put back')
    }
    // Verified up to behind the row that says where it begins; then the start is set back before the next part.
    await append(store, 3)
    const { next } = await verifyLedger({ store, keys }, [], { most: recorded - 6 })
    await change(store, (tx) => tx.deleteFrom('ledger_start').execute())
    const found = await verifyLedger({ store, keys }, [], { from: next, most: 2 })
    t.match(found, { clean: false, problems: [{ kind: 'start', position: 0 }] }, 'also between two parts')
  })

  t.test(
    `identity L7: nothing is taken away that is not as it was written, exported and reported (${engine})`,
    async (t) => {
      const { store } = await open(t)
      await append(store, 10)
      const refused = async (code: NotPruned['code'], work: Promise<unknown>) => {
        const error = await work.then(
          () => undefined,
          (error: unknown) => error,
        )
        t.ok(error instanceof NotPruned)
        t.equal((error as NotPruned).code, code)
        t.equal((await readLedgerStart(store.reader))?.position, 0)
      }
      const digest = 'a'.repeat(64)
      await refused('not-exported', pruneLedger(pruningOf(store), { through: 5, digest }, operator))
      await refused('changed', prune(store, 11))
      await change(store, (tx) => tx.updateTable('event_cursor').set({ position: 4 }).execute())
      await refused('changed', prune(store, 5))
      t.match(await prunableRows({ store, keys }, {}), { first: 1, last: 4 }, 'no event would tell of the others')
      await change(store, (tx) => tx.updateTable('ledger').set({ at: 1 }).where('position', '=', 2).execute())
      await refused('tampered', prune(store, 4))
      await change(store, (tx) => tx.deleteFrom('ledger').where('position', '=', 2).execute())
      await refused('tampered', prune(store, 4))
      t.equal((await readLedger(store.reader, 0, 100)).length, 9, 'what shows it is still there')
    },
  )

  t.test(
    `identity L7: others write and verify while rows are taken away, and two cannot take the same (${engine})`,
    async (t) => {
      const { store, another } = await open(t)
      await append(store, 2_500)
      const second = await another()
      const work = { done: false }
      const verifying = (async () => {
        const found: Verification[] = []
        while (!work.done) {
          // What one finds the other cannot be held against: rows come and go between the two.
          const ranges = found.length % 2 === 0 ? undefined : inRanges(second, 100)
          found.push(await verifyLedger({ store: second, keys, ranges }))
          await nextTurn()
        }
        return found
      })()
      const writing = (async () => {
        for (let n = 0; n < 100 && !work.done; n += 1) {
          await append(second, 3)
          await nextTurn()
        }
      })()
      const both = await Promise.allSettled([prune(store, 1_200), prune(second, 1_200)])
      t.equal(both.filter(({ status }) => status === 'fulfilled').length, 1, 'one of them')
      await prune(store, 2_000)
      work.done = true
      await writing
      const found = await verifying
      t.same(
        found.flatMap(({ problems }) => problems),
        [],
        `${found.length} verifications`,
      )
      t.match(await verify(store), { clean: true, start: 2_000 })
    },
  )

  t.test(`identity L7: who saw rows before they were taken away does not miss them (${engine})`, async (t) => {
    const { store } = await open(t)
    const folder = t.testdir({})
    const checkpoints = createCheckpoints({ file: join(folder, 'points'), store, keys, now: () => nowMs })
    const watch = () =>
      createHeadWatch({ file: join(folder, 'head'), store, keys, now: () => nowMs, keep: checkpoints.keep })
    await append(store, 5)
    await watch().look()
    await append(store, 3)
    await prune(store, 6)
    await watch().look()
    await checkpoints.write()
    t.match(await verify(store, [...(await checkpoints.lines()), ...(await watch().lines())]), { clean: true })
    await change(store, (tx) => removeUpTo(tx, 9))
    await append(store, 1)
    await t.rejects(watch().look(), { code: 'ledger_shortened' }, 'and of what went otherwise it says so')
  })

  t.test(
    `identity L7: ledger.retention archives what leaves, and the archive is verified by itself (${engine})`,
    async (t) => {
      const { store } = await open(t)
      await append(store, 1_100)
      const archive = join(t.testdir({}), 'archive')
      const retentionMs = nowMs - (beganMs + 600 * dayMs)
      const before = await readLedger(store.reader, 0, 600)
      await retainLedger(pruningOf(store), { retentionMs: undefined, archive })
      t.match(await verify(store), { start: 0 }, 'off by default')
      await retainLedger(pruningOf(store), { retentionMs, archive })
      t.match(await verify(store), { clean: true, start: 600 })
      await retainLedger(pruningOf(store), { retentionMs, archive })
      t.same(readdirSync(archive), ['ledger-1-600.jsonl'], 'and nothing half')
      const file = join(archive, 'ledger-1-600.jsonl')
      t.equal(statSync(file).mode & 0o777, 0o600)
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
      t.same(
        lines.slice(0, 600),
        before.map((row) => JSON.stringify(archivedRow(row))),
      )
      t.match(await verifyArchive(keys, lines), { clean: true, first: 1, last: 600, count: 600, checkpoints: 1 })
      t.match(await verifyArchive(keys, lines.slice(100)), { clean: true, first: 101 }, 'a part of it too')
      const found = async (changed: readonly string[]) => (await verifyArchive(keys, changed)).problems
      t.match(await found(lines.toSpliced(41, 1)), [{ kind: 'removed', position: 42 }])
      t.match(await found(lines.toSpliced(41, 1, lines[41]?.replace('"n":42', '"n":43') ?? '')), [
        { kind: 'changed', position: 42 },
      ])
      t.match(await found(lines.toSpliced(599, 1)), [{ kind: 'cut-off', position: 600 }])
      t.match(await found(lines.toSpliced(0, 0, lines[1] ?? '')), [{ kind: 'added' }])
      t.match(await found([...lines.slice(0, 600), lines[600]?.replace('600', '500') ?? '']), [
        { kind: 'checkpoint-forged' },
      ])
      const untrusted = createLedgerKeys([Buffer.alloc(32, 9)])
      t.match((await verifyArchive(untrusted, lines)).problems[0], { kind: 'unknown-key', position: 1, until: 600 })
    },
  )

  t.test(`identity L7: a start outlives the master key that sealed it (${engine})`, async (t) => {
    const { store } = await open(t)
    await append(store, 4)
    await prune(store, 2)
    const rotated = createLedgerKeys([Buffer.alloc(32, 8), masterKey])
    await retainLedger(pruningOf(store, rotated), { retentionMs: undefined, archive: undefined })
    t.equal((await readLedgerStart(store.reader))?.key_id, rotated.current.id)
    t.match(await verifyLedger({ store, keys: rotated }), { clean: true, start: 2 })
  })
}

for (const kills of [1, 2, 3]) {
  t.test(`identity L7: killed after ${kills} of its transactions, the ledger is verified as before`, async (t) => {
    const { store, file } = await openTemporaryStore(t)
    await append(store, 1_700)
    const child = startStorageChild(t, 'prune-child', [file, masterKey.toString('hex'), '1600'])
    await child.waitFor('ready')
    child.go()
    await child.waitFor('committed 1')
    for (let next = 2; next <= kills; next += 1) {
      child.tell('on')
      await child.waitFor(`committed ${next}`)
    }
    await child.kill()
    const left = await readLedger(store.reader, undefined, 1)
    t.equal(left[0]?.position, 1 + 500 * (kills - 1))
    t.match(await verify(store), { clean: true, start: 1_600, count: 1_701 })
    const position = left[0]?.position ?? 0
    await change(store, (tx) =>
      tx.updateTable('ledger').set({ details: '{}' }).where('position', '=', position).execute(),
    )
    t.same((await verify(store)).problems, [{ kind: 'changed', position }], 'what is still there is looked at')
    await retainLedger(pruningOf(store), { retentionMs: undefined, archive: undefined })
    t.equal((await readLedger(store.reader, undefined, 1))[0]?.position, 1_601, 'the next leader goes on with it')
    t.match(await verify(store), { clean: true, start: 1_600 })
  })
}
