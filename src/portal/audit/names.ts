// Who did it and what it is about, in words, for a page of events.

import { displayName } from '../../web/pages/display-name.js'
import type { PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { granterNames } from '../permissions/granters.js'

/** What both lists have in common. */
export interface Noted {
  at: string
  event: string
  applicationId: string | null
  userId: string | null
  requestId: string | null
  address: string | null
  details: unknown
  actor?: unknown
}

export interface Names {
  people: ReadonlyMap<string, string>
  /** `isOwn`: registered in the tenant, so that there is a page about it. */
  applications: ReadonlyMap<string, { name: string; isOwn: boolean }>
}

/** What people are called who do not belong to the tenant any more. */
export const gone = 'somebody who has left'

/** The names of everybody and everything that the events are about. Throws ApiError and StoreUnavailable. */
export async function namesOf(
  deps: PortalDependencies,
  context: PortalContext,
  events: readonly Noted[],
): Promise<Names> {
  const actors = events.map((each) => actorOf(each))
  const people = [...events.map(({ userId }) => userId), ...actors.map(({ userId }) => userId)]
  const applications = [...events.map((each) => each.applicationId), ...actors.map((each) => each.applicationId)]
  const named = new Map<string, { name: string; isOwn: boolean }>()
  for (const id of new Set(applications.filter(isText))) {
    const registration = await deps.directory.findRegistration(id)
    if (registration === undefined) continue
    named.set(id, {
      name: displayName(registration.name, 60),
      isOwn: registration.tenantId === context.currentTenant.tenantId,
    })
  }
  return { people: await granterNames(context, people.filter(isText), gone), applications: named }
}

/** Who did it, as far as the row says: it may have been changed to anything. */
export function actorOf({ actor, details }: Noted): Partial<Record<'kind' | 'userId' | 'applicationId', string>> {
  const said = actor ?? (isRecord(details) ? details['actor'] : undefined)
  if (!isRecord(said)) return {}
  const [kind, userId, applicationId] = [said['kind'], said['userId'], said['applicationId']]
  return {
    ...(isText(kind) && { kind }),
    ...(isText(userId) && { userId }),
    ...(isText(applicationId) && { applicationId }),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
