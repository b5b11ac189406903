// Where this server may be sent by what somebody typed into a form: to public addresses only, so that nobody reads the
// network behind it through it. Names are judged by what they resolve to, in the look-up of the connection itself: a
// name that resolves differently a moment later gains nothing.

import { BlockList, isIP, type LookupFunction } from 'node:net'
import { systemLookup } from './operator-names.js'
import { createTenantNames, type ResolveAll } from './tenant-names.js'

/** The address is not one that may be called. */
export class AddressNotPublic extends Error {
  constructor() {
    super('the address is not a public one')
    this.name = 'AddressNotPublic'
  }
}

/** IANA's special-purpose addresses (RFC 6890 and its registries), multicast, and what IPv6 carries IPv4 in. */
const special: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]
/** Of IPv6 this is what is given out to networks; whatever lies beside it is not looked at further. */
const global: readonly [string, number] = ['2000::', 3]

const notPublic = blockList(special)
const globalUnicast = blockList([global])

/** Whether an IP address, as text, belongs to the public internet. False for what is no address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !notPublic.check(address, 'ipv4')
  return family === 6 && globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
}

/** One for the process: what is bounded is what all of its tenants ask for together. */
const tenantNames = createTenantNames()

export interface PublicLookupOptions {
  /** Names (lower case) that the operator lets resolve to anything; the system's resolver is queried for them. */
  allowed: ReadonlySet<string>
  /** Who chose the name: at most two names of one owner are looked up at once. */
  tenant: string
  /** A test's own. */
  resolve?: ResolveAll
}

/**
 * For `lookup` of an outgoing connection to `host` (of a URL, IPv6 in brackets). Throws AddressNotPublic for an address
 * that is not public: node looks up no name then.
 */
export function publicLookup(host: string, options: PublicLookupOptions): LookupFunction {
  const { allowed, tenant } = options
  const isAllowed = (name: string) => allowed.has(name.toLowerCase())
  const literal = host.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0 && !isAllowed(literal) && !isPublicAddress(literal)) throw new AddressNotPublic()
  return (name, { all, ...lookupOptions }, callback) => {
    const resolve = options.resolve ?? (isAllowed(name) ? systemLookup : tenantNames(tenant))
    resolve(name, lookupOptions, (error, addresses) => {
      if (error !== null) return callback(error, '')
      const usable = isAllowed(name) ? addresses : addresses.filter(({ address }) => isPublicAddress(address))
      // One private address among public ones is a trap or a mistake; neither is followed half.
      if (usable.length === 0 || usable.length < addresses.length) return callback(new AddressNotPublic(), '')
      if (all === true) return callback(null, usable)
      const [first] = usable
      return callback(null, first?.address ?? '', first?.family)
    })
  }
}

function blockList(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, isIP(address) === 4 ? 'ipv4' : 'ipv6')
  return list
}
