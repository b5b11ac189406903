// Where the browser applications of the registrations are served from.

import type { Statements } from '../store.js'

/** The distinct redirect URIs of enabled applications, in order: https of all, http of native ones. */
export async function listBrowserRedirectUris(reader: Statements): Promise<string[]> {
  const rows = await reader
    .selectFrom('redirect_uris')
    .innerJoin('applications', 'applications.id', 'redirect_uris.application_id')
    .select('redirect_uris.uri')
    .distinct()
    .where('redirect_uris.purpose', '=', 'redirect')
    .where((where) =>
      where.or([
        where('redirect_uris.uri', 'like', 'https://%'),
        where.and([where('redirect_uris.uri', 'like', 'http://%'), where('applications.type', '=', 'native')]),
      ]),
    )
    .where('applications.state', '=', 'enabled')
    .orderBy('redirect_uris.uri')
    .execute()
  return rows.map(({ uri }) => uri)
}
