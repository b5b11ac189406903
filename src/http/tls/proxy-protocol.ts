// The PROXY protocol (HAProxy's specification, versions 1 and 2): a balancer that passes connections on without reading
// them says first, in a line or a few bytes, whose connection it is. Believed only from balancers that the operator
// named; from these a connection without it is refused, because its address would be the balancer's.

import { isIP, type Socket } from 'node:net'

export type ProxyHeader =
  /** Not whole yet. */
  | { kind: 'unfinished' }
  /** No header, or a broken one. */
  | { kind: 'wrong' }
  /**
   * `bytes` of the connection are the header. Without an address it is the balancer's own, such as a health check, or
   * unknown.
   */
  | { kind: 'header'; bytes: number; address: string | undefined }

const signature = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a])
/** Version 1 has no longer line. */
const longestLine = 107
/** Addresses and whatever else may follow them; far more than balancers send. */
const longestBlock = 4_096
/** IPv4 within IPv6 (RFC 4291 §2.5.5.2). */
const mapped = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff])

/** By the balancer's own address and port. */
const announced = new Map<string, string>()

/** The address that a balancer announced for this connection. */
export function announcedAddress(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): string | undefined {
  // A socket that encrypts another has no other trace of it that is not private to Node.
  return announced.size === 0 ? undefined : announced.get(peerOf(socket))
}

/** Remembers it as long as the connection lives. */
export function announceAddress(socket: Socket, address: string): void {
  const peer = peerOf(socket)
  announced.set(peer, address)
  socket.once('close', () => announced.delete(peer))
}

function peerOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`
}

/** Reads the header at the beginning of a connection's first bytes. Throws nothing. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (bytes.length === 0) return { kind: 'unfinished' }
  return bytes[0] === signature[0] ? readBinary(bytes) : readLine(bytes)
}

function readLine(bytes: Buffer): ProxyHeader {
  const text = bytes.toString('latin1', 0, longestLine)
  const end = text.indexOf('\r\n')
  if (end === -1) {
    const begins = 'PROXY '.startsWith(text.slice(0, 6))
    return { kind: begins && text.length < longestLine ? 'unfinished' : 'wrong' }
  }
  const line = text.slice(0, end)
  if (line === 'PROXY UNKNOWN' || line.startsWith('PROXY UNKNOWN ')) return header(end + 2, undefined)
  const read =
    /^PROXY (?:TCP4 ([\d.]{7,15}) [\d.]{7,15}|TCP6 ([\da-fA-F:.]{2,45}) [\da-fA-F:.]{2,45}) \d{1,5} \d{1,5}$/.exec(line)
  const address = read?.[1] ?? read?.[2]
  return address === undefined || isIP(address) === 0 ? { kind: 'wrong' } : header(end + 2, oneSpelling(address))
}

function readBinary(bytes: Buffer): ProxyHeader {
  const known = Math.min(bytes.length, signature.length)
  if (!bytes.subarray(0, known).equals(signature.subarray(0, known))) return { kind: 'wrong' }
  if (bytes.length < 16) return { kind: 'unfinished' }
  const command = bytes.readUInt8(12)
  const family = bytes.readUInt8(13)
  const length = bytes.readUInt16BE(14)
  if (command >> 4 !== 2 || length > longestBlock) return { kind: 'wrong' }
  if (bytes.length < 16 + length) return { kind: 'unfinished' }
  if (command === 0x20) return header(16 + length, undefined)
  if (command !== 0x21) return { kind: 'wrong' }
  const block = bytes.subarray(16, 16 + length)
  if (family === 0x11 && length >= 12) return header(16 + length, [...block.subarray(0, 4)].join('.'))
  if (family === 0x21 && length >= 36) return header(16 + length, ipv6(block.subarray(0, 16)))
  // Unix sockets and whatever is unspecified have no address of a client.
  return { kind: 'wrong' }
}

function header(bytes: number, address: string | undefined): ProxyHeader {
  return { kind: 'header', bytes, address }
}

function ipv6(bytes: Buffer): string {
  if (bytes.subarray(0, 12).equals(mapped)) return [...bytes.subarray(12)].join('.')
  return oneSpelling(Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16)).join(':'))
}

/** The one that sockets have too, so that one client has one name. */
function oneSpelling(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}
