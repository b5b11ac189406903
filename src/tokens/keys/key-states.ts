// A key's life: pending → active → retiring → removed (contract §3). Pure: rows and the time in, changed rows out. A
// key is published before it signs, so that everybody who fetched the set knows it, and stays published until the last
// token that it signed is over.

import type { SigningKeyRow } from '../../storage/sql/revocation/signing-keys.js'
import { type KeySettings, type KeySlot, keysOf, livingSlots } from './key-slots.js'

/** Kept this much longer than a token lives, for clocks that differ. */
const keepAfterMs = 3_600_000

/** `key` signs from now on; whatever signed in its slot before only verifies, and loses its private part. */
export function activated(
  rows: readonly SigningKeyRow[],
  key: SigningKeyRow,
  nowMs: number,
  settings: KeySettings,
): SigningKeyRow[] {
  const removesAt = nowMs + settings.lifetimeSeconds * 1000 + keepAfterMs
  const former = keysOf(rows, key, 'active').filter((row) => row.kid !== key.kid)
  return [
    { ...key, state: 'active', activatesAt: nowMs },
    ...former.map((row) => ({ ...row, state: 'retiring' as const, removesAt, sealedPrivateJwk: '' })),
  ]
}

/** `key` is in no set any more: nothing that it signed is believed. */
export function removed(key: SigningKeyRow, nowMs: number): SigningKeyRow {
  return { ...key, state: 'removed', removesAt: nowMs, sealedPrivateJwk: '' }
}

/**
 * The rows that the time alone changes: due pending keys become active, retired ones whose time is over are removed.
 */
export function dueChanges(rows: readonly SigningKeyRow[], nowMs: number, settings: KeySettings): SigningKeyRow[] {
  const expired = rows.filter((row) => row.state === 'retiring' && row.removesAt !== null && row.removesAt <= nowMs)
  const due = rows.filter((row) => row.state === 'pending' && row.activatesAt <= nowMs)
  // Of several due keys in one slot the newest signs; `rows` is in the order in which they were made.
  const newest = due.filter((row) => keysOf(due, row, 'pending').at(-1) === row)
  const skipped = due.filter((row) => !newest.includes(row))
  return [
    ...expired.map((row) => removed(row, nowMs)),
    ...skipped.map((row) => removed(row, nowMs)),
    ...newest.flatMap((row) => activated(rows, row, nowMs, settings)),
  ]
}

/** Slots whose key signs for so long that its successor must be published now. */
export function slotsDue(rows: readonly SigningKeyRow[], nowMs: number, settings: KeySettings): KeySlot[] {
  const oldest = nowMs - settings.rotateEveryMs + settings.publishBeforeMs
  return livingSlots(rows, settings).filter(
    (slot) =>
      keysOf(rows, slot, 'pending').length === 0 &&
      keysOf(rows, slot, 'active').some((row) => row.activatesAt <= oldest),
  )
}
