// A list that a part of a name narrows: what is searched for, the query of its page, and the form.

import type { VNode } from 'preact'
import { Field } from '../../web/pages/elements.js'
import type { PortalContext } from '../context.js'

const pageSize = 50
const mostTyped = 128

export interface Search {
  /** What was typed, empty for everything. */
  search: string
  /** The token of the page. */
  after: string | null
}

/** What the page's address asks for. */
export function readSearch({ query }: Pick<PortalContext, 'query'>): Search {
  return { search: (query.get('search') ?? '').trim().slice(0, mostTyped), after: query.get('after') }
}

/** The query of the API for this page. */
export function searchQuery({ search, after }: Search): string {
  return new URLSearchParams({
    $top: String(pageSize),
    ...(search === '' ? {} : { search }),
    ...(after === null ? {} : { $skiptoken: after }),
  }).toString()
}

/** The form; `label` says what it looks at. */
export function SearchForm({
  context,
  path,
  label,
  search,
  hidden = {},
}: {
  context: PortalContext
  path: string
  label: string
  search: string
  /** What else the address says. */
  hidden?: Readonly<Record<string, string>>
}): VNode {
  return (
    <search>
      <form id="search-form" class="inline" method="get" action={path}>
        {context.tenants.length > 1 ? (
          <input type="hidden" name="tenant" value={context.currentTenant.tenantId} />
        ) : null}
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <Field id="search" label={label} type="search" required={false} value={search} maxLength={mostTyped} />
        <button id="find" type="submit" class="plain">
          Search
        </button>
      </form>
    </search>
  )
}
