// How much was called, from the management API: every day of a stretch, also those without a call.

import type { UsageAnswer } from '../../management/permissions/usage-schemas.js'
import type { PortalContext } from '../context.js'

export type UsageLine = UsageAnswer['value'][number]

export interface Usage {
  /** Of each day, the oldest first. */
  days: readonly UsageLine[]
  /** Of each route that was called, the most called first. */
  routes: readonly UsageLine[]
  /** Of each application that called, likewise; its id is the key. */
  applications: readonly UsageLine[]
}

const dayMs = 86_400_000
const none = { allowed: 0, refused: { permission: 0, limit: 0, token: 0 }, errors: { client: 0, server: 0 } }

/**
 * The last `days` days, today (`nowMs`) included; of one application, or of all that the current tenant has. Throws
 * ApiError.
 */
export async function readUsage(
  context: PortalContext,
  { applicationId, days, nowMs }: { applicationId?: string; days: number; nowMs: number },
): Promise<Usage> {
  const today = Math.floor(nowMs / dayMs)
  const range = Array.from({ length: days }, (_, index) => text(today - days + 1 + index))
  const query = new URLSearchParams({
    ...(applicationId === undefined ? {} : { applicationId }),
    from: range[0] ?? '',
    to: range.at(-1) ?? '',
  })
  const ask = async (by: 'day' | 'route' | 'application') =>
    (await context.api<UsageAnswer>('GET', `/usage?${query}&by=${by}`)).value
  const byDay = await ask('day')
  return {
    days: range.map((day) => byDay.find(({ key }) => key === day) ?? { key: day, ...none }),
    routes: (await ask('route')).sort(mostCalled),
    applications: (await ask('application')).sort(mostCalled),
  }
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

function text(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
