// The public keys of a client, where its document says that they are at an address (`jwks_uri`, RFC 7591 §2): one of its own
// origin, so that nobody has this server fetch from others by a document.

import { checkClientKeys } from '../directory/credentials/client-keys.js'
import type { ClientDocument } from '../directory/documents/client-document.js'
import { DirectoryRefusal } from '../directory/refusal.js'
import { clientIdentifierUrlProblem } from '../oauth/requests/client-identifier-url.js'
import { readExternalJson } from '../tokens/external/external-json.js'
import { DocumentRefused } from './document-refused.js'
import type { FetchedDocument } from './fetch-document.js'

/** Whether keys of the document at `url` may be at this address: in one spelling, as the URL of the document. */
export function isOwnKeysAddress(url: string, address: unknown): address is string {
  if (typeof address !== 'string' || clientIdentifierUrlProblem(address) !== undefined) return false
  return new URL(address).origin === new URL(url).origin
}

/** The document with the keys that were fetched for it. Throws DocumentRefused. */
export async function withFetchedKeys(
  document: ClientDocument,
  fetch: () => Promise<FetchedDocument>,
): Promise<{ document: ClientDocument; cacheControl: string }> {
  try {
    const { bytes, cacheControl } = await fetch()
    return { document: { ...document, jwks: checkClientKeys(readExternalJson(bytes)) }, cacheControl }
  } catch (cause) {
    if (cause instanceof DocumentRefused) {
      throw new DocumentRefused(cause.reason, `jwks_uri: ${cause.message}`, { isPassing: cause.isPassing, cause })
    }
    const why = cause instanceof DirectoryRefusal ? cause.message : 'It is not one JSON object in UTF-8.'
    throw new DocumentRefused('document_wrong', `jwks_uri: ${why}`, { cause })
  }
}
