// What the leader takes away from time to time, in bounded batches: sessions, links, half sign-ins, device codes,
// calls that waited for a person, proofs that were used once, registration tokens and grants that nobody can use any more, deliveries of events, and
// requests for consent that were decided long ago. Each is looked at by its own end, and kept for an hour longer, so
// that instances whose clocks differ agree that it is over.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { daySlots, hourSlots } from '../history/slots.js'
import { pruneGaps } from '../storage/sql/cluster/feed-gaps.js'
import { deleteEndedConsents } from '../storage/sql/consents/consent-ends.js'
import { deleteDecidedConsentRequests } from '../storage/sql/consents/consent-request-upkeep.js'
import { pruneCallApprovals } from '../storage/sql/grants/call-approval-upkeep.js'
import { pruneDeviceCodes } from '../storage/sql/grants/device-decisions.js'
import { deleteGrants, listDeadGrants } from '../storage/sql/grants/grant-upkeep.js'
import { deleteEndedPendingRequests } from '../storage/sql/grants/pending-request-upkeep.js'
import { deleteSingleUses } from '../storage/sql/grants/single-uses.js'
import { deleteHistory } from '../storage/sql/history/history.js'
import { findWrongKeys, setNameKeys } from '../storage/sql/overview/wrong-name-keys.js'
import { deleteDeadEmailChanges } from '../storage/sql/people/email-changes.js'
import { deleteMailAllowances } from '../storage/sql/people/mail-allowances.js'
import { deleteDeadLinks, deleteDeadSessions } from '../storage/sql/people/sign-in-upkeep.js'
import { deletePkceUsage } from '../storage/sql/registrations/pkce/pkce-uses.js'
import { deleteRegistrationTokens } from '../storage/sql/registrations/registration-tokens.js'
import type { Statements, Store } from '../storage/sql/store.js'
import { deletePermissionUsage, deleteRouteUsage, deleteUsageFlushes } from '../storage/sql/usage/usage-upkeep.js'
import { deleteWritten } from '../storage/sql/usage/usage-written.js'
import { pruneDeliveries } from '../storage/sql/webhooks/delivery-lists.js'
import { longestTokenSeconds } from '../tokens/claim-rules.js'
import { presentWays } from '../users/sessions/provider-way.js'

const dayMs = 24 * 3_600_000
const marginMs = 3_600_000
/** Proofs that work once live for minutes and come by the thousand; clocks of instances differ by less than this. */
const singleUseMarginMs = 600_000
const batch = 500
/** A hundred thousand names in ten minutes. */
const stretchesOfNames = 5
/** Of each kind at one sweep. What comes faster than this for long is a flood that the limits are for. */
const mostBatches = 400
/** How long people can look up what became of their requests; the ledger keeps it for longer. */
const keepDecidedMs = 90 * dayMs
const keepUsageMs = 400 * dayMs
/** Thirty whole days, and the one that begins. */
const keepPkceDays = 31
/** What arrived is looked up for a week; what did not, for a month, and then nobody sends it any more. */
const keepDeliveredMs = 7 * dayMs
const keepDeliveriesMs = 30 * dayMs
/** Longer than any token lives that could name a number of it. */
const keepGapsMs = 3 * dayMs
/** An instance that has written nothing for so long repeats no batch any more. */
const keepFlushesMs = 7 * dayMs

/**
 * Sweeps once, until nothing is left of each kind. `sessionIdleMs`: how long a session lives without use. Throws
 * StoreUnavailable.
 */
