// What a browser is in the middle of (R17, R18): an authorization request, an admin consent, a device code, a page that
// needs sign-in. It is kept here, not in the browser: the address has only an id, which works for the browser that began
// and for nobody else, and each request has its own, so that two tabs never mix. Finishing one takes it away.

import {
  findPendingRequest,
  insertPendingRequest,
  takePendingRequest,
  updatePendingRequest,
} from '../../memory/store/pending-requests.js'
import type { Statements, Store } from '../../memory/store/store.js'
import { createOpaqueToken, hashOpaqueToken } from '../../oauth/opaque-token.js'

export type PendingKind = 'authorize' | 'admin-consent' | 'device' | 'page' | 'external'

export interface PendingRequest {
  /** As it stands in addresses: 256 random bits. Only its hash is stored. */
  id: string
  kind: PendingKind
  applicationId: string | undefined
  /** Epoch ms. */
  createdAt: number
  /** Epoch ms. */
  expiresAt: number
  /** Plain JSON; what it is depends on the kind, and whoever reads it checks it. */
  body: unknown
}

export interface PendingDependencies {
  store: Store
  /** Epoch ms. */
  now: () => number
}

/** The browser's own cookie; see browser/browser.ts. */
interface BrowserKey {
  key: string
}

const hourMs = 3_600_000
const kinds: ReadonlySet<string> = new Set<PendingKind>(['authorize', 'admin-consent', 'device', 'page', 'external'])
const idPattern = /^pcl_rq_[0-9A-Za-z]{43}$/

/** Remembers what `browser` begins. `body` is plain JSON; `lifetimeMs` an hour unless given. Throws StoreUnavailable. */
export async function createPending(
  deps: PendingDependencies,
  browser: BrowserKey,
  begun: { kind: PendingKind; applicationId?: string | undefined; body: unknown; lifetimeMs?: number },
): Promise<PendingRequest> {
  const { kind, applicationId, body, lifetimeMs = hourMs } = begun
  const createdAt = deps.now()
  const expiresAt = createdAt + lifetimeMs
  const id = createOpaqueToken('pcl_rq_')
  await deps.store.transaction((tx) =>
    insertPendingRequest(tx, {
      id_hash: hashOpaqueToken(id),
      browser_hash: hashOpaqueToken(browser.key),
      kind,
      application_id: applicationId ?? null,
      body: JSON.stringify(body),
      created_at: createdAt,
      expires_at: expiresAt,
    }),
  )
  return { id, kind, applicationId, createdAt, expiresAt, body }
}

/**
 * What this browser began under that id; undefined when it is unknown, finished, too old or another browser's, without a
 * difference between these. Throws StoreUnavailable.
 */
export async function findPending(
  deps: PendingDependencies,
  browser: BrowserKey,
  id: string | undefined,
): Promise<PendingRequest | undefined> {
  if (id === undefined || !idPattern.test(id)) return undefined
  const row = await findPendingRequest(deps.store.reader, {
    idHash: hashOpaqueToken(id),
    browserHash: hashOpaqueToken(browser.key),
    now: deps.now(),
  })
  if (row === undefined || !isKind(row.kind)) return undefined
  return {
    id,
    kind: row.kind,
    applicationId: row.application_id ?? undefined,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    body: JSON.parse(row.body),
  }
}

/** Replaces its body; nothing happens when it is finished. Throws StoreUnavailable. */
export async function changePending(deps: PendingDependencies, id: string, body: unknown): Promise<void> {
  await deps.store.transaction((tx) => updatePendingRequest(tx, hashOpaqueToken(id), JSON.stringify(body)))
}

/** Finishes it, as part of the transaction that does what it was for: true exactly once. */
export function takePending(tx: Statements, id: string): Promise<boolean> {
  return takePendingRequest(tx, hashOpaqueToken(id))
}

function isKind(kind: string): kind is PendingKind {
  return kinds.has(kind)
}
