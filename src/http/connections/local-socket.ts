// The local socket `data/admin.sock`: the transport of the command line. Who may open the file may do everything, so
// the file is 0600 and its folder should be 0700. A socket file that a dead process left behind is replaced; a living
// server is not.

import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { socketAddress } from './socket-address.js'

/** Another process answers on the socket: a server runs on this data folder. */
export class LocalSocketInUse extends Error {
  readonly code = 'local_socket_in_use'
}

/** Whether a server answers on the socket file; false also when there is no such file. */
export async function isLocalSocketAlive(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketAddress(file))
    const answer = (alive: boolean) => {
      socket.destroy()
      resolve(alive)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })
}

/**
 * Removes what a dead process left. Throws LocalSocketInUse when a server runs there, and Error when the file is none
 * of ours.
 */
export async function clearLocalSocket(file: string): Promise<void> {
  const facts = lstatSync(file, { throwIfNoEntry: false })
  if (facts === undefined) return
  if (!facts.isSocket()) throw new Error(`not a socket, so it is left alone: ${file}`)
  if (await isLocalSocketAlive(file)) {
    const advice = 'Stop it, or set data.folder (PORTCULLIS_DATA) to another folder: each server has one of its own'
    throw new LocalSocketInUse(`a server is running on ${file} already. ${advice}`)
  }
  unlinkSync(file)
}

/**
 * Listens on `file` with mode 0600, or a wider one. For this process alone, after clearLocalSocket and with what it
 * throws; or together with the other workers of a primary, which cleared the file and whose umask becomes its mode.
 */
export async function listenOnLocalSocket(
  app: FastifyInstance,
  file: string,
  whose: 'alone' | 'workers' = 'alone',
  mode = 0o600,
): Promise<void> {
  if (whose === 'alone') await clearLocalSocket(file)
  // The file is born with the umask's mode: without this there would be a moment in which others could open it.
  const mask = process.umask(0o077)
  try {
    await app.listen({ path: socketAddress(file), exclusive: whose === 'alone' })
  } finally {
    process.umask(mask)
  }
  chmodSync(file, mode)
}
