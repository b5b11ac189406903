// Who is at the other end of a connection: the socket's peer, or what a proxy says that the operator named. Without a
// configured proxy nothing that a client sends can change its address or pretend TLS.

import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { announcedAddress } from '../tls/proxy-protocol.js'

export interface ClientAddress {
  /** IPv4-mapped IPv6 is written as IPv4; `local` for a Unix socket. */
  address: string
  /** Whether the client spoke TLS, to us or to a trusted proxy. */
  secure: boolean
}

interface Peer {
  address: string
  encrypted: boolean
  trusted: boolean
  /**
   * What the connection's last X-Forwarded-For was, and what was made of it: balancers keep a connection for one
   * client.
   */
  forwarded: { header: string; address: string } | undefined
}

/** Addresses whose answer is remembered; bounded, because clients choose what stands in X-Forwarded-For. */
const most = 10_000

const peerOf = Symbol('portcullis.peer')
type KnownSocket = IncomingMessage['socket'] & { [peerOf]?: Peer; encrypted?: boolean }

/**
 * Whether an address lies in one of the CIDR blocks (a bare address is a block of one). Throws on an unreadable block.
 */
export function addressMatcher(blocks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const block of blocks) {
    const [network = '', prefix] = block.split('/')
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(network, family)
    else list.addSubnet(network, Number(prefix), family)
  }
  if (blocks.length === 0) return () => false
  // The list is searched through native objects, which costs more than all else that is done with an address.
  const known = new Map<string, boolean>()
  return (address) => {
    const before = known.get(address)
    if (before !== undefined) return before
    const family = isIP(address)
    const within = family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
    if (known.size >= most) known.clear()
    known.set(address, within)
    return within
  }
}

/**
 * Builds the reader of a request's address. The peer is looked up once per connection. From a trusted peer, which is
 * each where `trustsEveryPeer`, X-Forwarded-For counts from the right up to the first address that is not trusted, and
 * every X-Forwarded-Proto value must be https.
 */
export function clientAddressReader(
  trustedProxies: readonly string[],
  trustsEveryPeer = false,
): (request: IncomingMessage) => ClientAddress {
  const isTrusted = addressMatcher(trustedProxies)
  const isTrustedPeer = trustsEveryPeer ? () => true : isTrusted
  return (request) => {
    const peer = peerOfSocket(request.socket, isTrustedPeer)
    if (!peer.trusted) return { address: peer.address, secure: peer.encrypted }
    const proto = request.headers['x-forwarded-proto']
    return {
      address: forwardedFor(request, peer, isTrusted),
      secure:
        typeof proto === 'string' ? proto === 'https' || /^\s*https\s*(?:,\s*https\s*)*$/i.test(proto) : peer.encrypted,
    }
  }
}

function peerOfSocket(socket: KnownSocket, isTrusted: (address: string) => boolean): Peer {
  const known = socket[peerOf]
  if (known !== undefined) return known
  const announced = announcedAddress(socket)
  const address = announced ?? plainAddress(socket.remoteAddress ?? '')
  const peer = {
    address: address === '' ? 'local' : address,
    encrypted: socket.encrypted === true,
    // A balancer that announces addresses does not read what it passes on: fields in there are the client's own.
    trusted: announced === undefined && isTrusted(address),
    forwarded: undefined,
  }
  socket[peerOf] = peer
  return peer
}

function forwardedFor(request: IncomingMessage, peer: Peer, isTrusted: (address: string) => boolean): string {
  const header = request.headers['x-forwarded-for']
  if (typeof header !== 'string') return peer.address
  if (peer.forwarded?.header === header) return peer.forwarded.address
  const address = lastUntrusted(header, peer.address, isTrusted)
  peer.forwarded = { header, address }
  return address
}

function lastUntrusted(header: string, peer: string, isTrusted: (address: string) => boolean): string {
  // One entry, as a single balancer sends it: the usual case, without splitting.
  if (!header.includes(',')) return addressIn(header) ?? peer
  let address = peer
  for (const entry of header.split(',').reverse()) {
    const next = addressIn(entry)
    // An entry that is no address ends what can be believed.
    if (next === undefined) return address
    address = next
    if (!isTrusted(next)) return address
  }
  return address
}

/**
 * The address of an entry: `192.0.2.1`, `2001:db8::1`, and as balancers write them that add the client's port,
 * `192.0.2.1:51234`, `[2001:db8::1]:443`; also in brackets or quotes alone. The one spelling that sockets have.
 */
function addressIn(entry: string): string | undefined {
  const text = entry.trim().replace(/^"(.*)"$/, '$1')
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([^:]+):\d{1,5}$/.exec(text)?.[1] ?? text
  const address = plainAddress(bare)
  const family = isIP(address)
  if (family === 0) return undefined
  return family === 6 ? oneSpelling(address) : address
}

/** Of IPv6 without needless zeros, in lower case (RFC 5952); of IPv4 within it (RFC 4291 §2.5.5.2) the IPv4 address. */
function oneSpelling(address: string): string {
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short) ?? []
  if (high === undefined || low === undefined) return short
  const words = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return words.flatMap((word) => [word >> 8, word & 255]).join('.')
}

/** Drops the zone of an address and writes `::ffff:192.0.2.1` as `192.0.2.1`, so that one client has one name. */
export function plainAddress(address: string): string {
  const zone = address.indexOf('%')
  const bare = zone === -1 ? address : address.slice(0, zone)
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(bare) ? bare.slice(7) : bare
}
