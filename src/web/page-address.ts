// What the address of a page says. The target is the one that was read once for all
// (http/requests/canonical-target.ts).

import type { FastifyRequest } from 'fastify'
import { requestContext } from '../http/requests/request-context.js'

/** The address of the page that was requested, from its path on; forms post to the page that they stand on. */
export function ownAddress(request: FastifyRequest): string {
  const { target } = requestContext(request)
  if (!target.ok) return '/account'
  return target.query === undefined ? target.path : `${target.path}?${target.query}`
}

/** The query as it was sent, without `?`; empty when there is none. */
export function queryTextOf(request: FastifyRequest): string {
  const { target } = requestContext(request)
  return (target.ok ? target.query : undefined) ?? ''
}

/** The query, taken apart. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(queryTextOf(request))
}
