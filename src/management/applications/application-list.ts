// The list of applications: by name, a page at a time, narrowed by what is requested. A page token is one of the list
// that it was made for.

import { type Static, Type } from 'typebox'
import { listApplications } from '../../storage/sql/registrations/applications.js'
import { openPageToken, pageLink, pageQuery } from '../answers/page.js'
import type { ManagementDependencies } from '../dependencies.js'
import type { Answer } from '../schemas.js'
import { summaryAnswer } from './application-answer.js'

/** The query. `search` is a part of the name. */
export const applicationsQuery = Type.Object(
  {
    ...pageQuery.properties,
    type: Type.Optional(Type.Enum(['web', 'native'])),
    state: Type.Optional(Type.Enum(['enabled', 'disabled'])),
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  },
  { additionalProperties: false },
)
export type ApplicationsQuery = Static<typeof applicationsQuery>

/** A page of it; of one tenant, or without `tenantId` of all. Throws ApiError 400 and StoreUnavailable. */
export async function applicationList(
  { store, pagingKey }: Pick<ManagementDependencies, 'store' | 'pagingKey'>,
  { type, state, search, tenantId, ...query }: ApplicationsQuery & { tenantId: string | undefined },
): Promise<Answer<'applications'>> {
  const narrowedBy = { ...(type && { type }), ...(state && { state }), ...(search && { search }) }
  const list = `applications by name ${new URLSearchParams(narrowedBy)}` as const
  const { limit, after } = openPageToken(pagingKey, query, list)
  // One more than is shown says whether there is more.
  const found = await listApplications(store.reader, { type, state, search, tenantId, after, limit: limit + 1 })
  const value = found.slice(0, limit).map(summaryAnswer)
  const next = found.length > limit ? found[limit - 1] : undefined
  if (next === undefined) return { value }
  return { value, nextLink: pageLink(pagingKey, { path: '/applications', list, narrowedBy }, limit, next) }
}
