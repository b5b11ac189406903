// A running program in which nobody has signed in recently.

import { join } from 'node:path'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import type { Program } from './program.js'

/** As if everybody had signed in an hour ago. */
export async function ageSessions(program: Program): Promise<void> {
  const store = await openSqliteStore({ file: join(program.folder, 'portcullis.db'), busyTimeoutMs: 5_000 })
  try {
    const authenticated_at = Date.now() - 3_600_000
    await store.transaction((tx) => tx.updateTable('sessions').set({ authenticated_at }).execute())
  } finally {
    await store.close()
  }
}
