// What a request hears whose connection the target has closed.

import type { Socket } from 'node:net'
import { errors } from 'undici'

/** As undici says it: whether the connection was used before is read from it (upstream-errors.ts). */
export function lostConnection(socket: Socket): Error {
  const { localAddress, localPort, remoteAddress, remotePort, bytesWritten, bytesRead } = socket
  const info = { localAddress, localPort, remoteAddress, remotePort, bytesWritten, bytesRead }
  return new errors.SocketError('other side closed', info as ConstructorParameters<typeof errors.SocketError>[1])
}
