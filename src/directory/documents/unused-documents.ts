// Applications that nobody registered leave when nobody has used them for a while: they come back by themselves when
// somebody allows them again. One that is disabled stays, because its tenant has said that it may not.

import { listUnusedDocuments } from '../../storage/sql/registrations/documents/client-documents.js'
import type { Statements, Store } from '../../storage/sql/store.js'
import { writesAs } from '../actor.js'
import { deleteApplication } from '../applications/delete-application.js'
import type { DirectoryWrites } from '../writes.js'

const unusedMs = 30 * 86_400_000
/** In one go: the rest when it is called again. */
const mostAtOnce = 100

/** Somebody has allowed it meanwhile. */
class UsedAgain extends Error {}

/** Deletes those that have had no grant, and no other document, for thirty days; how many. Throws StoreUnavailable. */
export async function deleteUnusedDocuments(deps: DirectoryWrites, store: Pick<Store, 'reader'>): Promise<number> {
  const before = deps.now() - unusedMs
  const unused = await listUnusedDocuments(store.reader, { before, most: mostAtOnce })
  let deleted = 0
  for (const applicationId of unused) {
    const precondition = async (tx: Statements) => {
      if ((await listUnusedDocuments(tx, { before, most: 1, applicationId })).length === 0) throw new UsedAgain()
    }
    try {
      await deleteApplication(writesAs(deps, { actor: { kind: 'system' }, precondition }), applicationId)
      deleted += 1
    } catch (error) {
      if (!(error instanceof UsedAgain)) throw error
    }
  }
  return deleted
}
