// The lists of a registration that are always replaced as a whole: redirect URIs of one purpose, configured
// permissions.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** Replaces the URIs of one purpose. The caller removed duplicates. */
export async function replaceRedirectUris(
  tx: Statements,
  applicationId: string,
  purpose: 'redirect' | 'admin-consent' | 'logout',
  uris: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('redirect_uris')
    .where('application_id', '=', applicationId)
    .where('purpose', '=', purpose)
    .execute()
  if (uris.length === 0) return
  await tx
    .insertInto('redirect_uris')
    .values(uris.map((uri) => ({ application_id: applicationId, purpose, uri })))
    .execute()
}

/** Replaces what is configured. The caller removed duplicates. */
export async function replaceConfiguredPermissions(
  tx: Statements,
  applicationId: string,
  permissions: readonly Omit<Tables['configured_permissions'], 'application_id'>[],
): Promise<void> {
  await tx.deleteFrom('configured_permissions').where('application_id', '=', applicationId).execute()
  if (permissions.length === 0) return
  await tx
    .insertInto('configured_permissions')
    .values(permissions.map((permission) => ({ application_id: applicationId, ...permission })))
    .execute()
}
