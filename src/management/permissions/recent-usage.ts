// Calls of the last hour and of the last day, out of the short history of all instances.

import { type CallCounts, callsBy, callsOverTime } from '../../history/calls.js'
import type { Recent, Stretch } from '../../history/history.js'
import { ApiError } from '../../http/answers/api-error.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type AboutCalls, namedLine } from './usage-line.js'
import type { UsageAnswer, UsageQuery } from './usage-schemas.js'

type Line = UsageAnswer['value'][number]

/** Lines of one answer, the most called first. */
const mostLines = 1_000

/** Those that are meant, grouped as the query says. Throws ApiError and StoreUnavailable. */
export async function recentUsage(
  deps: Pick<ManagementDependencies, 'history' | 'directory'>,
  about: AboutCalls,
  query: UsageQuery & { last: Stretch },
): Promise<UsageAnswer> {
  const { by = 'time', last } = query
  if (by === 'day') throw new ApiError(400, 'InvalidRequest', `by=day does not go with last=${last}.`, { target: 'by' })
  if (query.from !== undefined || query.to !== undefined) {
    throw new ApiError(400, 'InvalidRequest', 'Say last, or from and to.', { target: 'last' })
  }
  const recent = await deps.history.recent(last)
  return {
    applicationId: about.applicationId ?? null,
    tenantId: about.tenantId ?? null,
    ...stretchOf(recent),
    by,
    value: await recentLines(deps, recent, about, by),
  }
}

/** When it began and ends, how long a slot is, and whether it is all. Times are RFC 3339. */
export function stretchOf({ slots, slotSeconds, complete }: Recent) {
  const first = slots[0]?.at ?? 0
  const end = (slots.at(-1)?.at ?? 0) + slotSeconds * 1000
  return { from: new Date(first).toISOString(), to: new Date(end).toISOString(), slotSeconds, complete }
}

/** The lines; those of time with every slot, the oldest first, all others the most called first. */
export async function recentLines(
  deps: Pick<ManagementDependencies, 'directory'>,
  recent: Recent,
  { applicationId, tenantId, route }: AboutCalls,
  by: 'time' | 'route' | 'application' | 'route,application',
): Promise<Line[]> {
  const filter = { applicationId, tenantId, routeId: route }
  if (by === 'time') {
    return callsOverTime(recent, filter).map(({ at, ...counts }) => ({
      key: new Date(at).toISOString(),
      ...countsOf(counts),
    }))
  }
  const lines = callsBy(recent, filter, { route: by !== 'application', application: by !== 'route' })
  return Promise.all(
    lines.slice(0, mostLines).map((line) =>
      namedLine(deps, {
        key: line.routeId ?? line.applicationId ?? '',
        applicationId: line.applicationId,
        ...countsOf(line),
      }),
    ),
  )
}

function countsOf(counts: CallCounts): Pick<Line, 'allowed' | 'refused' | 'errors'> {
  return {
    allowed: counts.allowed,
    refused: { permission: counts.notPermitted, limit: counts.limited, token: counts.tokenRefused },
    errors: { client: counts.clientErrors, server: counts.serverErrors },
  }
}
