// The keys of session tickets (RFC 8446 §4.6.1), the same in every worker and instance with one master key, so that a
// client goes on with its session wherever its next connection lands. Decision 140 says why they are derived, and for
// whom.

import { createHash, hkdfSync } from 'node:crypto'

/** What a key is for, in milliseconds. A ticket is taken for this long and the period after. */
export const ticketPeriodMs = 12 * 3_600_000
/** How long a session can be resumed, in seconds. */
export const sessionSeconds = 3_600
const nameBytes = 16

export interface TicketKeys {
  /**
   * 48 bytes for node:tls: of the period in which `now` lies (epoch ms), or of one that is `periods` later, for sessions
   * of this certificate, by its names; empty for the server's own.
   */
  at(now: number, periods?: number, certificate?: string): Buffer
  /** Sessions of another base URL are none of ours. 32 characters. */
  context: string
}

/** `secret`: derived from the master key for this purpose alone. */
export function createTicketKeys(secret: Uint8Array, baseUrl: string): TicketKeys {
  return {
    at(now, periods = 0, certificate = '') {
      const period = Math.floor(now / ticketPeriodMs) + periods
      // A certificate may have more names than HKDF takes.
      const use = createHash('sha256').update(`${period} ${baseUrl} ${certificate}`).digest()
      return Buffer.from(hkdfSync('sha256', secret, new Uint8Array(0), use, 48))
    },
    context: createHash('sha256').update(baseUrl).digest('hex').slice(0, 32),
  }
}

/** Whether this key made the ticket, by the name that both begin with. */
export function hasMade(key: Buffer, ticket: Buffer): boolean {
  return ticket.subarray(0, nameBytes).equals(key.subarray(0, nameBytes))
}
