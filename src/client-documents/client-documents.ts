// The documents of clients that nobody registered: which are taken, how long one is believed, and how often somebody may
// have this server fetch one. Only good documents are kept; that a URL failed is known for some seconds, so that a
// browser that is sent here again and again fetches nothing.

import type { ClientDocument } from '../directory/documents/client-document.js'
import { addressGroup } from '../limits/address-group.js'
import { clientIdentifierUrlProblem } from '../oauth/requests/client-identifier-url.js'
import type { Counters } from '../storage/counters/counters.js'
import { withFetchedKeys } from './document-keys.js'
import { DocumentRefused } from './document-refused.js'
import { type FetchedDocument, timeoutMs } from './fetch-document.js'
import { createFetchSlots, siteOf } from './fetch-slots.js'
import { type Copy, createCopies } from './kept-documents.js'
import { readDocument } from './read-document.js'

/** Whose documents are taken: nobody's, those of hosts (names in lower case), or everybody's. */
export type DocumentTrust = 'off' | 'any' | readonly string[]

export interface ClientDocuments {
  /** Whether any client may name itself by a URL. */
  readonly isOn: boolean
  /** Whether the configuration takes documents of the URL's host. */
  isTrusted(url: string): boolean
  /**
   * The document as it is now, fetched when no copy is fresh; the last good copy of a day while its host is away.
   * `address`: of the request. Throws DocumentRefused.
   */
  find(url: string, address: string): Promise<ClientDocument>
  /** The last good copy, at most a day old. An old one is fetched again meanwhile; nobody waits for that. */
  known(url: string): ClientDocument | undefined
  /** Has the copy fetched again, unless that was within the last minute; nobody waits for it. */
  renew(url: string): void
}

const minuteMs = 60_000
const failurePauseMs = 10_000
/**
 * After so many failures of a host in a row, all of its URLs wait for that address: a slow host holds a slot for each of
 * them. Not for others: some page of any host is slow.
 */
const failuresOfHost = 3
const hostPauseMs = minuteMs
const mostFailures = 1_000
/** Fetches of URLs of which there is no fresh copy, per minute. */
const perAddress = 20
const perSite = 120

