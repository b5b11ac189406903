// What an overview says of people: how many there are, who has no second factor, and whose sign-ins failed.

import type { Statements } from '../store.js'
import type { OfTenant } from './application-counts.js'

/** A member with an enabled account. */
export interface Member {
  user_id: string
  name: string
  email: string
  role: string
}

/** The enabled members, and those of them without a second factor; and invitations that wait at `nowMs`. */
export async function countMembers(
  statements: Statements,
  { tenantId, nowMs }: OfTenant & { nowMs: number },
): Promise<{ people: number; withoutSecondFactor: number; invitations: number }> {
  const all = await membersOf(statements, { tenantId })
    .select((each) => each.fn.count('users.id').distinct().as('people'))
    .executeTakeFirstOrThrow()
  const without = await membersOf(statements, { tenantId })
    .where('users.totp_secret', 'is', null)
    .select((each) => each.fn.count('users.id').distinct().as('people'))
    .executeTakeFirstOrThrow()
  let waiting = statements
    .selectFrom('one_time_links')
    .where('purpose', '=', 'invitation')
    .where('user_id', 'is', null)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
  if (tenantId !== undefined) waiting = waiting.where('tenant_id', '=', tenantId)
  const invited = await waiting.select((each) => each.fn.countAll().as('links')).executeTakeFirstOrThrow()
  return {
    people: Number(all.people),
    withoutSecondFactor: Number(without.people),
    invitations: Number(invited.links),
  }
}

/** Enabled members without a second factor, those who may do most first; at most `limit`. */
export async function listWithoutSecondFactor(
  statements: Statements,
  about: OfTenant,
  limit: number,
): Promise<Member[]> {
  return membersOf(statements, about)
    .where('users.totp_secret', 'is', null)
    .select(['memberships.user_id', 'users.name', 'users.email', 'memberships.role'])
    .orderBy((each) =>
      each
        .case()
        .when('memberships.role', '=', 'owner')
        .then(0)
        .when('memberships.role', '=', 'administrator')
        .then(1)
        .when('memberships.role', '=', 'developer')
        .then(2)
        .else(3)
        .end(),
    )
    .orderBy('users.name')
    .orderBy('users.id')
    .limit(limit)
    .execute()
}

function membersOf(statements: Statements, { tenantId }: OfTenant) {
  const query = statements
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .where('users.state', '=', 'enabled')
  return tenantId === undefined ? query : query.where('memberships.tenant_id', '=', tenantId)
}

/** Somebody's sign-in that failed; without a person nobody has that address. */
export interface FailedSignIn {
  at: number
  user_id: string | null
}

/** Failed sign-ins since then (epoch ms), the newest first; of a tenant those of its members. At most `limit`. */
export async function listFailedSignIns(
  statements: Statements,
  { tenantId, sinceMs }: OfTenant & { sinceMs: number },
  limit: number,
): Promise<FailedSignIn[]> {
  const failed = statements
    .selectFrom('activity')
    .where('activity.event', '=', 'user.sign-in-failed')
    .where('activity.at', '>=', sinceMs)
  const wanted =
    tenantId === undefined
      ? failed
      : failed
          .innerJoin('activity_members', 'activity_members.id', 'activity.id')
          .where('activity_members.tenant_id', '=', tenantId)
          .where('activity_members.at', '>=', sinceMs)
  const rows = await wanted
    .select(['activity.at', 'activity.user_id'])
    .orderBy('activity.at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ at, user_id }) => ({ at: Number(at), user_id }))
}
