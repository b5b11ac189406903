// One small document over HTTPS: certificates always verified, nothing followed, nothing unbounded.

import type { LookupFunction } from 'node:net'
import { readText } from '../../egress/answer-body.js'
import { exchange } from '../../egress/exchange.js'
import { operatorLookup } from '../../egress/operator-names.js'

const timeoutMs = 5_000
const longestBytes = 65_536

/**
 * The text at `url`. `ca`: PEM of the authorities to trust instead of the system's. Plain http only on loopback.
 * `lookup` decides which addresses its name may have (egress/public-address.ts), for a URL that is not the operator's.
 * Throws Error for anything but a 200 of at most 64 KiB within five seconds.
 */
export async function fetchDocument(
  url: string,
  ca?: string,
  lookup: LookupFunction = operatorLookup,
): Promise<string> {
  const response = await exchange(url, {
    method: 'GET',
    headers: { accept: 'application/json' },
    lookup,
    ca,
    signal: AbortSignal.timeout(timeoutMs),
    plainOnLoopback: true,
  })
  if (response.statusCode !== 200) {
    response.destroy()
    throw new Error(`${new URL(url).origin} answered ${response.statusCode}`)
  }
  return readText(response, longestBytes)
}