/** `counters` are in-process ones; `monotonic` is milliseconds, `now` epoch milliseconds. */
export function createClientDocuments(options: {
  trust: DocumentTrust
  fetch: (url: string, withinMs?: number) => Promise<FetchedDocument>
  counters: Counters
  monotonic: () => number
  now: () => number
  /** What became of a fetch: `taken`, or why not (the reason of the refusal without `document_`). */
  onFetched?: (outcome: string) => void
}): ClientDocuments {
  const { trust, counters, monotonic, now, onFetched = () => undefined } = options
  const copies = createCopies(monotonic)
  const failures = new Map<string, { until: number; error: DocumentRefused }>()
  /** By address and host: failures in a row that say nothing of a document. */
  const away = new Map<string, { until: number; count: number; error: DocumentRefused }>()
  const underWay = new Map<string, Promise<ClientDocument>>()
  const slots = createFetchSlots()

  function fetchOnce(url: string, address?: string): Promise<ClientDocument> {
    const before = underWay.get(url)
    if (before !== undefined) return before
    const giveBack = slots.take(url, address)
    if (giveBack === undefined) return Promise.reject(busy())
    const made = fetchNow(url, address).finally(() => {
      underWay.delete(url)
      giveBack()
    })
    underWay.set(url, made)
    return made
  }

  async function fetchNow(url: string, address: string | undefined): Promise<ClientDocument> {
    try {
      const begunAt = monotonic()
      const { bytes, cacheControl } = await options.fetch(url)
      const said = readDocument(url, bytes, now())
      const { jwksUri } = said
      const rest = () => Math.max(1, timeoutMs - Math.ceil(monotonic() - begunAt))
      const whole =
        jwksUri === undefined
          ? { document: said, cacheControl }
          : await withFetchedKeys(said, () => options.fetch(jwksUri, rest()))
      copies.keep(whole.document, jwksUri === undefined ? [cacheControl] : [cacheControl, whole.cacheControl])
      failures.delete(url)
      if (address !== undefined) away.delete(hostFor(address, url))
      onFetched('taken')
      return whole.document
    } catch (error) {
      if (error instanceof DocumentRefused) {
        onFetched(error.reason.replace('document_', ''))
        // What says that it is no document any more ends the copy; what says nothing does not.
        if (!error.isPassing) copies.forget(url)
        noteFailure(url, error, address)
      }
      throw error
    }
  }

  function noteFailure(url: string, error: DocumentRefused, address: string | undefined): void {
    keepLatest(failures, url, { until: monotonic() + failurePauseMs, error })
    if (!error.isPassing || address === undefined) return
    const host = hostFor(address, url)
    const count = (away.get(host)?.count ?? 0) + 1
    keepLatest(away, host, { until: count < failuresOfHost ? 0 : monotonic() + hostPauseMs, count, error })
  }

  function recentFailure(url: string, address?: string): DocumentRefused | undefined {
    const ofHost = address === undefined ? undefined : away.get(hostFor(address, url))
    if (ofHost !== undefined && ofHost.until > monotonic()) return ofHost.error
    const failed = failures.get(url)
    if (failed !== undefined && failed.until > monotonic()) return failed.error
    failures.delete(url)
    return undefined
  }

  async function renew(url: string, { document }: Copy, address: string): Promise<ClientDocument> {
    const failed = recentFailure(url, address)
    if (failed?.isPassing === true) return document
    try {
      if (!underWay.has(url)) await charge(url, address)
      return await fetchOnce(url, address)
    } catch (error) {
      if (error instanceof DocumentRefused && error.isPassing) return document
      throw error
    }
  }

  /** An own matter of this server: whether it comes to anything is seen when somebody asks again. */
  function fetchBehind(url: string): void {
    if (recentFailure(url) === undefined) fetchOnce(url).catch(() => undefined)
  }

  async function charge(url: string, address: string): Promise<void> {
    const [group, site] = [addressGroup(address), siteOf(new URL(url).hostname)]
    const bucket = (key: string, limit: number) =>
      ({ key, algorithm: { kind: 'quota', limit, periodMs: minuteMs }, cost: 1 }) as const
    const states = await counters.take(
      [
        bucket(`document-address;a${group.length}:${group}`, perAddress),
        bucket(`document-domain;s${site.length}:${site}`, perSite),
      ],
      monotonic(),
    )
    if (states.some(({ allowed }) => !allowed)) throw busy()
  }

  const isTrusted = (url: string) => {
    if (trust === 'off') return false
    return trust === 'any' || trust.includes(new URL(url).hostname)
  }
  return {
    isOn: trust !== 'off',
    isTrusted: (url) => clientIdentifierUrlProblem(url) === undefined && isTrusted(url),
    async find(url, address) {
      const problem = clientIdentifierUrlProblem(url)
      if (problem !== undefined) throw new DocumentRefused('document_url', problem)
      if (!isTrusted(url)) throw untrusted()
      const copy = copies.find(url)
      if (copy?.isFresh === true) return copy.document
      if (copy !== undefined) return renew(url, copy, address)
      const failed = recentFailure(url, address)
      if (failed !== undefined) throw failed
      if (!underWay.has(url)) await charge(url, address)
      return fetchOnce(url, address)
    },
    known(url) {
      const copy = copies.find(url)
      if (copy?.isFresh !== true) fetchBehind(url)
      return copy?.document
    },
    renew(url) {
      const copy = copies.find(url)
      if (copy === undefined || now() - copy.document.fetchedAt >= minuteMs) fetchBehind(url)
    },
  }
}

/** A host as one address asks for it. */
function hostFor(address: string, url: string): string {
  return `${addressGroup(address)} ${new URL(url).hostname}`
}

/** As the last one; of too many the first leaves. */
function keepLatest<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= mostFailures) break
    map.delete(oldest)
  }
}

function untrusted(): DocumentRefused {
  return new DocumentRefused('document_untrusted', 'Clients of its host are not taken here.')
}

function busy(): DocumentRefused {
  const what = 'Too many documents of clients are being fetched. Try again in a minute.'
  return new DocumentRefused('document_busy', what, { isPassing: true })
}
