// A name server that never answers, for one program: its own view of the file that says where names are looked up.

import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from './test.js'

const script = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'
const port = 53

/**
 * The command line that runs `words` so. Where the system has no such views, or the port is not to be had, `words` as
 * they are.
 */
export async function withSilentNames(t: Test, folder: string, words: readonly string[]): Promise<readonly string[]> {
  const file = join(folder, 'resolv.conf')
  // An address of our own in the loopback network: others may run beside us.
  const address = `127.${100 + (process.pid % 100)}.${(process.pid >> 8) % 250}.7`
  writeFileSync(file, `nameserver ${address}\noptions timeout:5 attempts:2\n`)
  const view = ['unshare', '-rm', 'sh', '-c', script, file]
  const [program = '', ...options] = view
  if (spawnSync(program, [...options, 'true'], { stdio: 'ignore' }).status !== 0) return words
  const listens = await silentServer(t, address)
  return listens ? [...view, ...words] : words
}

function silentServer(t: Test, address: string): Promise<boolean> {
  const socket = createSocket('udp4')
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false))
    socket.bind(port, address, () => {
      t.teardown(() => socket.close())
      resolve(true)
    })
  })
}
