// Where the browser applications of the registrations are served from.

import type { Statements } from '../store.js'

/** The distinct https redirect URIs of enabled applications, in order. */
export async function listBrowserRedirectUris(reader: Statements): Promise<string[]> {
  const rows = await reader
    .selectFrom('redirect_uris')
    .innerJoin('applications', 'applications.id', 'redirect_uris.application_id')
    .select('redirect_uris.uri')
    .distinct()
    .where('redirect_uris.purpose', '=', 'redirect')
    .where('redirect_uris.uri', 'like', 'https://%')
    .where('applications.state', '=', 'enabled')
    .orderBy('redirect_uris.uri')
    .execute()
  return rows.map(({ uri }) => uri)
}
