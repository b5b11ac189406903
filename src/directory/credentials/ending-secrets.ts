// Secrets that end soon: counted for the metric, and said in the ledger once for each threshold, so that those who
// follow it (events, mail, the audit page) hear of it in time. The leader does this; two that lead for a moment say it
// once.

import { appendAudit } from '../../ledger/append-audit.js'
import type { Ledger, Origin } from '../../ledger/ledger.js'
import {
  type EndingSecret,
  listEndingSecrets,
  listSecretWarnings,
  noteSecretWarning,
} from '../../storage/sql/registrations/secret-warnings.js'
import type { Store } from '../../storage/sql/store.js'

const dayMs = 86_400_000
/** Days before the end at which it is said, ascending. */
const thresholds = [1, 7, 30] as const
/** What the metric counts. */
const windows = [7, 30] as const
/** More than that are told at the next time. */
const mostSecrets = 10_000

/**
 * Writes `secret.expiring` for every secret that has come under a threshold, and answers how many secrets end within
 * each window of days. Throws StoreUnavailable.
 */
export async function reportEndingSecrets(
  deps: Origin & { store: Pick<Store, 'reader' | 'transaction'>; ledger: Ledger; nowMs: number },
): Promise<ReadonlyMap<number, number>> {
  const { store, nowMs } = deps
  const untilMs = nowMs + Math.max(...thresholds) * dayMs
  const ending = await listEndingSecrets(store.reader, { nowMs, untilMs }, mostSecrets)
  const due = ending.flatMap((secret) => {
    const days = thresholdOf(secret, nowMs)
    return days === undefined ? [] : [{ secret, days }]
  })
  const said = await saidAlready(store, due)
  for (const one of due) if (!said.has(keyOf(one))) await say(deps, one)
  return new Map(windows.map((days) => [days, ending.filter(({ ends_at }) => ends_at <= nowMs + days * dayMs).length]))
}

interface Due {
  secret: EndingSecret
  days: number
}

/** The least threshold that it is under; none when it was made to live no longer than that. */
function thresholdOf({ starts_at, ends_at }: EndingSecret, nowMs: number): number | undefined {
  const days = thresholds.find((threshold) => ends_at <= nowMs + threshold * dayMs)
  return days !== undefined && ends_at - starts_at > days * dayMs ? days : undefined
}

async function saidAlready(store: Pick<Store, 'reader'>, due: readonly Due[]): Promise<ReadonlySet<string>> {
  const said = new Set<string>()
  for (let from = 0; from < due.length; from += 500) {
    const keyIds = due.slice(from, from + 500).map(({ secret }) => secret.key_id)
    for (const { key_id, days } of await listSecretWarnings(store.reader, keyIds)) said.add(`${key_id} ${days}`)
  }
  return said
}

/**
 * Once, even when another instance does it at the same time: the note and the row of the ledger are one transaction.
 */
async function say(deps: Parameters<typeof reportEndingSecrets>[0], { secret, days }: Due): Promise<void> {
  const { key_id, application_id, tenant_id, label, ends_at } = secret
  await deps.store.transaction(async (tx) => {
    if (!(await noteSecretWarning(tx, { key_id, days, at: deps.nowMs }))) return
    await appendAudit(deps, tx, {
      event: 'secret.expiring',
      applicationId: application_id,
      tenantId: tenant_id,
      details: { keyId: key_id, label, endsAt: ends_at, days },
    })
  }, 'first-lock')
}

function keyOf({ secret, days }: Due): string {
  return `${secret.key_id} ${days}`
}
