// Whether a request that a target did not serve is sent again, and where. What a target may have read goes nowhere
// else, unless it is a GET or HEAD; with a single target only what was not answered at all is tried once more.

import type { TokenPrincipal } from '../../access/principal.js'
import type { RetryReason } from '../../config/settings/upstream-settings.js'
import type { Target } from '../upstreams/target.js'
import type { Upstream } from '../upstreams/upstream.js'

export interface SentRequest {
  upstream: Upstream
  target: Target
  method: string
  /** How often it was sent again before. */
  retries: number
  principal: TokenPrincipal | undefined
  address: string
}

/** The target that gets it next; undefined when it is not sent again. It is paid from the budget, and counted. */
export function nextTarget(sent: SentRequest, reason: RetryReason | undefined): Target | undefined {
  const { upstream, target, method, principal, address } = sent
  const { retries } = upstream
  if (retries === undefined || reason === undefined || sent.retries >= retries.attempts) return undefined
  if (reason !== 'connect' && method !== 'GET' && method !== 'HEAD') return undefined
  const other = upstream.another(target, principal, address)
  if (other === undefined && reason !== 'connect' && reason !== 'reset') return undefined
  if (!retries.take(reason)) return undefined
  upstream.sentAgain(reason)
  return other ?? target
}
