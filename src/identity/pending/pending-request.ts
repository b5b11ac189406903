// What a browser is in the middle of (R17, R18): an authorization request, an admin consent, a device code, a page that
// needs sign-in, a sign-in at another provider. It begins before anybody has been proved, so nothing of it is stored:
// its id, as it stands in addresses, is the request itself, sealed for the browser that began it and good for nobody
// else. Each has its own, so that two tabs never mix. That one is finished is remembered in the Store, so that it is
// finished once (decision 96).

import { type Language, languageOfTag } from '../../languages/language.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { createOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import { seal, unseal } from '../../oauth/secrets/sealed-text.js'
import type { Statements, Store } from '../../storage/sql/store.js'
import { isUsed, useInTransaction } from '../client/single-use.js'

const kinds = ['authorize', 'admin-consent', 'device', 'page', 'form', 'external'] as const
export type PendingKind = (typeof kinds)[number]

export interface PendingRequest {
  /** As it stands in addresses: sealed, and another one after each change. */
  id: string
  /** Names it from its beginning to its end: of all its ids, one finishes it. Never shown. */
  ticket: string
  kind: PendingKind
  applicationId: string | undefined
  /** Epoch ms. */
  createdAt: number
  /** Epoch ms. */
  expiresAt: number
  /** What the request wished for its pages (`ui_locales`), where there is such a language. */
  language: Language | undefined
  /** Plain JSON; what it is depends on the kind, and its readers check it. */
  body: unknown
}

export interface PendingDependencies {
  store: Store
  /** Epoch ms. */
  now: () => number
  derive: (purpose: string) => readonly Uint8Array[]
}

type Sealing = Pick<PendingDependencies, 'derive' | 'now'>

/** The browser's own cookie; see browser/browser.ts. */
interface BrowserKey {
  key: string
  /** Hears in which language the pages of the request are to be, since when (epoch milliseconds). */
  speak?: ((language: Language | undefined, sinceMs: number) => void) | undefined
  /** Hears whose brand its pages wear. */
  wear?: ((whose: { applicationId: string }) => Promise<void>) | undefined
}

export interface PendingOptions {
  kind: PendingKind
  applicationId?: string | undefined
  language?: Language | undefined
  body: unknown
  /** An hour unless given. */
  lifetimeMs?: number
}

const hourMs = 3_600_000
const prefix = 'pcl_rq_'
/** Of an id, in characters: an address that has two of them stays below what servers and proxies take (8 KiB). */
const longestId = 5_000

/** Seals what `browser` begins. Writes nothing. Throws OAuthError 400 when it is too long to stand in an address. */
export function beginPending(deps: Sealing, browser: BrowserKey, options: PendingOptions): PendingRequest {
  const { kind, applicationId, language, body, lifetimeMs = hourMs } = options
  const createdAt = deps.now()
  const ticket = createOpaqueToken('')
  const expiresAt = createdAt + lifetimeMs
  return sealed(deps, browser, { ticket, kind, applicationId, createdAt, expiresAt, language, body })
}

/**
 * What this browser began, as its id says; undefined when it is none, finished, too old or another browser's, without a
 * difference between these. Throws StoreUnavailable.
 */
export async function findPending(
  deps: PendingDependencies,
  browser: BrowserKey,
  id: string | undefined,
): Promise<PendingRequest | undefined> {
  const pending = readPending(deps, browser, id)
  if (pending === undefined) return undefined
  // Also what has ended is said in its language.
  browser.speak?.(pending.language, pending.createdAt)
  if (pending.applicationId !== undefined) await browser.wear?.({ applicationId: pending.applicationId })
  if (await isUsed(deps.store.reader, useOf(pending))) return undefined
  return pending
}

/**
 * The same request with another body, under an id of its own; the ids that it had before go on working until it is
 * finished.
 */
export function changedPending(
  deps: Sealing,
  browser: BrowserKey,
  pending: PendingRequest,
  change: { body: unknown; expiresAt?: number },
): PendingRequest {
  return sealed(deps, browser, { ...pending, ...change })
}

/** Finishes it, under whichever id, as part of the transaction that does what it was for: true exactly once. */
export function takePending(tx: Statements, pending: Pick<PendingRequest, 'ticket' | 'expiresAt'>): Promise<boolean> {
  return useInTransaction(tx, { ...useOf(pending), expiresAt: pending.expiresAt })
}

function useOf({ ticket }: Pick<PendingRequest, 'ticket'>) {
  // Of nobody in particular: no matter who finishes it, it is finished.
  return { purpose: 'request', subject: '', id: ticket } as const
}

function readPending(deps: Sealing, browser: BrowserKey, id: string | undefined): PendingRequest | undefined {
  if (id?.startsWith(prefix) !== true || id.length > longestId) return undefined
  const text = unseal(deps.derive('pending-request'), browser.key, id.slice(prefix.length))
  if (text === undefined) return undefined
  // Nobody else has the key, so it is what `sealed` wrote; a later program may know more kinds.
  const [ticket, kind, applicationId, createdAt, expiresAt, body, tag] = JSON.parse(text) as Sealed
  if (!kinds.includes(kind) || expiresAt <= deps.now()) return undefined
  const language = languageOfTag(tag)
  return { id, ticket, kind, applicationId: applicationId ?? undefined, createdAt, expiresAt, language, body }
}

type Sealed = [string, PendingKind, string | null, number, number, unknown, string?]

function sealed(deps: Sealing, browser: BrowserKey, pending: Omit<PendingRequest, 'id'>): PendingRequest {
  const { ticket, kind, applicationId, createdAt, expiresAt, language, body } = pending
  const content: Sealed = [ticket, kind, applicationId ?? null, createdAt, expiresAt, body]
  if (language !== undefined) content.push(language)
  const id = prefix + seal(deps.derive('pending-request'), browser.key, JSON.stringify(content))
  if (id.length > longestId) throw tooLarge()
  return { id, ticket, kind, applicationId, createdAt, expiresAt, language, body }
}

function tooLarge(): OAuthError {
  const what = 'What the application sent is, taken together, too large for a sign-in to carry.'
  return new OAuthError('invalid_request', what, { number: errorNumber.malformedRequest, cause: 'request_too_large' })
}
