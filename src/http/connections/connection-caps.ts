// How many connections a listener has, in all and of one client: counted before TLS, so that a refused client costs
// next to nothing. Where a cap is reached, the connection that has been idle longest makes room; where none is idle,
// the new one ends.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Metrics } from '../../observability/metrics.js'
import { plainAddress } from '../requests/client-address.js'

export interface ConnectionRules {
  /** Connections at once, of this process. */
  most: number
  /**
   * Whom an address stands for, each with how many connections it may have; the narrowest first. None: as many as there
   * are.
   */
  groupsOf(address: string): readonly { kind: 'address' | 'network'; name: string; most: number }[]
  /** Counts a new connection of an address; false when too many began lately. */
  mayBegin(address: string): boolean
}

export interface ConnectionCaps {
  /**
   * Says whose connection a balancer has announced. False: there is no room for another one of that client, and it has
   * ended.
   */
  announced(socket: Socket, address: string): boolean
}

interface Connection {
  socket: Socket
  /** What answers are written to: the socket, or the one that encrypts it. */
  answering: Socket
  groups: Set<Connection>[]
  /** Bytes that had come when it was last looked at. */
  seenBytes: number
}

/** Connections that are looked at for one that is idle. */
const mostLooks = 512

/**
 * Counts the connections of `server`; call it before the server listens. `isBalancer`: addresses that stand for many
 * clients.
 */
export function capConnections(
  server: Server,
  rules: ConnectionRules,
  { isBalancer, metrics }: { isBalancer: (address: string) => boolean; metrics: Metrics | undefined },
): ConnectionCaps {
  // An increase from nothing to 1 is none to Prometheus.
  for (const reason of ['address', 'network', 'all', 'rate']) {
    metrics?.connectionsEnded.inc({ reason, outcome: 'refused' }, 0)
    if (reason !== 'rate') metrics?.connectionsEnded.inc({ reason, outcome: 'idle' }, 0)
  }
  const all = new Set<Connection>()
  const groups = new Map<string, Set<Connection>>()
  const byPeer = new Map<string, Connection>()
  const refuse = ({ socket }: Connection, reason: 'address' | 'network' | 'all' | 'rate') => {
    metrics?.connectionsEnded.inc({ reason, outcome: 'refused' })
    socket.destroy()
    return false
  }
  const hasRoom = (within: Set<Connection>, most: number, reason: 'address' | 'network' | 'all') => {
    if (within.size < most) return true
    if (!endIdle(within)) return false
    metrics?.connectionsEnded.inc({ reason, outcome: 'idle' })
    return true
  }
  const isOf = (connection: Connection, address: string): boolean => {
    if (!rules.mayBegin(address)) return refuse(connection, 'rate')
    for (const { kind, name, most } of rules.groupsOf(address)) {
      const group = groups.get(name) ?? new Set()
      if (!hasRoom(group, most, kind)) return refuse(connection, kind)
      groups.set(name, group.add(connection))
      connection.groups.push(group)
      connection.socket.once('close', () => {
        group.delete(connection)
        if (group.size === 0 && groups.get(name) === group) groups.delete(name)
      })
    }
    return true
  }
  server.prependListener('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    const connection: Connection = { socket, answering: socket, groups: [], seenBytes: 0 }
    if (!hasRoom(all, rules.most, 'all')) return void refuse(connection, 'all')
    const peer = peerOf(socket)
    all.add(connection)
    byPeer.set(peer, connection)
    metrics?.connectionsOpen.set(all.size)
    socket.once('close', () => {
      all.delete(connection)
      byPeer.delete(peer)
      metrics?.connectionsOpen.set(all.size)
    })
    if (address !== '' && !isBalancer(address)) isOf(connection, address)
  })
  server.on('secureConnection', (socket: Socket) => {
    const connection = byPeer.get(peerOf(socket))
    if (connection !== undefined) connection.answering = socket
  })
  return {
    announced(socket, address) {
      const connection = byPeer.get(peerOf(socket))
      return connection === undefined || isBalancer(address) || isOf(connection, address)
    },
  }
}

/** A socket that encrypts another has no other trace of it that is not private to Node. */
function peerOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`
}

/**
 * Ends the connection that has been silent longest; those that are busy, or were lately, are checked again after all
 * others.
 */
function endIdle(connections: Set<Connection>): boolean {
  let looks = 0
  for (const connection of connections) {
    looks += 1
    if (looks > mostLooks) return false
    connections.delete(connection)
    const { socket, answering } = connection
    const owes = (answering as Socket & { _httpMessage?: unknown })._httpMessage != null
    if (!owes && connection.seenBytes === socket.bytesRead) {
      for (const group of connection.groups) group.delete(connection)
      socket.destroy()
      return true
    }
    connection.seenBytes = socket.bytesRead
    connections.add(connection)
  }
  return false
}
