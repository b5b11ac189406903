// Fetches that go on at once: so many of all, and of those few for one host, for one site and for one address that
// requests them, so that nobody's slow hosts keep the documents of others from being fetched.

import { domainOf } from '../egress/tenant-names.js'
import { addressGroup, addressNetwork } from '../limits/address-group.js'

export interface FetchSlots {
  /**
   * A slot for a fetch, as what gives it back, to be called once; undefined: there is none. `address`: of the request;
   * absent: this server's own matter.
   */
  take(url: string, address?: string): (() => void) | undefined
}

const most = { all: 16, host: 2, site: 4, address: 4 } as const
/** Under these, names are registered one label further down: `example.co.uk`. */
const secondLevel = /^(?:ac|co|com|edu|gob|go|gov|mil|ne|net|nom|or|org)\.[a-z]{2}$/

/** All are free. */
export function createFetchSlots(): FetchSlots {
  const taken = new Map<string, number>()
  const add = (key: string, more: 1 | -1) => {
    const now = (taken.get(key) ?? 0) + more
    if (now === 0) taken.delete(key)
    else taken.set(key, now)
  }
  return {
    take(url, address) {
      const { hostname } = new URL(url)
      const keys = [
        ['all', most.all],
        [`host ${hostname}`, most.host],
        [`site ${siteOf(hostname)}`, most.site],
        ...(address === undefined ? [] : [[`address ${networkOf(address)}`, most.address] as const]),
      ] as const
      if (keys.some(([key, limit]) => (taken.get(key) ?? 0) >= limit)) return undefined
      for (const [key] of keys) add(key, 1)
      return () => {
        for (const [key] of keys) add(key, -1)
      }
    },
  }
}

/** What one owner registered, of a name in lower case: its last two labels, or three. */
export function siteOf(hostname: string): string {
  const domain = domainOf(hostname)
  return secondLevel.test(domain) ? hostname.split('.').slice(-3).join('.') : domain
}

/** Who has one IPv6 address usually has a whole /48 of them. */
function networkOf(address: string): string {
  return addressNetwork(address) ?? addressGroup(address)
}
