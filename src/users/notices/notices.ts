// Word by mail of what the ledger tells: to a person of what happened to their account, to administrators and owners of
// applications of what waits for them. The ledger is the outbox, as for events (decisions 66 and 132). The leader does
// this.

import type { UserWrites } from '../writes.js'
import { gatherNotices } from './gather-notices.js'
import { sendNotices } from './send-notices.js'

/** One round: what was written since the last one, and what is due again. Throws StoreUnavailable. */
export async function mailNotices(deps: UserWrites): Promise<void> {
  await gatherNotices(deps)
  await sendNotices(deps)
}
