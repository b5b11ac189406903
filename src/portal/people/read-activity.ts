// Where a person is signed in, which applications they let act for them, and how they signed in lately: as far as the
// management API tells it to who looks. A person of several tenants looks after their account themselves, so of them the
// sessions are not shown, and of sign-ins what the audit shows of members.

import { ApiError } from '../../http/answers/api-error.js'
import type { ActivityEntries, AuditEvents } from '../../management/audit/audit-schemas.js'
import type { ConsentAnswer } from '../../management/consents/consent-schemas.js'
import type { PeopleAnswer } from '../../management/people/people-schemas.js'
import { compareNames } from '../../naming/name-order.js'
import type { PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'

const mostSessions = 20
const mostSignIns = 10

export type SignIn = (AuditEvents['value'][number] | ActivityEntries['value'][number]) & { limited?: boolean }

export interface UsedApplication {
  applicationId: string
  name: string
  permissions: ConsentAnswer<'consent'>['permissions']
}

export interface PersonActivity {
  /** Why there is none to show, in the words of the API; else what there is. */
  sessions: { refused: string } | { value: PeopleAnswer<'sessions'>['value']; more: boolean }
  /** What this person allowed by themselves, by name. */
  applications: readonly UsedApplication[]
  /** Of the last ones of either kind, the newest first. */
  signIns: readonly SignIn[]
}

/** Throws ApiError and StoreUnavailable. */
export async function readActivity(
  deps: PortalDependencies,
  context: PortalContext,
  userId: string,
): Promise<PersonActivity> {
  const about = new URLSearchParams({ userId, $top: String(mostSignIns) })
  const [sessions, consents, successes, failures] = await Promise.all([
    readSessions(context, userId),
    readConsents(context, userId),
    allowed(context.api<AuditEvents>('GET', `/auditEvents?${about}&event=user.signed-in`)),
    allowed(context.api<ActivityEntries>('GET', `/activity?${about}`)),
  ])
  const signIns: SignIn[] = [...(successes?.value ?? []), ...(failures?.value ?? [])]
  return {
    sessions,
    applications: await named(deps, consents),
    signIns: signIns.sort((one, other) => Date.parse(other.at) - Date.parse(one.at)).slice(0, mostSignIns),
  }
}

async function readSessions(context: PortalContext, userId: string): Promise<PersonActivity['sessions']> {
  const query = new URLSearchParams({ userId, $top: String(mostSessions) })
  try {
    const { value, nextLink } = await context.api<PeopleAnswer<'sessions'>>('GET', `/sessions?${query}`)
    const latest = value.toSorted((one, other) => Date.parse(other.lastSeenAt) - Date.parse(one.lastSeenAt))
    return { value: latest, more: nextLink !== undefined }
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return { refused: error.message }
    throw error
  }
}

async function readConsents(context: PortalContext, userId: string): Promise<ConsentAnswer<'consent'>[]> {
  const query = new URLSearchParams({ userId, tenantId: context.currentTenant.tenantId })
  const found = await allowed(context.api<ConsentAnswer<'consents'>>('GET', `/consents?${query}`))
  return (found?.value ?? []).filter((each) => each.userId === userId && each.permissions.length > 0)
}

async function named(
  deps: PortalDependencies,
  consents: readonly ConsentAnswer<'consent'>[],
): Promise<UsedApplication[]> {
  const found = await Promise.all(
    consents.map(async ({ applicationId, permissions }) => {
      const registration = await deps.directory.findRegistration(applicationId)
      return { applicationId, permissions, name: registration?.name ?? applicationId }
    }),
  )
  return found.sort((one, other) => compareNames(one.name, other.name))
}

/** What the role of who looks does not open is left out of the page. */
async function allowed<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined
    throw error
  }
}
