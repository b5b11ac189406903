// How many device codes wait that the caller requested: each is a row, and a public client's can be requested by
// anybody. Counted by network, so that nobody fills the Store and no code of somebody else gives way; a client that
// proves itself is counted by itself.

import { addressGroup, addressNetwork } from '../../limits/address-group.js'
import type { Bucket } from '../../storage/counters/counters.js'
import type { IdentityDependencies } from '../dependencies.js'
import { throttled } from '../limits.js'

/** In the time that a code lives. */
const periodMs = 15 * 60_000
/** An IPv6 network (/48) has many addresses: four times what one has. */
const most = { address: 600, network: 2_400, application: 10_000 } as const

/** Counts one code. Throws OAuthError 429 when as many wait as may. */
export async function countCode(
  deps: Pick<IdentityDependencies, 'counters' | 'monotonic'>,
  client: { isProved: boolean; applicationId: string },
  address: string,
): Promise<void> {
  const states = await deps.counters.take(bucketsOf(client, address), deps.monotonic())
  // A count that is shared with others, for want of room, says nothing of the caller here.
  const full = states.filter(({ allowed, shared }) => !allowed && shared !== true)
  if (full.length === 0) return
  const waitMs = Math.max(...full.map(({ retryAfterMs }) => retryAfterMs))
  throw throttled(Math.max(1, Math.ceil(Math.min(waitMs, periodMs) / 1000)))
}

function bucketsOf(
  { isProved, applicationId }: { isProved: boolean; applicationId: string },
  address: string,
): Bucket[] {
  if (isProved) return [bucket('application', applicationId)]
  const network = addressNetwork(address)
  const own = bucket('address', addressGroup(address))
  return network === undefined ? [own] : [own, bucket('network', network)]
}

function bucket(of: keyof typeof most, subject: string): Bucket {
  const algorithm = { kind: 'quota', limit: most[of], periodMs } as const
  return { key: `device-code-${of};s${subject.length}:${subject}`, algorithm, cost: 1, mode: 'local' }
}
