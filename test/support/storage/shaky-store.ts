// A Store that is away, or whose answers are lost after it did its work.

import { type Store, StoreUnavailable } from '../../../src/storage/sql/store.js'

export interface ShakyStore extends Pick<Store, 'transaction'> {
  /** Whether a transaction fails before it began, or once it is committed. */
  fails: 'before' | 'after' | 'never'
}

/** Over a Store; it is away until a test says otherwise. */
export function shakyStore(store: Store): ShakyStore {
  return {
    fails: 'before',
    async transaction(work, separation) {
      if (this.fails === 'before') throw new StoreUnavailable('away')
      const result = await store.transaction(work, separation)
      if (this.fails === 'after') throw new StoreUnavailable('the answer was lost')
      return result
    },
  }
}
