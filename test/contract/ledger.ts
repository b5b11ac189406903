// What the ledger promises, on every engine: nobody who has the database and not the key changes it unnoticed, and what
// is written in it was done.

import { createHmac } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Test } from 'tap'
import { chainMac, createLedger } from '../../src/ledger/chain.js'
import { checkpointLine } from '../../src/ledger/checkpoint-lines.js'
import { createLedgerKeys, type LedgerKeys } from '../../src/ledger/ledger-keys.js'
import { checkRange } from '../../src/ledger/ranges/check-range.js'
import type { RangeCheck } from '../../src/ledger/ranges/whole-ledger.js'
import { type Verification, verifyLedger } from '../../src/ledger/verify.js'
import { createEmbeddedFeed } from '../../src/storage/changes/embedded-feed.js'
import { readLedger } from '../../src/storage/sql/ledger/ledger-entries.js'
import { type LedgerRow, readLedgerHead } from '../../src/storage/sql/ledger/ledger-head.js'
import { insertTenant, readTenant } from '../../src/storage/sql/registrations/tenants.js'
import type { Statements, Store } from '../../src/storage/sql/store.js'
import { type TestScope, tenantRow } from '../support/storage/temporary-store.js'

export interface LedgerStores {
  store: Store
  another(): Promise<Store>
}

export const masterKey = Buffer.alloc(32, 7)
export const keys = createLedgerKeys([masterKey])
const startMs = Date.UTC(2026, 10, 21)

/** One instance that writes. */
export async function writer(t: TestScope, store: Store, ledgerKeys: LedgerKeys = keys) {
  const now = () => startMs
  const feed = createEmbeddedFeed({ store, pollMs: 20, now, monotonic: () => performance.now() })
  await feed.start()
  t.teardown(() => feed.stop())
  const ledger = createLedger({ keys: ledgerKeys, now })
  const append = async (n: number): Promise<void> => {
    await feed.commit((tx) =>
      ledger.append(tx, {
        event: 'consent.granted',
        actor: { kind: 'user', userId: `user ${n}` },
        tenantId: 'tenant',
        applicationId: n % 2 === 0 ? 'even' : undefined,
        details: { n, text: `"quotes" é \u{1f600} ${n}`, before: null },
      }),
    )
  }
  return { feed, ledger, append }
}

/** Ranges of so many rows, side by side; `answers` is told whether each was whole. */
export function inRanges(
  store: Pick<Store, 'reader'>,
  rows: number,
  answers: (whole: boolean[]) => void = () => undefined,
  ledgerKeys: LedgerKeys = keys,
): RangeCheck {
  return {
    rows,
    least: 1,
    async check(ranges) {
      const found = await Promise.all(ranges.map((range) => checkRange(store.reader, ledgerKeys, range)))
      answers(found.map((one) => one !== undefined))
      return found
    },
  }
}

/** One part after the other, to the end. */
export async function verifiedInParts(
  deps: Parameters<typeof verifyLedger>[0],
  lines: readonly string[],
  most: number,
): Promise<Verification[]> {
  const parts = [await verifyLedger(deps, lines, { most })]
  for (let from = parts[0]?.next; from !== undefined; from = parts.at(-1)?.next) {
    parts.push(await verifyLedger(deps, lines, { from, most }))
  }
  return parts
}

/** The problems of which no part says anything at their position. */
function missed({ problems }: Verification, found: Verification['problems']): Verification['problems'] {
  return problems.filter(
    ({ position, until = position }) =>
      !found.some((one) => one.position <= until && (one.until ?? one.position) >= position),
  )
}

/** Walks along the chain, and checks it in ranges of several sizes, and in parts: all find the same. */
export async function verifiedAlike(
  t: Test,
  store: Pick<Store, 'reader'>,
  lines: readonly string[] = [],
): Promise<Verification> {
  const walked = await verifyLedger({ store, keys }, lines)
  for (const rows of walked.count < 100 ? [1, 2, 3, 1_000] : [100]) {
    const ranged = await verifyLedger({ store, keys, ranges: inRanges(store, rows) }, lines)
    t.same(ranged, walked, `in ranges of ${rows}`)
  }
  for (const most of walked.count < 100 ? [1, 2, 5] : [130]) {
    for (const ranges of [undefined, inRanges(store, 2)]) {
      const parts = await verifiedInParts({ store, keys, ranges }, lines, most)
      t.equal(
        parts.every(({ clean }) => clean),
        walked.clean,
        `in parts of ${most}`,
      )
      t.same(
        missed(
          walked,
          parts.flatMap(({ problems }) => problems),
        ),
        [],
        `in parts of ${most} as much is found`,
      )
    }
  }
  return walked
}

