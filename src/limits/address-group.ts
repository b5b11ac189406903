// Whom an address stands for when requests are counted. One household or server owns a whole IPv6 /64, so counting
// single IPv6 addresses would give every attacker 2^64 buckets.

import { normalizeIP } from '@fastify/rate-limit'

const remembered = new Map<string, string>()
/** By group. */
const rememberedNetworks = new Map<string, string>()
const mostRemembered = 4096

/**
 * The counting group of an IP address: an IPv4 address is itself, an IPv4-mapped IPv6 address is its IPv4 form, any
 * other IPv6 address is the first address of its /64. Anything that is no address is its own group, lower-cased.
 */
export function addressGroup(address: string): string {
  // IPv4 has no colon and needs no parser: this is the line that the hot path takes.
  if (!address.includes(':')) return address.toLowerCase()
  const known = remembered.get(address)
  if (known !== undefined) return known
  // A zone (`fe80::1%eth0`) names our interface, not the peer.
  const zone = address.indexOf('%')
  const group = normalizeIP(zone === -1 ? address : address.slice(0, zone), 64)
  // Parsing IPv6 costs more than the whole decision. Forgetting everything at once is only a matter of speed.
  if (remembered.size >= mostRemembered) remembered.clear()
  remembered.set(address, group)
  return group
}

/**
 * The network of an IPv6 address that one customer usually gets, its /48 (RFC 6177 §2), such as `2001:db8:1::/48`; of
 * which they can use 65,536 groups. Undefined for IPv4, and for what is no address.
 */
export function addressNetwork(address: string): string | undefined {
  if (!address.includes(':')) return undefined
  const group = addressGroup(address)
  const known = rememberedNetworks.get(group)
  if (known !== undefined) return known
  if (!group.includes(':')) return undefined
  const network = `${normalizeIP(group, 48)}/48`
  if (rememberedNetworks.size >= mostRemembered) rememberedNetworks.clear()
  rememberedNetworks.set(group, network)
  return network
}
