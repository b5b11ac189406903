// The room that tells others what happened (contract §6, decision 0066): webhooks of tenants, which events there are,
// and the delivery worker, which is the leader's. It follows the ledger, and takes what is due to its receivers: one
// request at a time to each, so that what happened first arrives first as long as all goes well; a few at a time for a
// tenant and not many for all, so that those who answer slowly or not at all hold up nobody but themselves. The room
// knows no route; management/ has them.

import type { Metrics } from '../observability/metrics.js'
import { listDeliveries, listDueWebhooks, readBacklog } from '../storage/sql/webhooks/delivery-lists.js'
import { readWebhooks } from '../storage/sql/webhooks/webhooks.js'
import { type AttemptDependencies, attemptDelivery } from './attempt.js'
import { type FollowDependencies, followLedger } from './follow-ledger.js'

const mostRounds = 32
const mostRoundsOfTenant = 4
/** Deliveries to one webhook before others have their turn. */
const mostOfRound = 50
const hangUpAfterMs = 1_000

export interface DeliveryWorkerDependencies extends AttemptDependencies, FollowDependencies {
  leader: { isLeader(): boolean }
  /** Ends every exchange that is under way. */
  hangUp: () => void
  metrics: Pick<Metrics, 'eventDeliveries' | 'eventBacklog' | 'eventBacklogAge'>
}

export interface DeliveryWorker {
  /**
   * Follows the ledger and begins what is due; does not wait for receivers. The leader calls it often. Throws
   * StoreUnavailable.
   */
  turn(): Promise<void>
  /** Says how much waits; an instance that does not lead says nothing. Throws StoreUnavailable. */
  measure(): Promise<void>
  /** Begins nothing more, and gives what is under way a second. Resolves when it is over. */
  end(): Promise<void>
}

/** A delivery worker; nothing happens until it is called. */
export function createDeliveryWorker(deps: DeliveryWorkerDependencies): DeliveryWorker {
  const { store, metrics, now, onError } = deps
  /** Rounds under way, by webhook, with their tenant. */
  const rounds = new Map<string, { tenantId: string; done: Promise<void> }>()
  let ended = false

  const mayGoOn = () => !ended && deps.leader.isLeader()

  async function round(webhookId: string): Promise<void> {
    for (let delivered = 0; delivered < mostOfRound && mayGoOn(); delivered += 1) {
      const [webhook] = await readWebhooks(store.reader, { id: webhookId, enabled: true })
      const [delivery] = await listDeliveries(store.reader, { webhookId, due: now() })
      if (webhook === undefined || delivery === undefined) return
      const outcome = await attemptDelivery(deps, webhook, delivery)
      if (outcome !== undefined) metrics.eventDeliveries.inc({ outcome })
      // A receiver that fails is left alone for a moment.
      if (outcome !== 'delivered') return
    }
  }

  function begin({ id, tenant_id }: { id: string; tenant_id: string }): void {
    const ofTenant = [...rounds.values()].filter(({ tenantId }) => tenantId === tenant_id).length
    if (rounds.size >= mostRounds || ofTenant >= mostRoundsOfTenant) return
    const done = round(id)
      .catch(onError)
      .finally(() => rounds.delete(id))
    rounds.set(id, { tenantId: tenant_id, done })
  }

  return {
    async turn() {
      if (!mayGoOn()) return
      await followLedger(deps)
      const busy = [...rounds.keys()]
      const due = await listDueWebhooks(store.reader, { nowMs: now(), busy, limit: 500 })
      if (mayGoOn()) for (const webhook of due) begin(webhook)
    },
    async measure() {
      metrics.eventBacklog.reset()
      metrics.eventBacklogAge.reset()
      if (!mayGoOn()) return
      const { waiting, oldest } = await readBacklog(store.reader)
      metrics.eventBacklog.set(waiting)
      metrics.eventBacklogAge.set(oldest === undefined ? 0 : Math.max(0, now() - oldest) / 1000)
    },
    async end() {
      ended = true
      const timer = setTimeout(deps.hangUp, hangUpAfterMs)
      await Promise.all([...rounds.values()].map(({ done }) => done))
      clearTimeout(timer)
    },
  }
}
