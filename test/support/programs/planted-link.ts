// One-time links of a running program, put into its Store: what `portcullis user …` prints, without the command line.

import { join } from 'node:path'
import { createOpaqueToken, hashOpaqueToken } from '../../../src/oauth/secrets/opaque-token.js'
import { insertLink } from '../../../src/storage/sql/people/one-time-links.js'
import { readUser } from '../../../src/storage/sql/people/users.js'
import { listTenants } from '../../../src/storage/sql/registrations/tenants.js'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import type { Program } from './program.js'

type Planted =
  | { purpose: 'set-up' }
  | { purpose: 'invitation'; email: string; role: string }
  | { purpose: 'password-reset'; forEmail: string }

/** The path of a new link for the first owner. */
export function plantSetUpLink(program: Program): Promise<string> {
  return plantLink(program, { purpose: 'set-up' })
}

/** The path of a new link: an invitation to the oldest tenant, or a new password for the account with an address. */
export async function plantLink(program: Program, planted: Planted): Promise<string> {
  const store = await openSqliteStore({ file: join(program.folder, 'portcullis.db'), busyTimeoutMs: 5_000 })
  const { purpose } = planted
  try {
    const secret = createOpaqueToken('pcl_ol_')
    const now = Date.now()
    const [tenant] = await listTenants(store.reader, 1)
    const user = 'forEmail' in planted ? await readUser(store.reader, 'email_key', planted.forEmail) : undefined
    const invited = 'email' in planted ? planted : undefined
    await store.transaction((tx) =>
      insertLink(tx, {
        ...{ hash: hashOpaqueToken(secret), purpose, user_id: user?.id ?? null },
        ...{ tenant_id: invited === undefined ? null : (tenant?.id ?? null) },
        ...{ email: invited?.email ?? null, role: invited?.role ?? null },
        ...{ created_by: 'operator', created_at: now, expires_at: now + 3_600_000, used_at: null },
      }),
    )
    return `/${purpose === 'password-reset' ? 'reset-password' : purpose}/${secret}`
  } finally {
    await store.close()
  }
}
