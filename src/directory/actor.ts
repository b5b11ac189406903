// In whose name something is written.

import type { Origin } from '../ledger/ledger.js'
import type { DirectoryWrites } from './writes.js'

/** Who acts, and what must still hold of them when it is written. */
export type Acting = Origin & Pick<DirectoryWrites, 'precondition'>

/**
 * These writes in another name than the operator's: the one place where the collaborators and who acts come together.
 */
export function writesAs<W extends DirectoryWrites>(writes: W, by: Acting): W {
  return { ...writes, ...by }
}
