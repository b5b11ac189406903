// What the lead takes away from time to time, in bounded batches: sessions, links, pending requests, device codes and grants
// that nobody can use any more. Each is looked at by its own end, and kept for an hour longer, so that instances whose clocks
// differ agree that it is over.

import { pruneDeviceCodes } from './memory/store/device-decisions.js'
import { deleteGrants, listDeadGrants } from './memory/store/grant-upkeep.js'
import { deleteEndedPendingRequests } from './memory/store/pending-request-upkeep.js'
import { deleteDeadLinks, deleteDeadSessions } from './memory/store/sign-in-upkeep.js'
import type { Store } from './memory/store/store.js'
import { longestTokenSeconds } from './tokens/claim-rules.js'

const marginMs = 3_600_000
const batch = 500

/** Sweeps once. `sessionIdleMs`: how long a session lives without use. Throws StoreUnavailable. */
export async function sweepDead(deps: { store: Store; now: () => number; sessionIdleMs: number }): Promise<void> {
  const { store } = deps
  const endedBefore = deps.now() - marginMs
  await store.transaction((tx) =>
    deleteDeadSessions(tx, { endedBefore, idleBefore: endedBefore - deps.sessionIdleMs }, batch),
  )
  await store.transaction((tx) => deleteDeadLinks(tx, endedBefore, batch))
  await store.transaction((tx) => deleteEndedPendingRequests(tx, endedBefore, batch))
  await store.transaction((tx) => pruneDeviceCodes(tx, endedBefore, batch))
  // A grant stays while an access token of it may live: its end is what refuses a code that comes back.
  const grantsBefore = endedBefore - longestTokenSeconds * 1000
  const dead = await listDeadGrants(store.reader, { endedBefore: grantsBefore, createdBefore: grantsBefore }, batch)
  await store.transaction((tx) => deleteGrants(tx, dead))
}
