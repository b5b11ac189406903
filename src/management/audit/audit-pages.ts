// A page of an audit list: both ways from any place, and a search in what is shown that reads a bounded number of rows
// and says where to go on.

import { type After, type ListAddress, openPageToken, pageLink } from '../answers/page.js'
import type { AuditQuery } from './audit-schemas.js'

/** As many rows one request reads when it searches. */
const mostSearched = 2_000
const searchedAtOnce = 200

/** What a list is read by. */
export interface AuditList<Row, Shown> {
  path: string
  list: ListAddress['list']
  read: (stretch: { limit: number; after: After | undefined; order: 'newest' | 'oldest' }) => Promise<Row[]>
  placeOf: (row: Row) => After
  shown: (row: Row) => Shown
}

interface Walked<Row, Shown> {
  value: Shown[]
  first: Row | undefined
  /** Where to go on; undefined at the end. */
  last: Row | undefined
}

/**
 * The rows that the query asks for. `nextLink`: what follows in the order of the query; `previousLink`: what is before,
 * in the other order. Throws ApiError 400 and StoreUnavailable.
 */
export async function auditPage<Row, Shown>(
  pagingKey: Uint8Array,
  query: AuditQuery,
  list: AuditList<Row, Shown>,
): Promise<{ value: Shown[]; nextLink?: string; previousLink?: string }> {
  const { order = 'newest' } = query
  const { limit, after } = openPageToken(pagingKey, query, list.list)
  const { value, first, last } = await walk(list, { limit, after, order, search: query.search?.toLowerCase() })
  const linkOf = (place: After, towards: 'newest' | 'oldest') => {
    const { $top: _top, $skiptoken: _skiptoken, order: _order, ...narrowing } = query
    const narrowedBy = { ...narrowing, order: towards === 'newest' ? undefined : towards }
    return pageLink(pagingKey, { path: list.path, list: list.list, narrowedBy }, limit, place)
  }
  const start = first === undefined ? after : list.placeOf(first)
  return {
    value,
    ...(last === undefined ? {} : { nextLink: linkOf(list.placeOf(last), order) }),
    ...(after === undefined || start === undefined
      ? {}
      : { previousLink: linkOf(start, order === 'newest' ? 'oldest' : 'newest') }),
  }
}

async function walk<Row, Shown>(
  list: AuditList<Row, Shown>,
  request: { limit: number; after: After | undefined; order: 'newest' | 'oldest'; search: string | undefined },
): Promise<Walked<Row, Shown>> {
  const { limit, order, search } = request
  const atOnce = search === undefined ? limit + 1 : searchedAtOnce
  const value: Shown[] = []
  let [looked, after, first, before]: [number, After | undefined, Row | undefined, Row | undefined] = [
    ...[0, request.after, undefined, undefined],
  ] as [number, After | undefined, undefined, undefined]
  for (;;) {
    const rows = await list.read({ limit: atOnce, after, order })
    for (const row of rows) {
      if (value.length === limit || looked === mostSearched) return { value, first, last: before }
      const shown = list.shown(row)
      if (search === undefined || JSON.stringify(shown).toLowerCase().includes(search)) {
        value.push(shown)
        first ??= row
      }
      looked += 1
      before = row
    }
    if (rows.length < atOnce || before === undefined) return { value, first, last: undefined }
    after = list.placeOf(before)
  }
}
