// The opening handshake of a WebSocket (RFC 6455 §4), looked at from between its two sides: what a client must have
// said before the target is called, and what a target must have answered before the client is told so.

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { announcesBody } from '../../http/answers/answer-raw.js'
import { ApiError } from '../../http/answers/api-error.js'
import { type Refusal, refusal } from '../errors.js'

/** What is read of a request that asks for another protocol. */
export type HandshakeHead = Pick<IncomingMessage, 'method' | 'headers'> & { httpVersionMinor?: number }

/** §4.2.2 step 5.4. */
const acceptGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
/** 16 bytes in base64; of the last digit only two bits count. */
const keyForm = /^[A-Za-z0-9+/]{21}[AQgw]==$/

/** The refusal of a request that asks for another protocol, or undefined. `stream`: whether its route takes any. */
export function checkHandshake(
  { method, headers, httpVersionMinor }: HandshakeHead,
  stream: boolean,
): Refusal | undefined {
  if (!stream || headers.upgrade?.toLowerCase() !== 'websocket') return refusal('upgrade_refused')
  if (headers['sec-websocket-version'] !== '13') return wrongVersion()
  const isSound = method === 'GET' && httpVersionMinor === 1 && keyForm.test(headers['sec-websocket-key'] ?? '')
  // Fields that Connection names are for us alone: the target would get half a handshake, and its answer would look
  // wrong.
  const isWhole = !/(?:^|,)\s*sec-websocket-/i.test(headers.connection ?? '')
  return isSound && isWhole && !announcesBody({ headers }) ? undefined : refusal('bad_handshake')
}

/**
 * Whether the target's 101 is for this very request (§4.1, of a client's duties): `raw` is name, value, name, value ….
 */
export function isAccepted(request: Pick<IncomingMessage, 'headers'>, raw: readonly (Buffer | string)[]): boolean {
  const expected = createHash('sha1').update(`${request.headers['sec-websocket-key']}${acceptGuid}`).digest('base64')
  return fieldOf(raw, 'upgrade').toLowerCase() === 'websocket' && fieldOf(raw, 'sec-websocket-accept') === expected
}

/** All values of a field, joined: one that came twice is none that is expected. */
function fieldOf(raw: readonly (Buffer | string)[], name: string): string {
  const values: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    if (String(raw[i]).toLowerCase() === name) values.push(String(raw[i + 1]).trim())
  }
  return values.join(', ')
}

/** §4.2.2 step 4, RFC 9110 §15.5.22. */
function wrongVersion(): Refusal {
  const headers = { 'sec-websocket-version': '13', upgrade: 'websocket', connection: 'Upgrade, close' }
  const error = new ApiError(426, 'UpgradeRequired', 'Version 13 of WebSocket is spoken here.', { headers })
  return { kind: 'refused', reason: 'websocket_version', error }
}
