// How much hangs on an application, a person or a tenant, counted as far as a number says more: what is above
// `mostCounted` is not looked at, so no question costs more than that.

import type { Statements } from '../store.js'

/** A count of so many means: at least. */
export const mostCounted = 10_000

/** Of which application, person or tenant; of everything when nothing is given. All that is given must fit. */
export interface Subject {
  applicationId?: string | undefined
  userId?: string | undefined
  tenantId?: string | undefined
}

/** Applications of a tenant, or of all, that are enabled. */
function countApplications(statements: Statements, tenantId: string | undefined): Promise<number> {
  const query = statements.selectFrom('applications').select('id as counted').where('state', '=', 'enabled')
  return count(statements, tenantId === undefined ? query : query.where('tenant_id', '=', tenantId))
}

/** Members of a tenant; without one, everybody with an account. */
function countPeople(statements: Statements, tenantId: string | undefined): Promise<number> {
  if (tenantId === undefined) return count(statements, statements.selectFrom('users').select('id as counted'))
  const members = statements.selectFrom('memberships').select('user_id as counted')
  return count(statements, members.where('tenant_id', '=', tenantId))
}

/** Browsers in which a person is signed in. */
function countSessions(statements: Statements, userId: string, nowMs: number): Promise<number> {
  const query = statements.selectFrom('sessions').select('id_hash as counted').where('user_id', '=', userId)
  return count(statements, query.where('expires_at', '>', nowMs))
}

/** What applications hold for people: sign-ins that go on, and the applications and people among them. */
export async function countGrants(
  statements: Statements,
  subject: Subject,
  nowMs: number,
): Promise<{ grants: number; applications: number; people: number }> {
  const row = await statements
    .selectFrom(livingGrants(statements, subject, nowMs).as('living'))
    .select(({ fn }) => [
      fn.countAll().as('grants'),
      fn.count('living.application_id').distinct().as('applications'),
      fn.count('living.user_id').distinct().as('people'),
    ])
    .executeTakeFirstOrThrow()
  return { grants: Number(row.grants), applications: Number(row.applications), people: Number(row.people) }
}

function livingGrants(statements: Statements, { applicationId, userId, tenantId }: Subject, nowMs: number) {
  let query = statements
    .selectFrom('grants')
    .select(['application_id', 'user_id'])
    .where('state', '=', 'active')
    .where((where) => where.or([where('expires_at', '=', 0), where('expires_at', '>', nowMs)]))
  if (applicationId !== undefined) query = query.where('application_id', '=', applicationId)
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
  return query.limit(mostCounted)
}

/** Token requests that were granted since then (epoch ms) and are still recorded: the newest of each application. */
function countTokens(statements: Statements, subject: Subject, sinceMs: number): Promise<number> {
  const { applicationId, userId, tenantId } = subject
  let query = statements
    .selectFrom('recorded_decisions')
    .select('id as counted')
    .where('at', '>', sinceMs)
    .where('what', '=', 'token')
    .where('outcome', '=', 'granted')
  if (applicationId !== undefined) query = query.where('application_id', '=', applicationId)
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
  return count(statements, query)
}

/** Applications that are there and came by a registration token, since then (epoch ms) where that is said. */
function countRegisteredWith(statements: Statements, tokenId: string, sinceMs?: number): Promise<number> {
  const query = statements
    .selectFrom('client_registrations')
    .innerJoin('applications', 'applications.id', 'client_registrations.application_id')
    .select('applications.id as counted')
    .where('client_registrations.registration_token_id', '=', tokenId)
  return count(statements, sinceMs === undefined ? query : query.where('applications.created_at', '>', sinceMs))
}

/** Each counts one kind of thing, up to `mostCounted`. */
export const countOf = {
  applications: countApplications,
  people: countPeople,
  sessions: countSessions,
  tokens: countTokens,
  registeredWith: countRegisteredWith,
} as const

type Countable = ReturnType<typeof countable>

function countable(statements: Statements) {
  return statements.selectFrom('users').select('id as counted')
}

async function count(statements: Statements, query: unknown): Promise<number> {
  const row = await statements
    .selectFrom((query as Countable).limit(mostCounted).as('few'))
    .select(({ fn }) => fn.countAll().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(row.rows)
}
