// What a client that nobody registered says of itself, in its document (draft-ietf-oauth-client-id-metadata-document) or
// when it registered itself: where it comes from and what its checks are is client-documents/.

import { createHash } from 'node:crypto'
import { isOpenClientId } from '../../oauth/secrets/open-client-id.js'
import type { Registration } from '../records.js'

export interface ClientDocument {
  /** The client's `client_id`: where the document is, or what open registration gave it. */
  url: string
  /** What it calls itself: one line that the client chose, empty when it says nothing. Nobody vouches for it. */
  clientName: string
  /** `web`: it proves itself by its keys; `native`: by nothing. */
  type: Registration['type']
  redirectUris: readonly string[]
  jwks: Registration['jwks']
  /** Where the keys are, when the document does not say them itself. */
  jwksUri?: string | undefined
  /** Values of `grant_type` that it says it uses, of those that are served to such clients. */
  grantTypes: readonly string[]
  /** When it was fetched, epoch milliseconds. */
  fetchedAt: number
}

/**
 * Host and path, as people and lists are told of the client: what is known of it for certain. Of one that registered
 * itself nothing is, so it has a number.
 */
export function documentLabel(url: string): string {
  if (isOpenClientId(url)) return `self-registered/${createHash('sha256').update(url).digest('hex').slice(0, 8)}`
  const { host, pathname } = new URL(url)
  const label = host + pathname
  return label.length <= longestLabel ? label : `${label.slice(0, longestLabel - 1)}…`
}

/**
 * What consent rests on: where answers go, how the client proves itself (by keys, or by whatever keys are at an address),
 * and which grants it uses. Another digest is another client.
 */
export function documentDigest({ type, redirectUris, jwks, jwksUri, grantTypes }: ClientDocument): string {
  const said = (jwks?.keys ?? []).map((key) => JSON.stringify(Object.entries(key).sort())).sort()
  const keys = jwksUri === undefined ? said : [jwksUri]
  return createHash('sha256')
    .update(JSON.stringify([type, [...redirectUris].sort(), keys, grantTypes]))
    .digest('hex')
}

const longestLabel = 120