/** A chain of `count` rows. */
async function chainOf(t: TestScope, store: Store, count: number) {
  const one = await writer(t, store)
  for (let n = 1; n <= count; n += 1) await one.append(n)
  return one
}

const change = (store: Store, work: (tx: Statements) => Promise<unknown>) =>
  store.transaction(async (tx) => void (await work(tx)))
const remove = (tx: Statements, position: number) => tx.deleteFrom('ledger').where('position', '=', position).execute()
const setHead = (tx: Statements, { position, mac }: Pick<LedgerRow, 'position' | 'mac'>) =>
  tx.updateTable('ledger_head').set({ position, mac }).execute()

/** The rows as an attacker reads them. */
const rowsOf = (store: Store) => readLedger(store.reader, 0, 1_000)

/** Everything of the contract. `open` gives an empty Store each time. */
export function ledgerContract(t: Test, open: (t: TestScope) => Promise<LedgerStores>): void {
  const verify = (store: Store, lines: readonly string[] = []) => verifiedAlike(t, store, lines)
  const tampered = async (t: Test, count: number, work: (tx: Statements, rows: LedgerRow[]) => Promise<unknown>) => {
    const { store } = await open(t)
    await chainOf(t, store, count)
    const { clean, head } = await verify(store)
    t.equal(clean, true, 'clean before')
    const line = checkpointLine(keys, { count, head, at: startMs })
    const rows = await rowsOf(store)
    await change(store, (tx) => work(tx, rows))
    const [without, withCheckpoint] = [await verify(store), await verify(store, [line])]
    t.equal(withCheckpoint.clean, false)
    return { without: without.problems, withCheckpoint: withCheckpoint.problems, store, line }
  }

  t.test('an empty ledger and a whole one are clean, with their count and head', async (t) => {
    const { store } = await open(t)
    t.same(await verify(store), { clean: true, count: 0, start: 0, head: '', problems: [], checkpoints: 0, reached: 0 })
    await chainOf(t, store, 5)
    const { clean, count, head } = await verify(store)
    t.same({ clean, count }, { clean: true, count: 5 })
    t.equal(head, (await rowsOf(store)).at(-1)?.mac)
    t.match(head, /^[0-9a-f]{64}$/)
  })

  t.test('X6 a chain in ranges: whole without a walk, and at their borders no row is out of sight', async (t) => {
    const { store } = await open(t)
    await chainOf(t, store, 12)
    const { head } = await verify(store)
    const line = checkpointLine(keys, { count: 12, head, at: startMs })
    let answers: boolean[] = []
    const ranges = inRanges(store, 5, (whole) => {
      answers = whole
    })
    t.equal((await verifyLedger({ store, keys, ranges }, [line])).clean, true)
    t.same(answers, [true, true, true])
    const before = await rowsOf(store)
    const kinds: Record<string, (tx: Statements, at: number) => Promise<unknown>> = {
      changed: (tx, at) => tx.updateTable('ledger').set({ details: '{}' }).where('position', '=', at).execute(),
      'given another mac': (tx, at) =>
        tx
          .updateTable('ledger')
          .set({ mac: 'f'.repeat(64) })
          .where('position', '=', at)
          .execute(),
      'taken out': remove,
      'as another one': (tx, at) => {
        const { position: _, ...other } = before[at === 1 ? 1 : at - 2] as LedgerRow
        return tx.updateTable('ledger').set(other).where('position', '=', at).execute()
      },
    }
    for (const [kind, work] of Object.entries(kinds)) {
      for (const at of [1, 5, 6, 10, 11, 12]) {
        await change(store, (tx) => work(tx, at))
        const found = await verifyLedger({ store, keys, ranges }, [line])
        t.equal(found.clean, false, `row ${at} ${kind}`)
        t.same(found, await verifyLedger({ store, keys }, [line]), `row ${at} ${kind}`)
        await change(store, async (tx) => {
          await remove(tx, at)
          await tx
            .insertInto('ledger')
            .values(before[at - 1] as LedgerRow)
            .execute()
        })
      }
    }
    // Another whole chain behind a border: every row of the second range follows the one before it.
    await change(store, async (tx) => {
      let previous = 'e'.repeat(64)
      await tx.updateTable('ledger').set({ mac: previous }).where('position', '=', 5).execute()
      for (const row of before.slice(5)) {
        previous = chainMac(keys.current.chain, previous, row)
        await tx.updateTable('ledger').set({ mac: previous }).where('position', '=', row.position).execute()
      }
      await setHead(tx, { position: 12, mac: previous })
    })
    const found = await verifyLedger({ store, keys, ranges })
    t.same(found, await verifyLedger({ store, keys }))
    t.equal(found.clean, false, 'joined by what both ranges read at the border')
    t.same(answers, [false, true, true])
    const failing = { rows: 5, least: 1, check: () => Promise.reject(new Error('no thread')) }
    t.same(await verifyLedger({ store, keys, ranges: failing }), found, 'without threads it is walked along')
  })

  t.test('X6 a changed row is found with its position, whatever was changed in it', async (t) => {
    const changes: Partial<LedgerRow>[] = [
      { details: '{"n":4}' },
      { actor: '{"kind":"operator"}' },
      { event: 'consent.withdrawn' },
      { at: startMs + 1 },
      { tenant_id: null },
      { tenant_id: 'other' },
      { application_id: '' },
      { user_id: 'somebody' },
      { request_id: 'x' },
      { address: '192.0.2.1' },
    ]
    const { store } = await open(t)
    await chainOf(t, store, 6)
    for (const changed of changes) {
      const [before] = await readLedger(store.reader, 2, 1)
      await change(store, (tx) => tx.updateTable('ledger').set(changed).where('position', '=', 3).execute())
      t.same((await verify(store)).problems, [{ kind: 'changed', position: 3 }], Object.keys(changed).join())
      await change(store, (tx) =>
        tx
          .updateTable('ledger')
          .set(before as LedgerRow)
          .where('position', '=', 3)
          .execute(),
      )
      t.equal((await verify(store)).clean, true, 'put back')
    }
    const mac = '0'.repeat(64)
    await change(store, (tx) => tx.updateTable('ledger').set({ mac }).where('position', '=', 3).execute())
    t.same(
      (await verify(store)).problems,
      [{ kind: 'changed', position: 3, until: 4 }],
      'its mac holds the next row too',
    )
  })

  t.test('X6 numbers that are none of ours are found, and keep nobody from looking', async (t) => {
    const { store } = await open(t)
    await chainOf(t, store, 3)
    await change(store, (tx) => sql`update ledger set at = 9223372036854775807 where position = 2`.execute(tx))
    t.same((await verify(store)).problems, [{ kind: 'changed', position: 2 }])
    await change(store, (tx) => sql`update ledger set position = 9223372036854775807 where position = 3`.execute(tx))
    t.same((await verify(store)).problems, [
      { kind: 'changed', position: 2 },
      { kind: 'cut-off', position: 3 },
    ])
    await change(store, (tx) => sql`update ledger_head set position = 9223372036854775807`.execute(tx))
    t.match((await verify(store)).problems, [
      { kind: 'changed', position: 2 },
      { kind: 'cut-off', position: 3 },
    ])
  })

  t.test(
    'X6 a part tells the next one what it found, and nobody without a key can have it end early or never',
    async (t) => {
      const { store } = await open(t)
      await chainOf(t, store, 6)
      const parts = (most: number, lines: readonly string[] = []) => verifiedInParts({ store, keys }, lines, most)
      const before = await rowsOf(store)
      const restore = () =>
        change(store, async (tx) => {
          await tx.deleteFrom('ledger').execute()
          await tx.insertInto('ledger').values(before).execute()
          await setHead(tx, before.at(-1) as LedgerRow)
        })
      const set = (set: Partial<LedgerRow>, position: number) =>
        change(store, (tx) => tx.updateTable('ledger').set(set).where('position', '=', position).execute())

      await set({ details: '{}' }, 1)
      t.match(
        (await parts(2)).map(({ clean, problems }) => [clean, problems.length]),
        [
          [false, 1],
          [false, 0],
          [false, 0],
        ],
        'the last part is not clean when the first was not',
      )
      await restore()

      await set({ mac: 'f'.repeat(3_000) }, 2)
      const long = await parts(2)
      t.ok(
        Math.max(...long.map(({ next = '' }) => next.length)) < 600,
        'however long a mac is, what is sealed is short',
      )
      t.equal(long.length, 3)
      t.match(long[0]?.problems, [{ kind: 'changed', position: 2 }])
      await restore()

      const { next } = await verifyLedger({ store, keys }, [], { most: 3 })
      await change(store, async (tx) => {
        await remove(tx, 5)
        await remove(tx, 6)
        await setHead(tx, before[3] as LedgerRow)
      })
      const cut = await verifyLedger({ store, keys }, [], { from: next, most: 3 })
      t.match(cut, { clean: false, problems: [{ kind: 'cut-off', position: 5, until: 6 }] }, 'what was there is missed')
      await change(store, async (tx) => {
        await tx.deleteFrom('ledger').where('position', '>', 2).execute()
        await setHead(tx, before[1] as LedgerRow)
      })
      const shorter = await verifyLedger({ store, keys }, [], { from: next, most: 3 })
      t.equal(shorter.clean, false)
      t.match(shorter.problems, [
        { kind: 'cut-off', position: 3 },
        { kind: 'cut-off', position: 4, until: 6 },
      ])
      await restore()

      await change(store, async (tx) => {
        await sql`insert into ledger select 1152921504606846976, at, event, tenant_id, actor, application_id, user_id,
        request_id, address, details, key_id, mac, previous_mac from ledger where position = 2`.execute(tx)
        await sql`update ledger_head set position = 2305843009213693952`.execute(tx)
      })
      const far = [await verifyLedger({ store, keys }, [], { most: 2 })]
      while (far.at(-1)?.next !== undefined && far.length < 10) {
        far.push(await verifyLedger({ store, keys }, [], { from: far.at(-1)?.next, most: 2 }))
      }
      t.ok(far.length < 10, 'a row that nobody can count to is no place to go on from')
      t.equal(far.at(-1)?.clean, false)
    },
  )

  t.test('X6 a row put before the beginning is found: lists would show it', async (t) => {
    for (const position of ['0', '-7', '-9223372036854775808']) {
      const added = (
        await tampered(t, 3, (tx) =>
          sql`insert into ledger select ${sql.raw(position)}, at, 'user.deleted', tenant_id, actor, application_id, user_id,
          request_id, address, details, key_id, mac, previous_mac from ledger where position = 2`.execute(tx),
        )
      ).without
      t.same(added, [{ kind: 'added', position: Number(position) }])
    }
    const moved = await tampered(t, 4, (tx) =>
      sql`update ledger set position = -position where position = 4`.execute(tx),
    )
    t.same(moved.without, [
      { kind: 'added', position: -4 },
      { kind: 'cut-off', position: 4 },
    ])
  })

  t.test('X6 a removed row is found, also several and the first', async (t) => {
    const { without } = await tampered(t, 6, (tx) => remove(tx, 3))
    t.same(without, [{ kind: 'removed', position: 3 }])
    const several = await tampered(t, 8, async (tx) => {
      for (const position of [1, 4, 5, 6]) await remove(tx, position)
    })
    t.same(several.without, [
      { kind: 'removed', position: 1 },
      { kind: 'removed', position: 4, until: 6 },
    ])
  })

  t.test('X6 a row taken out and the gap closed is found, though the positions have no hole', async (t) => {
    const { without, withCheckpoint } = await tampered(t, 6, async (tx, rows) => {
      await remove(tx, 3)
      for (const position of [4, 5, 6]) {
        await tx
          .updateTable('ledger')
          .set({ position: position - 1 })
          .where('position', '=', position)
          .execute()
      }
      await setHead(tx, { position: 5, mac: rows[5]?.mac ?? '' })
    })
    t.match(without[0], { position: 3 })
    t.equal(withCheckpoint.at(-1)?.kind, 'cut-off')
  })

  t.test('X6 rows that changed places are found, with the places they came from', async (t) => {
    for (const [a, b] of [
      [3, 4],
      [2, 6],
    ] as const) {
      const { without } = await tampered(t, 8, async (tx, rows) => {
        const [one, other] = [rows[a - 1] as LedgerRow, rows[b - 1] as LedgerRow]
        await remove(tx, a)
        await tx.updateTable('ledger').set({ position: a }).where('position', '=', b).execute()
        await tx
          .insertInto('ledger')
          .values({ ...one, position: other.position })
          .execute()
      })
      t.same(without, [
        { kind: 'moved', position: a, movedFrom: b },
        { kind: 'moved', position: b, movedFrom: a },
      ])
    }
  })

  t.test('X6 the last row cut off is found by the head, and with the head set back by the checkpoint', async (t) => {
    const { without } = await tampered(t, 6, (tx) => remove(tx, 6))
    t.same(without, [{ kind: 'cut-off', position: 6 }])
    const both = await tampered(t, 6, async (tx, rows) => {
      await remove(tx, 5)
      await remove(tx, 6)
      await setHead(tx, rows[3] as LedgerRow)
    })
    t.same(both.without, [], 'nothing in the database says that there were more')
    t.same(both.withCheckpoint, [{ kind: 'cut-off', position: 5, until: 6, line: 1 }])
    const all = await tampered(t, 3, async (tx) => {
      await tx.deleteFrom('ledger').execute()
      await setHead(tx, { position: 0, mac: '' })
    })
    t.same(all.withCheckpoint, [{ kind: 'cut-off', position: 1, until: 3, line: 1 }])
    const head = await tampered(t, 3, (tx) => setHead(tx, { position: 3, mac: 'f'.repeat(64) }))
    t.same(head.without, [{ kind: 'head', position: 3 }])
    const short = await tampered(t, 3, (tx) => tx.updateTable('ledger_head').set({ position: 2 }).execute())
    t.same(short.without, [{ kind: 'head', position: 2 }])
  })

  t.test('X6 cut off and written on: the checkpoint of before knows another row', async (t) => {
    const { store, line, withCheckpoint } = await tampered(t, 6, async (tx, rows) => {
      await remove(tx, 6)
      await setHead(tx, rows[4] as LedgerRow)
    })
    t.same(withCheckpoint, [{ kind: 'cut-off', position: 6, line: 1 }])
    const again = await writer(t, store)
    for (const n of [60, 70, 80]) await again.append(n)
    t.equal((await verify(store)).clean, true, 'the rows are all ours')
    t.same((await verify(store, [line])).problems, [{ kind: 'rewritten', position: 6, line: 1 }])
  })

  t.test('X6 the whole chain written anew without the key is found from its first row on', async (t) => {
    const { current: otherKey } = createLedgerKeys([Buffer.alloc(32, 9)])
    const naive = (previous: string, row: LedgerRow) =>
      createHmac('sha256', 'not the key').update(previous).update(JSON.stringify(row)).digest('hex')
    /** Anyone who has read the source makes macs in the right form. */
    const exact = (previous: string, { mac: _, ...row }: LedgerRow) => chainMac(otherKey.chain, previous, row)
    const ways = [
      { how: 'anyhow', count: 40, macOf: naive, keyId: keys.current.id, found: 'changed' },
      { how: 'in the right form', count: 10, macOf: exact, keyId: keys.current.id, found: 'changed' },
      { how: 'under a key of their own', count: 10, macOf: exact, keyId: otherKey.id, found: 'unknown-key' },
    ]
    for (const { how, count, macOf, keyId, found } of ways) {
      const { without, withCheckpoint } = await tampered(t, count, async (tx, rows) => {
        let previous = ''
        for (const row of rows) {
          const forged = { ...row, details: '{"forged":true}', key_id: keyId }
          previous = macOf(previous, forged)
          await tx
            .updateTable('ledger')
            .set({ details: forged.details, key_id: keyId, mac: previous })
            .where('position', '=', row.position)
            .execute()
        }
        await setHead(tx, { position: count, mac: previous })
      })
      t.same(without, [{ kind: found, position: 1, until: count }], how)
      t.match(withCheckpoint[0], { kind: found, position: 1 }, how)
    }
  })

  t.test('X6 rows and checkpoints of a key that nobody has are found; former master keys verify', async (t) => {
    const { store } = await open(t)
    const [former, untrusted] = [createLedgerKeys([Buffer.alloc(32, 8)]), createLedgerKeys([Buffer.alloc(32, 9)])]
    await (await writer(t, store, former)).append(1)
    await (await writer(t, store)).append(2)
    const rotated = createLedgerKeys([masterKey, Buffer.alloc(32, 8)])
    const { head } = await readLedgerHead(store.reader).then(({ mac }) => ({ head: mac }))
    const state = { count: 2, head, at: startMs }
    const lines = [checkpointLine(former, state), checkpointLine(rotated, state)]
    t.match(await verifyLedger({ store, keys: rotated }, lines), { clean: true, count: 2, checkpoints: 2 })
    t.match(await verify(store), { clean: false, problems: [{ kind: 'unknown-key', position: 1 }] })
    const forged = JSON.stringify({ ...JSON.parse(lines[1] ?? ''), count: 1 })
    const asRow = JSON.stringify({ ...JSON.parse(lines[1] ?? ''), mac: head })
    const { problems } = await verifyLedger({ store, keys: rotated }, [
      checkpointLine(untrusted, state),
      forged,
      asRow,
      'nonsense',
      '',
    ])
    t.same(problems, [
      { kind: 'checkpoint-forged', position: 0, line: 4 },
      { kind: 'checkpoint-forged', position: 1, line: 2 },
      { kind: 'checkpoint-unknown-key', position: 2, line: 1 },
      { kind: 'checkpoint-forged', position: 2, line: 3 },
    ])
  })

  t.test(
    'X6 two instances write 500 rows at the same time: one chain, clean, and a change in it is found',
    async (t) => {
      const { store, another } = await open(t)
      const writers = [await writer(t, store), await writer(t, await another())]
      const startedAt = performance.now()
      await Promise.all(
        writers.map(async ({ append }, instance) => {
          for (let n = 0; n < 250; n += 5)
            await Promise.all([0, 1, 2, 3, 4].map((i) => append(instance * 1_000 + n + i)))
        }),
      )
      const wroteMs = performance.now() - startedAt
      const verified = await verify(store)
      t.match(verified, { clean: true, count: 500, problems: [] })
      t.comment(`500 rows by two instances in ${Math.round(wroteMs)} ms`)
      const written = (await rowsOf(store)).map((row) => JSON.parse(row.details).n as number)
      t.equal(new Set(written).size, 500, 'none is lost, none is there twice')
      const line = checkpointLine(keys, { count: 500, head: verified.head, at: startMs })
      t.equal((await verify(store, [line])).clean, true)
      await change(store, (tx) => tx.updateTable('ledger').set({ details: '{}' }).where('position', '=', 333).execute())
      t.same((await verify(store, [line])).problems, [{ kind: 'changed', position: 333 }])
      await change(store, (tx) => remove(tx, 500))
      t.match((await verify(store, [line])).problems, [
        { kind: 'changed', position: 333 },
        { kind: 'cut-off', position: 500 },
      ])
    },
  )

  t.test('X6 what is recorded and the record are written together or not at all', async (t) => {
    const { store } = await open(t)
    const { feed, ledger } = await writer(t, store)
    const event = { event: 'tenant.created', actor: { kind: 'operator' } } as const
    await feed.commit(async (tx) => {
      await insertTenant(tx, tenantRow('kept'))
      await ledger.append(tx, event)
    })
    await t.rejects(
      feed.commit(async (tx) => {
        await insertTenant(tx, tenantRow('undone'))
        await ledger.append(tx, event)
        throw new Error('changed my mind')
      }),
      { message: 'changed my mind' },
    )
    t.equal((await readLedgerHead(store.reader)).position, 1)
    t.equal(await readTenant(store.reader, 'undone'), undefined)
    for (const address of ['nul \0', 'half \ud800']) {
      await t.rejects(
        feed.commit(async (tx) => {
          await insertTenant(tx, tenantRow('undone'))
          await ledger.append(tx, { ...event, address })
        }),
        { code: 'invalid_text' },
      )
    }
    t.equal(await readTenant(store.reader, 'undone'), undefined, 'what cannot be recorded is not done')
    await feed.commit((tx) => ledger.append(tx, { ...event, details: { name: 'nul \0 half \ud800' } }))
    await t.rejects(
      feed.commit((tx) => ledger.append(tx, { ...event, event: 'Not a name' as 'user.changed' })),
      { name: 'RangeError' },
    )
    t.match(await verify(store), { clean: true, count: 2 })
  })

  t.test('verifying while others write is clean', async (t) => {
    const { store, another } = await open(t)
    const { append } = await writer(t, store)
    const reader = await another()
    let going = true
    const writing = (async () => {
      for (let n = 0; going || n < 20; n += 1) {
        await append(n)
        // On SQLite a transaction is over within the turn, and nobody else would have one.
        await nextTurn()
      }
    })()
    for (let i = 0; i < 10; i += 1) {
      const ranges = i % 2 === 0 ? inRanges(reader, 3) : undefined
      t.equal((await verifyLedger({ store: reader, keys, ranges })).clean, true)
    }
    going = false
    await writing
    t.equal((await verify(reader)).clean, true)
  })
}
