// Queries over profiles: one for each user of a tenant, and one for the tenant itself (user_id null), which calls
// without a user see. Every query names the tenant; there is none that could reach into another one.

import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** A profile as it is stored. */
export type StoredProfile = Selectable<Tables['profiles']>

/** The columns that the owner of a profile may change. */
export type StoredProfileChange = Pick<
  Updateable<Tables['profiles']>,
  'public_name' | 'cover_url' | 'avatar_url' | 'currency_id'
>

/** Whose profile: `userId` null means the tenant's own. */
export interface ProfileKey {
  tenantId: string
  userId: string | null
}

/** The profile, or undefined. */
export function findProfile(db: Statements, key: ProfileKey): Promise<StoredProfile | undefined> {
  return db
    .selectFrom('profiles')
    .selectAll()
    .where('tenant_id', '=', key.tenantId)
    .where('user_id', key.userId === null ? 'is' : '=', key.userId)
    .executeTakeFirst()
}

/**
 * Sets the named columns in one statement, so that concurrent changes of different fields keep both. Undefined: no such
 * profile.
 */
export function updateProfile(
  tx: Statements,
  key: ProfileKey,
  change: StoredProfileChange,
  now: number,
): Promise<StoredProfile | undefined> {
  return tx
    .updateTable('profiles')
    .set({ ...change, updated_at: now })
    .where('tenant_id', '=', key.tenantId)
    .where('user_id', key.userId === null ? 'is' : '=', key.userId)
    .returningAll()
    .executeTakeFirst()
}

/** Adds a profile; the caller knows that there is none for its tenant and user. */
export async function insertProfile(tx: Statements, row: Insertable<Tables['profiles']>): Promise<void> {
  await tx.insertInto('profiles').values(row).execute()
}

/** Sets columns in the profiles of a user: in every tenant, or in the named one. */
export async function updateProfiles(
  tx: Statements,
  { userId, tenantId }: { userId: string; tenantId?: string },
  change: Pick<Updateable<Tables['profiles']>, 'email' | 'enrollments_count'>,
): Promise<void> {
  const profiles = tx.updateTable('profiles').set(change).where('user_id', '=', userId)
  await (tenantId === undefined ? profiles : profiles.where('tenant_id', '=', tenantId)).execute()
}
