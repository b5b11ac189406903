// Calls by day, out of what the Store adds up.

import { ApiError } from '../../http/answers/api-error.js'
import { sumRouteUsage } from '../../storage/sql/usage/usage-reads.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type AboutCalls, namedLine } from './usage-line.js'
import type { UsageAnswer, UsageQuery } from './usage-schemas.js'

const dayMs = 86_400_000
const defaultDays = 30
/** More than there are days that are kept, or routes that anybody configures. */
const mostLines = 10_000

const columns = {
  day: 'day',
  route: 'route',
  application: 'application_id',
  'route,application': ['route', 'application_id'],
} as const

/** Those that are meant, grouped as the query says. Throws ApiError and StoreUnavailable. */
export async function dailyUsage(
  deps: Pick<ManagementDependencies, 'store' | 'writes' | 'directory'>,
  about: AboutCalls,
  query: UsageQuery,
): Promise<UsageAnswer> {
  const { by = 'day' } = query
  if (by === 'time') throw new ApiError(400, 'InvalidRequest', 'by=time needs last=1h or last=24h.', { target: 'by' })
  const today = Math.floor(deps.writes.now() / dayMs)
  const to = dayOf(query.to, 'to') ?? today
  const from = dayOf(query.from, 'from') ?? to - defaultDays + 1
  if (from > to) throw new ApiError(400, 'InvalidRequest', 'from must not be after to.', { target: 'from' })
  const rows = await sumRouteUsage(deps.store.reader, { ...about, from, to }, columns[by], mostLines)
  const lines = rows.map(({ key, ...counts }) => {
    const [first = '', second] = key.split('\n')
    const applicationId = by === 'application' ? first : second
    return namedLine(deps, {
      key: by === 'day' ? dayText(Number(first)) : first,
      applicationId,
      allowed: counts.allowed,
      refused: { permission: counts.not_permitted, limit: counts.limited, token: counts.token_refused },
      errors: { client: counts.client_errors, server: counts.server_errors },
    })
  })
  return {
    applicationId: about.applicationId ?? null,
    tenantId: about.tenantId ?? null,
    from: dayText(from),
    to: dayText(to),
    by,
    value: await Promise.all(lines),
  }
}

function dayOf(text: string | undefined, target: string): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(`${text}T00:00:00Z`)
  if (Number.isNaN(ms) || dayText(ms / dayMs) !== text) {
    throw new ApiError(400, 'InvalidRequest', 'A day is such as 2026-01-31.', { target })
  }
  return ms / dayMs
}

function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
