// The list of applications: by name, a page at a time, narrowed by what is asked for. A page token is one of the list that
// it was made for.

import { type Static, Type } from 'typebox'
import { listApplications } from '../memory/store/applications.js'
import { summaryAnswer } from './application-answer.js'
import type { ManagementDependencies } from './dependencies.js'
import { openPageToken, pageLink, pageQuery } from './page.js'
import type { Answer } from './schemas.js'

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
  const asked = { ...(type && { type }), ...(state && { state }), ...(search && { search }) }
  const narrowed = new URLSearchParams(asked).toString()
  const list = `applications by name ${narrowed}` as const
  const { limit, after } = openPageToken(pagingKey, query, list)
  const rows = await listApplications(store.reader, { ...asked, after, limit: limit + 1, tenantId })
  const last = rows.length > limit ? rows[limit - 1] : undefined
  const value = rows.slice(0, limit).map(summaryAnswer)
  if (last === undefined) return { value }
  const link = pageLink(pagingKey, '/applications', limit, last, list)
  return { value, nextLink: narrowed === '' ? link : `${link}&${narrowed}` }
}
