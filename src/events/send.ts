// The way out to receivers. Administrators of tenants name them, so this server goes to public addresses only, and
// those that its operator allows: over https with the certificate verified, nothing followed, nothing slow, and nothing
// read of an answer but its status. What is checked is what is connected to: the check is the look-up of the
// connection.

import { discardBody, exchange, type Outgoing } from '../egress/exchange.js'
import { AddressNotPublic, publicLookup } from '../egress/public-address.js'

/** Why nothing was delivered; stable ids that are shown to the webhook's owners. `secret`: it could not be signed. */
export type FailureReason = 'secret' | 'no_public_address' | 'timeout' | 'tls' | 'unreachable' | 'redirect' | 'status'

/** `status` 2xx and no reason: delivered. */
export interface Sent {
  status: number | null
  reason: FailureReason | null
}

export type Send = (message: {
  url: string
  /** Who chose the URL. */
  tenant: string
  headers: Record<string, string>
  body: string
}) => Promise<Sent>

const defaultTimeoutMs = 10_000
/** Of an answer's body; then the connection ends. */
const mostBodyBytes = 16_384

/**
 * Sends, and never throws. `allow`: names and addresses, in lower case, that need not be public; `ca`: PEM to trust
 * instead of the system's authorities; `timeoutMs`: of the whole exchange; `signal` ends all that is under way.
 */
export function createSend(options: {
  allow: readonly string[]
  ca: string | undefined
  timeoutMs?: number | undefined
  signal?: AbortSignal
}): Send {
  const allowed = new Set(options.allow)
  const { ca, timeoutMs = defaultTimeoutMs } = options
  return async ({ url, tenant, headers, body }) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal])
    try {
      const { protocol, hostname } = new URL(url)
      if (protocol !== 'https:') return { status: null, reason: 'unreachable' }
      const lookup = publicLookup(hostname, { allowed, tenant })
      const status = await post(url, { headers, body, lookup, signal, ca })
      return { status, reason: reasonOf(status) }
    } catch (error) {
      return { status: null, reason: signal.aborted ? 'timeout' : failureOf(error) }
    }
  }
}

function reasonOf(status: number): FailureReason | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

/** A name that leads nowhere and one that leads inside are the same: who asks learns nothing about the network here. */
function failureOf(error: unknown): FailureReason {
  const { code = '' } = error as { code?: string }
  if (error instanceof AddressNotPublic || code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no_public_address'
  return /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|UNABLE_|SELF_SIGNED|EPROTO|HOSTNAME)/.test(code) ? 'tls' : 'unreachable'
}

async function post(
  url: string,
  message: Pick<Outgoing, 'lookup' | 'signal' | 'ca'> & { headers: Record<string, string>; body: string },
): Promise<number> {
  const headers = { ...message.headers, 'user-agent': 'Portcullis-Webhooks' }
  const response = await exchange(url, { ...message, method: 'POST', headers })
  discardBody(response, mostBodyBytes)
  return response.statusCode ?? 0
}
