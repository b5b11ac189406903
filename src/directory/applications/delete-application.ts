// Deleting an application: what it was allowed, what it holds for people, its credentials and its tokens end with it,
// at once and everywhere. For a time its registration can be restored (deleted/).

import { appendAudit } from '../../ledger/append-audit.js'
import { endGrants } from '../../revocation/end-grants.js'
import { deleteApplicationRows } from '../../storage/sql/registrations/application-removal.js'
import { readKeptRows } from '../../storage/sql/registrations/deleted/kept-rows.js'
import { markDeleted } from '../../storage/sql/registrations/deleted-applications.js'
import { keepDeleted } from '../deleted/keep-deleted.js'
import { type DirectoryWrites, recordApplication, recordRevocations, requireApplication, write } from '../writes.js'
import { deletedBy } from './application-quota.js'

/** Deletes it. Throws DirectoryRefusal (ApplicationNotFound) and StoreUnavailable. */
export async function deleteApplication(deps: DirectoryWrites, applicationId: string): Promise<void> {
  await write(deps, async (writing) => {
    const { application, document } = await requireApplication(writing, applicationId)
    const { id, name, tenant_id: tenantId } = application
    // One that nobody registered comes back when somebody allows it again.
    const restorableMs = document === undefined ? (deps.restorableMs ?? 0) : 0
    const purgeAt = writing.nowMs + restorableMs
    const kept = restorableMs === 0 ? undefined : await readKeptRows(writing.tx, application)
    // Before the revocation: a signer that uses its number must have read that there is no such application.
    recordApplication(writing, { id, state: 'disabled' })
    const ended = await endGrants(deps, writing, { applicationId: id }, 'application-deleted')
    // Its own tokens, and those of grants that ended a moment ago; endGrants speaks only where it ends some.
    if (ended === 0) await recordRevocations(deps, writing, [{ what: 'application', id }])
    writing.record({ kind: 'plan', applicationId: id, plan: '', overrides: '' })
    await markDeleted(writing.tx, id, { tenantId, by: deletedBy(deps.actor) })
    await deleteApplicationRows(writing.tx, id)
    if (kept !== undefined) await keepDeleted(deps, writing, { application, kept, purgeAt })
    await appendAudit(deps, writing.tx, {
      event: 'application.deleted',
      applicationId: id,
      tenantId,
      details: { name, ...(kept === undefined ? {} : { restorableUntil: purgeAt }) },
    })
  })
}
