// Copies of documents: fresh for as long as their host says, within a minute and a day (a page of ours that is loaded
// again would else fetch again), kept for a day, and no more of them than fit.

import type { ClientDocument } from '../directory/documents/client-document.js'

export interface Copy {
  document: ClientDocument
  /** It need not be fetched again. */
  isFresh: boolean
}

export interface Copies {
  /** At most a day old. */
  find(url: string): Copy | undefined
  /**
   * `cacheControls`: the fields that came with all that it was made of (RFC 9111 §5.2); it is as fresh as the least of
   * them.
   */
  keep(document: ClientDocument, cacheControls: readonly string[]): void
  forget(url: string): void
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Where the host says nothing. */
const usualMs = 5 * minuteMs
const mostCopies = 1_000

/** None yet. `monotonic` is milliseconds. */
export function createCopies(monotonic: () => number): Copies {
  const copies = new Map<string, { document: ClientDocument; keptAt: number; freshUntil: number }>()
  return {
    find(url) {
      const copy = copies.get(url)
      if (copy === undefined) return undefined
      copies.delete(url)
      if (monotonic() - copy.keptAt > dayMs) return undefined
      // The newest last: the first of the map is the one to forget.
      copies.set(url, copy)
      return { document: copy.document, isFresh: monotonic() < copy.freshUntil }
    },
    keep(document, cacheControls) {
      const keptAt = monotonic()
      // A key that is taken away is gone within the hour.
      const limits = [...cacheControls.map(freshFor), document.jwksUri === undefined ? dayMs : hourMs]
      copies.delete(document.url)
      copies.set(document.url, { document, keptAt, freshUntil: keptAt + Math.min(...limits) })
      for (const oldest of copies.keys()) {
        if (copies.size <= mostCopies) break
        copies.delete(oldest)
      }
    },
    forget: (url) => void copies.delete(url),
  }
}

/** Milliseconds. */
function freshFor(cacheControl: string): number {
  const directives = cacheControl
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
  if (directives.some((one) => /^(?:no-store|no-cache)(?:=|$)/.test(one))) return minuteMs
  const seconds = directives.flatMap((one) => /^max-age="?(\d{1,10})"?$/.exec(one)?.[1] ?? [])[0]
  if (seconds === undefined) return usualMs
  return Math.min(Math.max(Number(seconds) * 1000, minuteMs), dayMs)
}
