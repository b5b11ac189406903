// How long a session lives, and how it is named where nothing can be done with the name.

import type { Settings } from '../../config/settings/settings.js'
import type { Session } from '../records.js'
import { providerOfWay } from './provider-way.js'

/**
 * Whether it has not come to its end, was used lately enough, and came by a way that there still is: the sessions of a
 * provider end when it is taken out of the configuration (decision 55).
 */
export function isAlive(
  { expiresAt, lastSeenAt, way }: Session,
  nowMs: number,
  { sessionIdleMs, providers }: Pick<Settings['signIn'], 'sessionIdleMs' | 'providers'>,
): boolean {
  const provider = providerOfWay(way)
  if (provider !== undefined && !providers.has(provider)) return false
  return nowMs < expiresAt && nowMs < lastSeenAt + sessionIdleMs
}

/** Enough to tell sessions apart in the ledger; nothing can be done with it. */
export function labelOf(idHash: string): string {
  return idHash.slice(0, 12)
}
