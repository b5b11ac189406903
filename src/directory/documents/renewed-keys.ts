// Other keys at the address that a client's document names (decision 158): the client stays what it is, because what people
// allowed rests on the address. What the keys got that are gone is refused, as of every other application.

import { appendAudit } from '../../ledger/append-audit.js'
import { clientKeyCredential } from '../../oauth/secrets/client-key-credential.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import { putDocumentKeys } from '../../storage/sql/registrations/documents/document-keys.js'
import { endedKeys } from '../credentials/client-keys.js'
import { recordEndedCredentials } from '../credentials/ended-credentials.js'
import { changed } from '../ledger-events.js'
import { toRegistration } from '../rows.js'
import { type DirectoryWrites, recordApplication, requireApplication, write } from '../writes.js'
import type { DocumentRegistration } from './document-registration.js'

/**
 * Gives the application the keys of a newer copy of the same document. False when there is nothing to change: it is gone,
 * came of another document, or of a copy that is as new. Throws StoreUnavailable.
 */
export async function renewDocumentKeys(deps: DirectoryWrites, after: DocumentRegistration): Promise<boolean> {
  const { applicationId, document, jwks } = after
  return write(deps, async (writing) => {
    const [record] = await readApplications(writing.tx, 'id', applicationId)
    const before = record === undefined ? undefined : toRegistration(record)
    if (record === undefined || before?.document?.digest !== document.digest || jwks === undefined) return false
    const isNewer = document.fetchedAt > before.document.fetchedAt
    if (!isNewer || JSON.stringify(before.jwks) === JSON.stringify(jwks)) return false
    await putDocumentKeys(writing.tx, applicationId, {
      jwks: JSON.stringify(jwks),
      fetched_at: document.fetchedAt,
      updated_at: writing.nowMs,
    })
    recordApplication(writing, record.application)
    const ended = endedKeys(before.jwks, jwks).map((kid) => clientKeyCredential(applicationId, kid))
    await recordEndedCredentials(deps, writing, record.application, ended)
    const now = toRegistration(await requireApplication(writing, applicationId))
    for (const event of changed(before, now)) await appendAudit(deps, writing.tx, event)
    return true
  })
}
