// One page of a list whose rows are told apart by when they were made and by a unique column.

import type { AfterRow, Stretch } from '../../storage/sql/lists/people-lists.js'
import { type List, openPageToken, type PageQuery, pageLink } from '../answers/page.js'

/** A list, and what of it is asked for. */
export interface RequestedPage {
  /** Below /api/v2. */
  path: string
  list: List
  query: PageQuery
  /** What the list is narrowed by, for the link to the next page. */
  same?: Record<string, string>
}

/**
 * The rows of a page, and the link to the next when there is one. `read` hears how much to read, one row more than is
 * shown. Throws ApiError 400 and StoreUnavailable.
 */
export async function pageOf<Row>(
  pagingKey: Uint8Array,
  { path, list, query, same = {} }: RequestedPage,
  read: (stretch: Stretch) => Promise<Row[]>,
  placeOf: (row: Row) => AfterRow,
): Promise<{ rows: Row[]; more: { nextLink?: string } }> {
  const { limit, after } = openPageToken(pagingKey, query, list)
  const found = await read({
    limit: limit + 1,
    after: after === undefined ? undefined : { at: Number(after.name), id: after.id },
  })
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  if (last === undefined) return { rows, more: {} }
  const { at, id } = placeOf(last)
  const link = pageLink(pagingKey, path, limit, { name: String(at), id }, list)
  const narrowed = new URLSearchParams(same).toString()
  return {
    rows,
    more: { nextLink: narrowed === '' ? link : `${link}&${narrowed}` },
  }
}
