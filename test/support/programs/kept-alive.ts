// Clients that keep their connections to a running program, and what its operator listener says meanwhile.

import { setTimeout as pause } from 'node:timers/promises'
import { type RawConnection, rawConnection } from '../traffic/http-raw.js'
import type { Program } from './program.js'

/** A connection over TLS to the public port. */
export function open(program: Program): Promise<RawConnection> {
  return rawConnection({ port: Number(new URL(program.baseUrl).port), tls: { ca: program.ca() } })
}

/** The head of a request with this token; `more` are whole lines. */
export function head(program: Program, path: string, token: string, more = '', method = 'GET'): string {
  return `${method} ${path} HTTP/1.1\r\nHost: ${new URL(program.baseUrl).host}\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`
}

/** What /readyz says. */
export async function readiness(program: Program): Promise<{ ready: boolean; reasons: string[] }> {
  return (await (await fetch(`${program.operatorUrl}/readyz`)).json()) as { ready: boolean; reasons: string[] }
}

/**
 * Asks on one connection, 15 times a second, until an answer says `Connection: close`; calls `answered` for each, and
 * resolves when the connection is closed. Throws when an answer is missing or is not 200.
 */
export async function askUntilClosed(
  program: Program,
  connection: RawConnection,
  token: string,
  answered: () => void,
): Promise<void> {
  for (;;) {
    connection.send(head(program, '/api/v2/subscriptions', token))
    const answer = await connection.answer()
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`)
    answered()
    if (answer.headers.get('connection')?.[0] === 'close') {
      const unread = await connection.closed()
      if (unread !== '') throw new Error(`more than one answer: ${unread}`)
      return
    }
    await pause(66)
  }
}
