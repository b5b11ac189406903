// All that this server answered lately, for those who look after it: out of the short history of all instances.

import type { Stretch } from '../../history/history.js'
import {
  type RequestCounts,
  requestsAltogether,
  requestsByRoute,
  requestsOverTime,
  totalsNamed,
} from '../../history/requests.js'
import { countDeadLetters } from '../../storage/sql/overview/event-overview.js'
import { StoreUnavailable } from '../../storage/sql/store.js'
import { readBacklog } from '../../storage/sql/webhooks/delivery-lists.js'
import type { ManagementDependencies } from '../dependencies.js'
import { stretchOf } from '../permissions/recent-usage.js'
import type { Overview } from './overview-schemas.js'

const mostRoutes = 20
const mostNames = 20

/** Of a stretch that ends now. It answers also while the Store does not. */
export async function serverOverview(
  deps: Pick<ManagementDependencies, 'history' | 'store' | 'certificateEndsAt'>,
  last: Stretch,
): Promise<Overview<'server'>> {
  const [recent, events, certificateEndsAt] = await Promise.all([
    deps.history.recent(last),
    eventsOf(deps),
    deps.certificateEndsAt(),
  ])
  const { totals, ...altogether } = requestsAltogether(recent)
  const named = (kind: Parameters<typeof totalsNamed>[1]) => totalsNamed(totals, kind).slice(0, mostNames)
  return {
    ...stretchOf(recent),
    ...countsOf(altogether),
    value: requestsOverTime(recent).map(({ at, ...counts }) => ({ at: time(at), ...countsOf(counts) })),
    routes: requestsByRoute(recent)
      .slice(0, mostRoutes)
      .map(({ routeId, ...counts }) => ({ route: routeId, ...countsOf(counts) })),
    refused: named('refused'),
    limited: named('limited'),
    signIns: named('signIn'),
    tokens: named('token'),
    certificateEndsAt: certificateEndsAt === undefined ? null : time(certificateEndsAt),
    events,
  }
}

async function eventsOf({ store }: Pick<ManagementDependencies, 'store'>): Promise<Overview<'server'>['events']> {
  try {
    const [{ waiting, oldest }, dead] = await Promise.all([readBacklog(store.reader), countDeadLetters(store.reader)])
    return {
      waiting,
      oldestAt: oldest === undefined ? null : time(Number(oldest)),
      deadLetters: dead.reduce((sum, { count }) => sum + count, 0),
      webhooks: dead.slice(0, mostNames).map(({ count, ...of }) => ({ ...of, deadLetters: count })),
    }
  } catch (error) {
    if (error instanceof StoreUnavailable) return null
    throw error
  }
}

function countsOf({ requests, clientErrors, serviceErrors, ownErrors, p50Ms, p95Ms }: RequestCounts) {
  return { requests, clientErrors, serviceErrors, ownErrors, p50Ms: rounded(p50Ms), p95Ms: rounded(p95Ms) }
}

/** To a tenth of a millisecond: more would look exact. */
function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms * 10) / 10
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}
