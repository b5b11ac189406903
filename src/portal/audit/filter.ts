// What the address of an audit page asks for, and the query of the management API that answers it.

import { ApiError } from '../../http/answers/api-error.js'
import type { PortalContext } from '../context.js'
import type { AuditListPage } from './lists.js'

/** As it was typed. */
export interface AuditFilter {
  event: string
  /** An identifier, or a part of the name. */
  application: string
  /** An identifier, or a part of the name or address. */
  person: string
  /** Of the whole server: an identifier, or a part of the name. */
  in: string
  /** A text that stands anywhere. */
  search: string
  /** Days, both included. */
  from: string
  to: string
}

const names = ['event', 'application', 'person', 'in', 'search', 'from', 'to'] as const
const longest = 128
const dayMs = 86_400_000

/** The filter of the page's address. */
export function filterOf({ query }: PortalContext): AuditFilter {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, longest)
  return Object.fromEntries(names.map((name) => [name, text(name)])) as unknown as AuditFilter
}

/** The same as part of an address: only what is set. */
export function addressOf(filter: Partial<AuditFilter>): URLSearchParams {
  return new URLSearchParams(names.flatMap((name) => (filter[name] ? [[name, filter[name]]] : [])))
}

/** For the lists of the management API. Throws ApiError: 400 with the field in `target`. */
export function apiQuery(filter: AuditFilter, { scope }: Pick<AuditListPage, 'scope'>): URLSearchParams {
  const { event, application, person, search, from, to } = filter
  if (search.length === 1)
    throw new ApiError(400, 'InvalidRequest', 'Search for two letters at least.', target('search'))
  return new URLSearchParams({
    ...(event && { event }),
    ...(application && { application }),
    ...(person && { person }),
    ...(filter.in && scope === 'server' && { tenant: filter.in }),
    ...(search && { search }),
    ...(from && { from: dayOf(from, 'from') }),
    // The API leaves `to` out.
    ...(to && { to: new Date(Date.parse(dayOf(to, 'to')) + dayMs).toISOString().slice(0, 10) }),
  })
}

function dayOf(text: string, name: string): string {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text) return text
  throw new ApiError(400, 'InvalidRequest', 'A day is such as 2026-01-31.', target(name))
}

function target(name: string) {
  return { target: name }
}
