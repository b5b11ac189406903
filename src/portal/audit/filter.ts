// What the address of an audit page asks for, and the query of the management API that answers it.

import { ApiError } from '../../http/answers/api-error.js'
import type { PeopleAnswer } from '../../management/people/people-schemas.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { readApplication } from '../application-page.js'
import type { PortalContext } from '../context.js'

/** As it was typed. */
export interface AuditFilter {
  event: string
  /** An application identifier or public key. */
  application: string
  /** A user's id or e-mail address. */
  person: string
  /** Days, both included. */
  from: string
  to: string
}

const names = ['event', 'application', 'person', 'from', 'to'] as const
const longest = 256
const dayMs = 86_400_000
/** What no row is about: the filter names something that does not exist. */
const nobody = 'nobody'

/** The filter of the page's address. */
export function filterOf({ query }: PortalContext): AuditFilter {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, longest)
  const [event, application, person, from, to] = names.map(text)
  return { event: event ?? '', application: application ?? '', person: person ?? '', from: from ?? '', to: to ?? '' }
}

/** The same as part of an address: only what is set. */
export function addressOf(filter: AuditFilter): URLSearchParams {
  return new URLSearchParams(names.filter((name) => filter[name] !== '').map((name) => [name, filter[name]]))
}

/** For `GET /auditEvents` and `GET /activity`. Throws ApiError: 400 with the field in `target`. */
export async function apiQuery(context: PortalContext, filter: AuditFilter): Promise<URLSearchParams> {
  const { event, application, person, from, to } = filter
  return new URLSearchParams({
    ...(event && { event }),
    ...(application && { applicationId: await applicationId(context, application) }),
    ...(person && { userId: await userId(context, person) }),
    ...(from && { from: dayOf(from, 'from') }),
    // The API leaves `to` out.
    ...(to && { to: new Date(Date.parse(dayOf(to, 'to')) + dayMs).toISOString().slice(0, 10) }),
  })
}

/** One that was deleted is found by its identifier, which its events carry. */
async function applicationId(context: PortalContext, typed: string): Promise<string> {
  const identifier = parseClientIdentifier(typed)
  if (identifier === undefined) {
    throw new ApiError(400, 'InvalidRequest', 'An application has a GUID or a public key.', { target: 'application' })
  }
  if (identifier.includes('-')) return identifier
  try {
    return (await readApplication(context, identifier)).applicationId
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return nobody
    throw error
  }
}

async function userId(context: PortalContext, typed: string): Promise<string> {
  if (!typed.includes('@')) return typed
  const { value } = await context.api<PeopleAnswer<'users'>>('GET', `/users?${new URLSearchParams({ email: typed })}`)
  return value[0]?.userId ?? nobody
}

function dayOf(text: string, target: string): string {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text) return text
  throw new ApiError(400, 'InvalidRequest', 'A day is such as 2026-01-31.', { target })
}
