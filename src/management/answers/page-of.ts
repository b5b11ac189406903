// One page of a list: its rows, and the link to the next page, which asks for the same.

import type { AfterRow, Stretch } from '../../storage/sql/lists/people-lists.js'
import { type After, type ListAddress, openPageToken, type PageQuery, pageLink } from './page.js'

/** A list, and which page of it is requested. */
export interface RequestedPage extends ListAddress {
  query: PageQuery
}

/** `more` is spread into the answer. */
export interface Page<Row> {
  rows: Row[]
  more: { nextLink?: string }
}

/**
 * The rows of a page. `read` hears how much to read, one row more than is shown, and after which row; `placeOf` says
 * by which keys a row is found again. Throws ApiError 400 and StoreUnavailable.
 */
export async function pageOf<Row>(
  pagingKey: Uint8Array,
  { query, ...address }: RequestedPage,
  read: (stretch: { limit: number; after: After | undefined }) => Promise<Row[]>,
  placeOf: (row: Row) => After,
): Promise<Page<Row>> {
  const { limit, after } = openPageToken(pagingKey, query, address.list)
  const found = await read({ limit: limit + 1, after })
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  return { rows, more: last === undefined ? {} : { nextLink: pageLink(pagingKey, address, limit, placeOf(last)) } }
}

/** As pageOf, for rows that are told apart by when they were made and by a unique column. */
export async function pageByTime<Row>(
  pagingKey: Uint8Array,
  page: RequestedPage,
  read: (stretch: Stretch) => Promise<Row[]>,
  placeOf: (row: Row) => AfterRow,
): Promise<Page<Row>> {
  return pageOf(
    pagingKey,
    page,
    ({ limit, after }) =>
      read({ limit, after: after === undefined ? undefined : { at: Number(after.name), id: after.id } }),
    (row) => {
      const { at, id } = placeOf(row)
      return { name: String(at), id }
    },
  )
}
