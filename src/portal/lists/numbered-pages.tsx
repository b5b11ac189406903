// Pages of a list whose length is known: which part of it is shown, and the ways back and on.

import type { VNode } from 'preact'
import type { PortalContext } from '../context.js'

/** So many rows are on a page. */
export const rowsOnPage = 50

/** Of a list with so many rows: which page the address asks for, and which rows those are. */
export interface NumberedPage {
  page: number
  /** Of the first row, from 0. */
  skip: number
  total: number
}

/** The page that the address names; one beyond the end is the last one. */
export function numberedPage({ query }: Pick<PortalContext, 'query'>, total: number): NumberedPage {
  const last = Math.max(1, Math.ceil(total / rowsOnPage))
  const named = Number(query.get('page') ?? '1')
  const page = Number.isInteger(named) ? Math.min(last, Math.max(1, named)) : 1
  return { page, skip: (page - 1) * rowsOnPage, total }
}

/** `51–100 of 266`, and the links; `query`: what else the address says. */
export function PageLinks({
  context,
  path,
  query,
  at: { page, skip, total },
}: {
  context: PortalContext
  path: string
  query: Record<string, string>
  at: NumberedPage
}): VNode | null {
  if (total === 0) return null
  const end = Math.min(total, skip + rowsOnPage)
  const to = (wanted: number) => {
    const all = new URLSearchParams({ ...query, ...(wanted === 1 ? {} : { page: String(wanted) }) }).toString()
    return context.link(all === '' ? path : `${path}?${all}`)
  }
  const number = new Intl.NumberFormat('en-GB')
  return (
    <nav class="toolbar middle" aria-label="Pages">
      <span class="fine" id="shown">
        {total === 1 ? '1 of 1' : `${number.format(skip + 1)}–${number.format(end)} of ${number.format(total)}`}
      </span>
      <span class="ways">
        {page === 1 ? null : (
          <a id="previous" href={to(page - 1)}>
            Previous page
          </a>
        )}
        {end === total ? null : (
          <a id="next" href={to(page + 1)}>
            Next page
          </a>
        )}
      </span>
    </nav>
  )
}
