// Whether this server waits for its first owner: then nobody can sign in, and the sign-in page says where the link is.

import { countOwners } from '../../storage/sql/people/memberships.js'
import { type Store, StoreUnavailable } from '../../storage/sql/store.js'

/**
 * Builds the question. Where there was an owner once there is one for ever, so the Store is read no more after that; one
 * that is away knows of nobody, and the page is shown without the hint.
 */
export function createNobodyYet(store: Pick<Store, 'reader'>): () => Promise<boolean> {
  let owned = false
  return async () => {
    if (owned) return false
    try {
      owned = (await countOwners(store.reader, {})) > 0
      return !owned
    } catch (error) {
      if (error instanceof StoreUnavailable) return false
      throw error
    }
  }
}
