// Taking away the beginning of the chain. One transaction decides it: it appends the row that says who took how many,
// and moves the start. From then on the rows before the start may go, in slices, by the instance that comes to it: an
// end in the middle leaves rows that the next round takes, and a chain that is verified as before. Nothing goes that is
// not as it was written: that would destroy what shows it.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { readLedger } from '../storage/sql/ledger/ledger-entries.js'
import { type LedgerRow, lockLedgerHead, readLedgerHead } from '../storage/sql/ledger/ledger-head.js'
import { deleteLedgerMembers } from '../storage/sql/ledger/member-rows.js'
import { deleteLedgerRows, readEventCursor, readLedgerStart, writeLedgerStart } from '../storage/sql/ledger/start.js'
import type { Store } from '../storage/sql/store.js'
import { chainMac, rowsDigest } from './chain.js'
import type { Ledger, Origin } from './ledger.js'
import { type LedgerKeys, sameMac } from './ledger-keys.js'
import { openStart, prunedEvent, sealedStart } from './start.js'

const pageRows = 500

/** Why nothing was taken away. */
export class NotPruned extends Error {
  readonly code: 'tampered' | 'changed' | 'not-exported'
  constructor(code: NotPruned['code'], message: string) {
    super(message)
    this.code = code
  }
}

export interface PruneDependencies {
  store: Pick<Store, 'reader' | 'transaction'>
  keys: LedgerKeys
  ledger: Ledger
  now: () => number
}

/** What can be taken away: rows `first` to `last`; `head` is the mac of the last. */
export interface PrunableRows {
  first: number
  last: number
  head: string
  /** Of all of them; see rowsDigest. */
  digest: string
}

/**
 * The rows from the start on up to `through`, or as long as they are older than `before` (epoch milliseconds), and
 * events were made of them; undefined when there are none. `each` is given all of them. Throws NotPruned when one is
 * not as it was written, StoreUnavailable.
 */
export async function prunableRows(
  { store, keys }: Pick<PruneDependencies, 'store' | 'keys'>,
  upTo: { before?: number; through?: number },
  each: (row: LedgerRow) => Promise<void> | void = () => undefined,
): Promise<PrunableRows | undefined> {
  const { before = Number.POSITIVE_INFINITY, through = Number.MAX_SAFE_INTEGER } = upTo
  const { start, wrong } = openStart(keys, await readLedgerStart(store.reader))
  if (wrong !== undefined) throw new NotPruned('tampered', 'The start of the ledger is not what was written.')
  const end = Math.min(through, await readEventCursor(store.reader), (await readLedgerHead(store.reader)).position)
  const digest = rowsDigest()
  let { position, mac } = start
  for (let more = true; more && position < end; ) {
    const rows = await readLedger(store.reader, position, pageRows)
    more = rows.length > 0
    for (const row of rows) {
      more = row.position <= end && row.at < before
      if (!more) break
      checkRow(keys, row, { position, mac })
      digest.add(row)
      await each(row)
      position = row.position
      mac = row.mac
    }
    await nextTurn()
  }
  if (position === start.position) return undefined
  return { first: start.position + 1, last: position, head: mac, digest: digest.hex() }
}

function checkRow(keys: LedgerKeys, row: LedgerRow, before: { position: number; mac: string }): void {
  const key = keys.find(row.key_id)
  const follows = row.position === before.position + 1
  if (key !== undefined && follows && sameMac(row.mac, chainMac(key.chain, before.mac, row))) return
  throw new NotPruned('tampered', `Row ${row.position} of the ledger is not what was written, or does not follow.`)
}

/**
 * Takes away the rows up to `through`, and says so in the ledger in the name of `origin`. `digest`: of an export that
 * has all of them; undefined: there is none, on purpose. Throws NotPruned, StoreUnavailable.
 */
export async function pruneLedger(
  deps: PruneDependencies,
  request: { through: number; digest: string | undefined },
  origin: Origin,
): Promise<PrunableRows> {
  const rows = await prunableRows(deps, { through: request.through })
  if (rows?.last !== request.through) throw changed()
  if (request.digest !== undefined && !sameMac(request.digest, rows.digest)) {
    throw new NotPruned('not-exported', 'What was exported is not what is in the ledger.')
  }
  await deps.store.transaction(async (tx) => {
    const head = await lockLedgerHead(tx)
    const { start } = openStart(deps.keys, await readLedgerStart(tx))
    if (start.position !== rows.first - 1) throw changed()
    const { first, last } = rows
    const details = { ...rows, count: last - first + 1, exported: request.digest !== undefined }
    await deps.ledger.append(tx, { ...origin, event: prunedEvent, details })
    const moved = { position: last, mac: rows.head, recorded: head.position + 1, at: deps.now() }
    await writeLedgerStart(tx, sealedStart(deps.keys, moved))
  }, 'first-lock')
  await removePrunedRows(deps)
  return rows
}

function changed(): NotPruned {
  return new NotPruned('changed', 'The ledger begins or ends elsewhere by now: ask again what can be taken away.')
}

/**
 * Takes away what lies before the start, also what somebody began who was interrupted. Nothing on the word of a start
 * that is not ours.
 */
export async function removePrunedRows({ store, keys }: Pick<PruneDependencies, 'store' | 'keys'>): Promise<void> {
  const { start, wrong } = openStart(keys, await readLedgerStart(store.reader))
  if (wrong !== undefined || start.position === 0) return
  for (;;) {
    const removed = await store.transaction(async (tx) => {
      const noted = await deleteLedgerMembers(tx, start.position, pageRows)
      return Math.max(noted, await deleteLedgerRows(tx, start.position, pageRows))
    })
    if (removed < pageRows) return
    await nextTurn()
  }
}
