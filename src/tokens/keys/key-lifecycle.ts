// Moves the keys through their states. Every move is one transaction that looks again before it writes: whatever two
// processes decide at the same moment, one set of keys results, and every instance hears of it through the Feed.

import type { Feed } from '../../storage/changes/feed.js'
import {
  insertSigningKey,
  listSigningKeys,
  type SigningKeyRow,
  updateSigningKey,
} from '../../storage/sql/revocation/signing-keys.js'
import { type Statements, type Store, StoreUnavailable } from '../../storage/sql/store.js'
import type { KeyEncryption } from './key-encryption.js'
import { type GeneratedKey, generateKeyPair, sealedKey } from './key-generation.js'
import { type KeySettings, type KeySlot, keysOf, livingSlots, neededSlots } from './key-slots.js'
import { activated, dueChanges, removed, slotsDue } from './key-states.js'
import type { KeyPurpose } from './keys.js'

/** How often a change starts over when others change the keys at the same moment. */
const attempts = 5

export interface KeyLifecycle {
  store: Store
  feed: Pick<Feed, 'commit'>
  encryption: KeyEncryption
  settings: KeySettings
  /** Epoch milliseconds. */
  now: () => number
  /** Where key pairs come from; this machine's randomness when absent. */
  generate?: typeof generateKeyPair
  /** Is told of every move, last of all in the transaction that makes it. */
  audit?: ((tx: Statements, move: KeyMove) => Promise<void>) | undefined
}

/** What happened to a key. */
export interface KeyMove extends Pick<SigningKeyRow, 'kid' | 'purpose' | 'alg'> {
  moved: 'added' | 'activated' | 'retired' | 'removed'
}

/**
 * At the start: every needed slot has an active key (the first of a slot signs at once), and what is sealed under a
 * former master key is sealed anew. Throws MasterKeyMismatch, StoreUnavailable.
 */
export async function ensureKeys(deps: KeyLifecycle): Promise<void> {
  // Opening all of them finds a wrong master key before anything is written beside what it cannot read.
  await openAll(deps)
  await change(deps, (current) => ({
    updates: resealed(current, deps.encryption),
    additions: neededSlots(deps.settings)
      .filter((slot) => keysOf(current, slot, 'active').length === 0)
      .map((slot) => ({ slot, state: 'active' })),
  }))
  // And again: another instance, with another master key, may have started at the same moment and made them first.
  await openAll(deps)
}

async function openAll({ store, encryption }: KeyLifecycle): Promise<void> {
  for (const { sealedPrivateJwk, kid } of await listSigningKeys(store.reader)) {
    if (sealedPrivateJwk !== '') encryption.open(sealedPrivateJwk, kid)
  }
}

/**
 * Gives every slot (of one purpose) a successor: published now, signing after the publication time, or at once when
 * `immediately`. A slot that already has a successor gets no second one. Returns the key ids of the successors.
 */
export async function rotateKeys(
  deps: KeyLifecycle,
  options: { purpose?: KeyPurpose; immediately?: boolean } = {},
): Promise<readonly string[]> {
  const state = options.immediately === true ? 'active' : 'pending'
  return change(deps, (rows) => {
    const living = livingSlots(rows, deps.settings)
    const slots = living.filter((slot) => (options.purpose ?? slot.purpose) === slot.purpose)
    const waiting = slots.flatMap((slot) => keysOf(rows, slot, 'pending').slice(-1))
    return {
      updates: state === 'active' ? waiting.flatMap((row) => activated(rows, row, deps.now(), deps.settings)) : [],
      additions: slots.filter((slot) => keysOf(rows, slot, 'pending').length === 0).map((slot) => ({ slot, state })),
    }
  })
}

/**
 * Takes a key out of the set at once: what it signed is refused from the moment this resolves, everywhere within the
 * revocation bound. If it was signing, another signs from now on. False when there is no such key to remove.
 */
export async function removeKey(deps: KeyLifecycle, kid: string): Promise<boolean> {
  let found = false
  await change(deps, (rows) => {
    const key = rows.find((row) => row.kid === kid && row.state !== 'removed')
    found = key !== undefined
    if (key === undefined) return { updates: [], additions: [] }
    const gone = removed(key, deps.now())
    if (key.state !== 'active') return { updates: [gone], additions: [] }
    const successor = keysOf(rows, key, 'pending').at(-1)
    if (successor === undefined) return { updates: [gone], additions: [{ slot: key, state: 'active' }] }
    const others = rows.filter((row) => row.kid !== kid)
    return { updates: [gone, ...activated(others, successor, deps.now(), deps.settings)], additions: [] }
  })
  return found
}

/**
 * What time brings about: pending keys begin to sign, retired ones leave, old ones get a successor. Call it every
 * minute.
 */
