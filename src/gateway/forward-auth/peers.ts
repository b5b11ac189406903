// Who may ask. A peer that reaches this listener is believed about other people's requests, so a connection from
// elsewhere ends before a byte of it is read.

import type { Server, Socket } from 'node:net'
import { addressMatcher, plainAddress } from '../../http/requests/client-address.js'

/** `proxies` are addresses and CIDR blocks. A Unix socket's peers have passed the rights of its file. */
export function refuseOtherPeers(server: Server, proxies: readonly string[]): void {
  const isProxy = addressMatcher(proxies)
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress !== undefined && !isProxy(plainAddress(remoteAddress))) socket.destroy()
  })
}
