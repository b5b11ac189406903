// The last look before a connection to a target is used: names, links and mounts may lead to the server itself although
// the configuration does not say so.

import { lookup } from 'node:dns/promises'
import { readdirSync, type Stats, statSync } from 'node:fs'
import { isIP, type Socket } from 'node:net'
import { join } from 'node:path'
import { isInFolder, type OwnAddress, ownAddressAt, ownAddresses } from '../../config/read/own-addresses.js'
import type { Settings } from '../../config/settings/settings.js'

/** What a place is of the server; undefined: nothing of it. */
export interface OwnPlaces {
  /** Of the socket file of a target, before it is connected to. */
  ofFile(socketPath: string): string | undefined
  /** Of a connection over the network that stands. */
  ofConnection(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): Promise<string | undefined>
}

/** For the settings that an instance started with: where it listens does not change while it runs. */
export function ownPlaces(settings: Pick<Settings, 'server' | 'store' | 'redis' | 'data'>): OwnPlaces {
  const own = ownAddresses(settings)
  const { folder } = settings.data
  return {
    ofFile(socketPath) {
      const isOwn = isInFolder(socketPath, folder) || isSameFileAsOneIn(folder, socketPath)
      return isOwn ? 'a socket of the server itself' : undefined
    },
    async ofConnection({ remoteAddress: address, remotePort: port = 0 }) {
      if (address === undefined) return undefined
      const known = ownAddressAt(address, port, own)
      if (known !== undefined) return known
      // Only a target at the very port of the Store, Redis or a listener that is named gets here.
      for (const one of own) {
        if (one.port === port && isIP(one.host) === 0 && (await leadsTo(one, address))) return one.what
      }
      return undefined
    },
  }
}

/** A host that cannot be looked up leads nowhere. */
async function leadsTo({ host }: OwnAddress, address: string): Promise<boolean> {
  try {
    const all = await lookup(host, { all: true })
    return all.some((one) => one.address === address || `::ffff:${one.address}` === address)
  } catch {
    return false
  }
}

/** By a hard link or a mount it has another name. */
function isSameFileAsOneIn(folder: string, socketPath: string): boolean {
  const wanted = statOf(socketPath)
  if (wanted === undefined) return false
  return socketsIn(folder).some((name) => {
    const one = statOf(join(folder, name))
    return one !== undefined && one.ino === wanted.ino && one.dev === wanted.dev
  })
}

function socketsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.sock'))
  } catch {
    return []
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
