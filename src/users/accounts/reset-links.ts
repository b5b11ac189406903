// Ways to a new password that are on their way.

import { deleteLinks } from '../../storage/sql/people/one-time-links.js'
import type { Statements } from '../../storage/sql/store.js'

/**
 * Ends those of somebody who becomes more than they were, or belongs to another tenant too: those who made or were
 * given one could look after this person as they were, and not as they are (C14).
 */
export async function endResetLinks(tx: Statements, userId: string): Promise<void> {
  await deleteLinks(tx, { purpose: 'password-reset', userId })
}
