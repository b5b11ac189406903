// Network addresses as settings spell them.

import { isIP } from 'node:net'

/**
 * `127.0.0.1:8443` or `[::1]:8443` → host without brackets, and port; undefined when the port or an address is
 * impossible.
 */
export function parseHostPort(text: string): { host: string; port: number } | undefined {
  const colon = text.lastIndexOf(':')
  const port = Number(text.slice(colon + 1))
  const written = text.slice(0, colon)
  const isBracketed = written.startsWith('[')
  const host = isBracketed ? written.slice(1, -1) : written
  const isNumeric = /^[0-9.]+$/.test(host)
  if (port > 65_535 || (isBracketed && isIP(host) !== 6) || (isNumeric && isIP(host) !== 4)) return undefined
  return { host, port }
}

/** An address or a CIDR block (RFC 4632 §3.1, RFC 4291 §2.3): why it is none, or undefined when it is one. */
export function whyNotAddressBlock(text: string): string | undefined {
  const [address = '', length, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return 'is not an address or a CIDR block such as 10.0.0.0/8'
  const most = family === 4 ? 32 : 128
  if (length === undefined) return undefined
  if (!/^(0|[1-9][0-9]{0,2})$/.test(length) || Number(length) > most)
    return `has a prefix length that is not 0 to ${most}`
  return Number(length) === 0 ? 'would believe everybody; name the proxies' : undefined
}
