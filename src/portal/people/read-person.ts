// The person that a page's address names, as the management API tells of them.

import type { FastifyRequest } from 'fastify'
import type { PeopleAnswer } from '../../management/people/people-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import type { PortalContext } from '../context.js'

export type Person = PeopleAnswer<'user'>

/** Throws ApiError 404 for a person who does not belong to the current tenant. */
export function readPerson(request: FastifyRequest, context: PortalContext): Promise<Person> {
  const { userId } = request.params as { userId: string }
  return context.api('GET', `/users/${encodeURIComponent(userId)}`)
}

/** What to call them. */
export function nameOf({ name, email }: Pick<Person, 'name' | 'email'>): string {
  return displayName(name === '' ? email : name)
}
