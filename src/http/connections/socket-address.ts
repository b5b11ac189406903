// Unix socket addresses are short: 103 bytes are what every system takes. A data folder may lie deep, so the address is
// the file's path from the working directory when that is the shorter one.

import { relative } from 'node:path'

const longest = 103

/** How to name the socket file to listen or connect. Throws when no name of it is short enough. */
export function socketAddress(file: string): string {
  const near = relative(process.cwd(), file)
  const address = near !== '' && Buffer.byteLength(near) < Buffer.byteLength(file) ? near : file
  if (Buffer.byteLength(address) > longest) throw new Error(`the path of the local socket is too long: ${file}`)
  return address
}