export async function advanceKeys(deps: KeyLifecycle): Promise<void> {
  await change(deps, (rows) => ({
    updates: dueChanges(rows, deps.now(), deps.settings),
    additions: slotsDue(rows, deps.now(), deps.settings).map((slot) => ({ slot, state: 'pending' })),
  }))
}

interface Addition {
  slot: KeySlot
  state: 'active' | 'pending'
}

interface Plan {
  updates: readonly SigningKeyRow[]
  additions: readonly Addition[]
}

/**
 * Plans on what is committed, makes the keys that the plan needs, and plans again inside the transaction that writes.
 * When another process changed the keys in between so that one more is needed, nothing is written and it starts over.
 */
async function change(deps: KeyLifecycle, plan: (rows: readonly SigningKeyRow[]) => Plan): Promise<string[]> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { updates, additions } = plan(await listSigningKeys(deps.store.reader))
    if (updates.length + additions.length === 0) return []
    const made = await Promise.all(
      additions.map(async ({ slot }) => {
        const pair = await (deps.generate ?? generateKeyPair)(slot.alg)
        return { slot, key: await sealedKey(slot.alg, pair, deps.encryption) }
      }),
    )
    const findMade = ({ slot }: Addition) =>
      made.find((one) => one.slot.purpose === slot.purpose && one.slot.alg === slot.alg)?.key
    const { result } = await deps.feed.commit(async (tx, record) => {
      const rows = await listSigningKeys(tx)
      const now = plan(rows)
      const keyed = now.additions.flatMap((addition) => {
        const key = findMade(addition)
        return key === undefined ? [] : [{ ...addition, key }]
      })
      if (keyed.length < now.additions.length) return undefined
      if (now.updates.length + keyed.length > 0) record({ kind: 'keys' })
      return write(tx, deps, { rows, updates: now.updates, additions: keyed })
    })
    if (result !== undefined) return result
  }
  throw new StoreUnavailable('the signing keys were changed by others all the time')
}

/** Writes a plan; the key ids that it made active or added. */
async function write(
  tx: Statements,
  deps: KeyLifecycle,
  plan: {
    rows: readonly SigningKeyRow[]
    updates: readonly SigningKeyRow[]
    additions: readonly (Addition & { key: GeneratedKey })[]
  },
): Promise<string[]> {
  const written: SigningKeyRow[] = []
  const update = async (row: SigningKeyRow) => {
    await updateSigningKey(tx, row)
    written.push(row)
  }
  for (const row of plan.updates) await update(row)
  // What is added must see what was just changed: a key removed a line ago must not come back as retiring.
  const rows = plan.rows.map((row) => plan.updates.find((update) => update.kid === row.kid) ?? row)
  for (const addition of plan.additions) await add(tx, deps, { rows, ...addition, update })
  await tell(tx, deps, plan, written)
  const activatedKids = plan.updates.filter((row) => row.state === 'active').map((row) => row.kid)
  return [...activatedKids, ...plan.additions.map(({ key }) => key.kid)]
}

async function add(
  tx: Statements,
  deps: KeyLifecycle,
  addition: Addition & {
    rows: readonly SigningKeyRow[]
    key: GeneratedKey
    update: (row: SigningKeyRow) => Promise<void>
  },
): Promise<void> {
  const nowMs = deps.now()
  const row: SigningKeyRow = {
    ...addition.key,
    purpose: addition.slot.purpose,
    state: 'pending',
    createdAt: nowMs,
    activatesAt: nowMs + deps.settings.publishBeforeMs,
    removesAt: null,
  }
  await insertSigningKey(tx, row)
  if (addition.state === 'pending') return
  for (const changed of activated(addition.rows, row, nowMs, deps.settings)) await addition.update(changed)
}

const moveTo = { active: 'activated', retiring: 'retired', removed: 'removed' } as const

/** Each key that is new or in another state than before. */
async function tell(
  tx: Statements,
  { audit }: KeyLifecycle,
  { rows, additions }: { rows: readonly SigningKeyRow[]; additions: readonly (Addition & { key: GeneratedKey })[] },
  written: readonly SigningKeyRow[],
): Promise<void> {
  if (audit === undefined) return
  for (const { slot, key } of additions) {
    await audit(tx, { moved: 'added', kid: key.kid, purpose: slot.purpose, alg: slot.alg })
  }
  for (const { kid, purpose, alg, state } of written) {
    const before = rows.find((row) => row.kid === kid)?.state
    if (state === before || state === 'pending') continue
    await audit(tx, { moved: moveTo[state], kid, purpose, alg })
  }
}

function resealed(rows: readonly SigningKeyRow[], encryption: KeyEncryption): SigningKeyRow[] {
  return rows
    .filter((row) => row.sealedPrivateJwk !== '' && !encryption.isCurrent(row.sealedPrivateJwk))
    .map((row) => ({
      ...row,
      sealedPrivateJwk: encryption.seal(encryption.open(row.sealedPrivateJwk, row.kid), row.kid),
    }))
}
