// A one-time link of a running program, put into its Store: what `portcullis user set-up` prints, without the command line.

import { join } from 'node:path'
import { insertLink } from '../../src/memory/store/one-time-links.js'
import { openSqliteStore } from '../../src/memory/store/sqlite.js'
import { createOpaqueToken, hashOpaqueToken } from '../../src/oauth/opaque-token.js'
import type { Program } from './program.js'

/** The path of a new link for the first owner. */
export async function plantSetUpLink(program: Program): Promise<string> {
  const store = await openSqliteStore({ file: join(program.folder, 'portcullis.db'), busyTimeoutMs: 5_000 })
  try {
    const secret = createOpaqueToken('pcl_ol_')
    const now = Date.now()
    await store.transaction((tx) =>
      insertLink(tx, {
        hash: hashOpaqueToken(secret),
        purpose: 'set-up',
        ...{ tenant_id: null, user_id: null, email: null, role: null },
        ...{ created_by: 'test', created_at: now, expires_at: now + 3_600_000, used_at: null },
      }),
    )
    return `/set-up/${secret}`
  } finally {
    await store.close()
  }
}
