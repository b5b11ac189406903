// The way on from a page of a list.

import type { VNode } from 'preact'
import type { PortalContext } from '../context.js'

/** The token of the next page in an answer's `nextLink`; undefined where there is none. */
export function nextToken(nextLink: string | undefined): string | undefined {
  if (nextLink === undefined) return undefined
  return new URLSearchParams(nextLink.split('?')[1]).get('$skiptoken') ?? undefined
}

/** A query of the API for the page after `after`. */
export function pageAfter(after: string | null): string {
  return new URLSearchParams({
    $top: '100',
    ...(after === null ? {} : { $skiptoken: after }),
  }).toString()
}

/** The link to the next page, nothing on the last one. `query` says which page, in the words of the portal. */
export function MoreLink({
  context,
  path,
  query,
  text,
  id = 'next',
}: {
  context: PortalContext
  path: string
  query: Record<string, string> | undefined
  text: string
  id?: string
}): VNode | null {
  if (query === undefined) return null
  return (
    <p>
      <a id={id} href={context.link(`${path}?${new URLSearchParams(query)}`)}>
        {text}
      </a>
    </p>
  )
}
