// Which tokens this process has made lately, by their digests: the signature of such a token was computed here a moment
// ago and need not be verified (decision 136). Each application has a few places, so none pushes out what others got.

import { LRUCache } from 'lru-cache'

/** A client gets a token and uses it; more than these at once are verified as ever. */
const placesOfEach = 8
const mostApplications = 4_096
/** A power of two. Two digests in one place cost the older one a verification. */
const places = 32_768

/** The digests of one application, the oldest at `next`. */
interface Ring {
  digests: string[]
  next: number
}

export interface IssuedTokens {
  /** `digest`: 32 characters, one for each byte. */
  add(applicationId: string, digest: string): void
  has(digest: string): boolean
}

/** Built once for a process. A table and not a map: one that is added to and taken from all the time keeps its past. */
export function createIssuedTokens(): IssuedTokens {
  const table = new Array<string>(places).fill('')
  const forget = (digest: string) => {
    if (table[placeOf(digest)] === digest) table[placeOf(digest)] = ''
  }
  const rings = new LRUCache<string, Ring>({
    max: mostApplications,
    dispose: ({ digests }) => digests.forEach(forget),
  })
  return {
    add(applicationId, digest) {
      const known = rings.get(applicationId)
      const ring: Ring = known ?? { digests: [], next: 0 }
      if (known === undefined) rings.set(applicationId, ring)
      const oldest = ring.digests[ring.next]
      if (oldest !== undefined) forget(oldest)
      ring.digests[ring.next] = digest
      ring.next = (ring.next + 1) % placesOfEach
      table[placeOf(digest)] = digest
    },
    has: (digest) => table[placeOf(digest)] === digest,
  }
}

function placeOf(digest: string): number {
  return (digest.charCodeAt(0) | (digest.charCodeAt(1) << 8)) & (places - 1)
}
