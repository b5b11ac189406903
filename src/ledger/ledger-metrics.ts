// The ledger and the activity log, counted for monitoring: numbers without anybody's name. Events are counted
// as they are written, so a transaction that is undone after that is counted too.

import type { Metrics } from '../observability/metrics.js'
import type { Activity, Ledger, LedgerEvent } from './ledger.js'

/** Counts rows, sign-ins, revocations by what and by whom, and grants that end by their reason. */
export function countedLedger(
  ledger: Ledger,
  metrics: Pick<Metrics, 'ledgerRows' | 'signIns' | 'grantsEnded' | 'revocations'>,
): Ledger {
  return {
    async append(tx, event) {
      await ledger.append(tx, event)
      metrics.ledgerRows.inc()
      if (event.event === 'user.signed-in') metrics.signIns.inc({ result: 'signed_in' })
      const kind = revokedBy(event)
      if (kind !== undefined) metrics.revocations.inc({ kind, by: event.actor.kind }, grantsOf(event))
      if (event.event === 'grant.ended') metrics.grantsEnded.inc({ reason: reasonOf(event) }, grantsOf(event))
    },
  }
}

/** What an event revokes, whichever way it came; undefined: nothing. */
function revokedBy({ event }: LedgerEvent): string | undefined {
  if (event === 'grant.ended') return 'grant'
  if (event === 'secret.ended') return 'credential'
  if (event === 'consent.withdrawn' || event === 'admin-consent.withdrawn') return 'consent'
  return /^(token|credential|grant|holder|application|user|tenant)\.revoked$/.exec(event)?.[1]
}

/** Counts sign-ins that failed or had to wait. */
export function countedActivity<Log extends Activity>(activity: Log, metrics: Pick<Metrics, 'signIns'>): Log {
  return {
    ...activity,
    note(event) {
      if (event.event === 'user.sign-in-failed') metrics.signIns.inc({ result: 'failed' })
      if (event.event === 'user.sign-in-delayed') metrics.signIns.inc({ result: 'delayed' })
      activity.note(event)
    },
  }
}

/** The stable ids that those who end grants give; anything else would make a new series each time. */
function reasonOf({ details }: LedgerEvent): string {
  const reason = details?.['reason']
  return typeof reason === 'string' && /^[a-z][a-z-]{0,39}$/.test(reason) ? reason : 'other'
}

function grantsOf({ details }: LedgerEvent): number {
  const grants = details?.['grants']
  return typeof grants === 'number' ? grants : 1
}
