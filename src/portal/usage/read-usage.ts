// How much was called, from the management API: every day or slot of a stretch, also those without a call.

import type { UsageAnswer } from '../../management/permissions/usage-schemas.js'
import type { PortalContext } from '../context.js'
import type { Stretch } from './stretch.js'

export type UsageLine = UsageAnswer['value'][number]

export interface Usage {
  /** Of each day or slot, the oldest first. */
  times: readonly UsageLine[]
  /** Of each route that was called, the most called first. */
  routes: readonly UsageLine[]
  /** Of each application that called, likewise; its id is the key. */
  applications: readonly UsageLine[]
  /** Of each route and application that called it, likewise; the route is the key. */
  pairs: readonly UsageLine[]
  /** False: some instances could not be read. */
  complete: boolean
}

/** Which calls are meant. */
export interface UsageQuestion {
  applicationId?: string
  /** An id of a route. */
  route?: string | undefined
  stretch: Pick<Stretch, 'of'>
  nowMs: number
}

const dayMs = 86_400_000
const none = { allowed: 0, refused: { permission: 0, limit: 0, token: 0 }, errors: { client: 0, server: 0 } }

/** Until now (`nowMs`), today included; of one application, or of all in the current tenant. Throws ApiError. */
export async function readUsage(context: PortalContext, question: UsageQuestion): Promise<Usage> {
  const { applicationId, route, stretch, nowMs } = question
  const about = { ...(applicationId && { applicationId }), ...(route && { route }) }
  const days = 'days' in stretch.of ? daysUntil(nowMs, stretch.of.days) : undefined
  const when = 'last' in stretch.of ? stretch.of : { from: days?.[0] ?? '', to: days?.at(-1) ?? '' }
  const query = new URLSearchParams({ ...about, ...when })
  const ask = (by: UsageAnswer['by']) => context.api<UsageAnswer>('GET', `/usage?${query}&by=${by}`)
  const [byTime, byRoute, byApplication, byBoth] = await Promise.all([
    ask(days === undefined ? 'time' : 'day'),
    ask('route'),
    ask('application'),
    ask('route,application'),
  ])
  const times = days?.map((day) => byTime.value.find(({ key }) => key === day) ?? { key: day, ...none })
  return {
    times: times ?? byTime.value,
    routes: byRoute.value.sort(mostCalled),
    applications: byApplication.value.sort(mostCalled),
    pairs: byBoth.value.sort(mostCalled),
    complete: byTime.complete !== false,
  }
}

function daysUntil(nowMs: number, days: number): string[] {
  const today = Math.floor(nowMs / dayMs)
  return Array.from({ length: days }, (_, index) => dayText(today - days + 1 + index))
}

function mostCalled(a: UsageLine, b: UsageLine): number {
  return callsOf(b) - callsOf(a)
}

/** All calls of a line, allowed or not. */
export function callsOf(line: UsageLine): number {
  return line.allowed + refusedOf(line)
}

/** Those that were refused, for whatever reason. */
export function refusedOf({ refused }: UsageLine): number {
  return refused.permission + refused.limit + refused.token
}

function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
