// Who did it and what it is about, in words, for a page of events.

import { displayName } from '../../web/pages/display-name.js'
import type { PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import type { AuditListPage, AuditNames, Noted } from './lists.js'

/** What a page of events is shown with. */
export interface EventNames {
  /** By user id; `you` for the person who reads. */
  people: ReadonlyMap<string, string>
  /** `isOwn`: registered in the tenant, so that there is a page about it. */
  applications: ReadonlyMap<string, { name: string; isOwn: boolean }>
  tenants: ReadonlyMap<string, string>
}

/** The names of an answer of the API, for a page of that list. */
export async function namesOf(
  deps: PortalDependencies,
  context: PortalContext,
  { scope }: Pick<AuditListPage, 'scope'>,
  { people, applications, tenants }: AuditNames,
): Promise<EventNames> {
  const named = new Map<string, { name: string; isOwn: boolean }>()
  for (const [id, name] of Object.entries(applications)) {
    const registration = scope === 'tenant' ? await deps.directory.findRegistration(id) : undefined
    const isOwn = registration?.tenantId === context.currentTenant.tenantId
    named.set(id, { name: displayName(name, 60), isOwn })
  }
  const shown = (names: Record<string, string>) =>
    new Map(Object.entries(names).map(([id, name]) => [id, displayName(name, 60)]))
  const { userId } = context.person.user
  return { people: shown(people).set(userId, 'you'), applications: named, tenants: shown(tenants) }
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