export async function sweepDead(deps: {
  store: Store
  now: () => number
  sessionIdleMs: number
  /** Those that there are; absent: sessions of other providers stay until they end. */
  providers?: Pick<ReadonlyMap<string, unknown>, 'keys'>
  /** How long counts of usage are kept. */
  usageKeepMs?: number
}): Promise<void> {
  const { store } = deps
  const endedBefore = deps.now() - marginMs
  const idleBefore = endedBefore - deps.sessionIdleMs
  const all = (work: (tx: Statements) => Promise<number>) => inBatches(() => store.transaction(work))
  const ways = deps.providers && presentWays(deps.providers)
  await all((tx) => deleteDeadSessions(tx, { endedBefore, idleBefore, ways }, batch))
  await all((tx) => deleteDeadLinks(tx, endedBefore, batch))
  await all((tx) => deleteDeadEmailChanges(tx, endedBefore, batch))
  await all((tx) => deleteMailAllowances(tx, endedBefore, batch))
  await all((tx) => deleteEndedPendingRequests(tx, endedBefore, batch))
  await all((tx) => pruneDeviceCodes(tx, endedBefore, batch))
  await all((tx) => pruneCallApprovals(tx, deps.now() - singleUseMarginMs, batch))
  await all((tx) => deleteSingleUses(tx, deps.now() - singleUseMarginMs, batch))
  await all(async (tx) => (await deleteRegistrationTokens(tx, { endedBefore, limit: batch })).length)
  await all((tx) => deleteDecidedConsentRequests(tx, deps.now() - keepDecidedMs, batch))
  await store.transaction((tx) => deleteEndedConsents(tx, endedBefore))
  const usageBefore = Math.floor((deps.now() - (deps.usageKeepMs ?? keepUsageMs)) / dayMs)
  await all((tx) => deletePermissionUsage(tx, usageBefore, batch))
  await all((tx) => deleteRouteUsage(tx, usageBefore, batch))
  await all((tx) => deletePkceUsage(tx, Math.floor(deps.now() / dayMs) - keepPkceDays + 1, batch))
  for (const { slotSeconds, keepMs } of [hourSlots, daySlots]) {
    await all((tx) => deleteHistory(tx, { slotSeconds, before: deps.now() - keepMs, limit: batch }))
  }
  await sweepDeliveries(deps)
  await all((tx) => pruneGaps(tx, deps.now() - keepGapsMs, batch))
  await store.transaction((tx) => deleteUsageFlushes(tx, deps.now() - keepFlushesMs))
  await store.transaction((tx) => deleteWritten(tx, Math.floor((deps.now() - keepFlushesMs) / dayMs)))
  // A grant stays while an access token of it may live: its end is what refuses a code that comes back.
  const grantsBefore = endedBefore - longestTokenSeconds * 1000
  await inBatches(async () => {
    const dead = await listDeadGrants(store.reader, { endedBefore: grantsBefore, createdBefore: grantsBefore }, batch)
    await store.transaction((tx) => deleteGrants(tx, dead))
    return dead.length
  })
}

async function sweepDeliveries({ store, now }: { store: Store; now: () => number }): Promise<void> {
  const all = async (state: string | undefined, keepMs: number) => {
    const old = { createdBefore: now() - keepMs, state, limit: batch }
    await inBatches(() => store.transaction((tx) => pruneDeliveries(tx, old)))
  }
  await all('delivered', keepDeliveredMs)
  await all(undefined, keepDeliveriesMs)
}

/** One after the other, with everybody else's turns between them, as long as they are full. */
async function inBatches(work: () => Promise<number>): Promise<void> {
  for (let done = 0; done < mostBatches; done += 1) {
    if ((await work()) < batch) return
    await nextTurn()
  }
}

/**
 * Gives keys to the names of applications that a version before wrote: when it registered or renamed one, also while it
 * runs beside this one. Each call looks at the next stretch of them, and the one after the last begins anew. Throws
 * StoreUnavailable.
 */
export function createNameKeeper(store: Pick<Store, 'reader' | 'transaction'>): () => Promise<void> {
  let after = ''
  return async () => {
    for (let done = 0; done < stretchesOfNames; done += 1) {
      const { wrong, last } = await findWrongKeys(store.reader, after, batch)
      if (wrong.length > 0) await store.transaction((tx) => setNameKeys(tx, wrong))
      after = last ?? ''
      if (last === undefined) return
      await nextTurn()
    }
  }
}
