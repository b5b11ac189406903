// The lists of who belongs to a tenant, who is invited, and where somebody is signed in: a page at a time, each by an
// index.

import type { MembershipRow } from '../people/memberships.js'
import type { OneTimeLinkRow } from '../people/one-time-links.js'
import type { StoredSession } from '../people/sessions.js'
import { isByLostWay, type PresentWays } from '../people/sign-in-upkeep.js'
import type { Statements } from '../store.js'

/** The last row of the page before: when it was made (epoch ms), and its unique column. */
export interface AfterRow {
  at: number
  id: string
}

/** At most `limit` rows after one. */
export interface Stretch {
  limit: number
  after?: AfterRow | undefined
}

/** The memberships of a tenant, the oldest first. */
export async function listMembers(
  statements: Statements,
  tenantId: string,
  { after, limit }: Stretch,
): Promise<MembershipRow[]> {
  let rows = statements.selectFrom('memberships').selectAll().where('tenant_id', '=', tenantId)
  if (after !== undefined) {
    rows = rows.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'user_id'), '>', tuple(after.at, after.id)),
    )
  }
  return rows.orderBy('created_at').orderBy('user_id').limit(limit).execute()
}

/** The memberships of these people in a tenant; of those who do not belong to it there is none. */
export async function readMembersAmong(
  statements: Statements,
  tenantId: string,
  userIds: readonly string[],
): Promise<MembershipRow[]> {
  if (userIds.length === 0) return []
  return statements
    .selectFrom('memberships')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', 'in', [...userIds])
    .execute()
}

/** The invitations of a tenant that can still be used at `atMs`, the oldest first. */
export async function listInvitations(
  statements: Statements,
  tenantId: string,
  { after, limit, atMs }: Stretch & { atMs: number },
): Promise<OneTimeLinkRow[]> {
  let rows = statements
    .selectFrom('one_time_links')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('purpose', '=', 'invitation')
    .where('user_id', 'is', null)
    .where('used_at', 'is', null)
    .where('expires_at', '>', atMs)
  if (after !== undefined) {
    rows = rows.where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'hash'), '>', tuple(after.at, after.id)))
  }
  return rows.orderBy('created_at').orderBy('hash').limit(limit).execute()
}

/**
 * The sessions of a person that began last, the newest first. Only those that live: used since `seenSince`, not over at
 * `atMs`, and by none of the ways that start with `prefix` but those that `are` there.
 */
export async function listLiveSessions(
  statements: Statements,
  userId: string,
  { after, limit, atMs, seenSince, ways }: Stretch & { atMs: number; seenSince: number; ways: PresentWays },
): Promise<StoredSession[]> {
  let rows = statements
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .select('users.state as user_state')
    .where('sessions.user_id', '=', userId)
    .where('sessions.expires_at', '>', atMs)
    .where('sessions.last_seen_at', '>', seenSince)
    .where((where) => where.not(isByLostWay(where, ways)))
  if (after !== undefined) {
    rows = rows.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('sessions.created_at', 'sessions.id_hash'), '<', tuple(after.at, after.id)),
    )
  }
  return rows.orderBy('sessions.created_at', 'desc').orderBy('sessions.id_hash', 'desc').limit(limit).execute()
}
