// What a list of applications says of each beyond its name: whose it is, when it was used, when its secret ends.

import { commandLineClient } from '../../../oauth/command-line-client.js'
import type { ApplicationRow } from '../registrations/applications.js'
import type { Statements } from '../store.js'
import type { OfTenant } from './application-counts.js'
import { hasInName } from './name-keys.js'

/** Which applications: whose name has `search` in it, or that have this identifier. */
export interface Wanted extends OfTenant {
  state: 'enabled' | 'disabled' | undefined
  search: string
  identifier: string | undefined
}

/**
 * A stretch of the applications by name, as people sort names, and how many there are altogether. Both go through an index
 * of names alone; only the rows of the stretch are read.
 */
export async function listApplicationRows(
  statements: Statements,
  wanted: Wanted,
  { skip, limit }: { skip: number; limit: number },
): Promise<{
  count: number
  rows: Pick<ApplicationRow, 'id' | 'public_key' | 'name' | 'type' | 'state' | 'auth_method' | 'created_at'>[]
}> {
  const counted = await found(statements, wanted)
    .select((each) => each.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  const stretch = found(statements, wanted).select('id').orderBy('name_key').orderBy('id').offset(skip).limit(limit)
  const rows = await statements
    .selectFrom('applications')
    .select(['id', 'public_key', 'name', 'type', 'state', 'auth_method', 'created_at'])
    .where('id', 'in', stretch)
    .orderBy('name_key')
    .orderBy('id')
    .execute()
  return { count: Number(counted.count), rows }
}

function found(statements: Statements, { tenantId, state, search, identifier }: Wanted) {
  let query = statements.selectFrom('applications').where('id', '!=', commandLineClient.applicationId)
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
  if (state !== undefined) query = query.where('state', '=', state)
  if (search === '') return query
  const named = hasInName(search)
  if (identifier === undefined) return query.where(named)
  return query.where((where) => where.or([named, where('id', '=', identifier), where('public_key', '=', identifier)]))
}

/** What there is about one application. Epoch ms. */
export interface ApplicationDetails {
  /** People come back to it. */
  hasRedirectUris: boolean
  /** When the last of its living secrets ends. */
  secretEndsAt: number | undefined
  /** When a secret or a permission of it was last used. */
  lastUsedAt: number | undefined
}

/** Of these applications, by id; of a page of them. */
export async function readApplicationDetails(
  statements: Statements,
  ids: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, ApplicationDetails>> {
  if (ids.length === 0) return new Map()
  const uris = await statements
    .selectFrom('redirect_uris')
    .where('application_id', 'in', [...ids])
    .where('purpose', '=', 'redirect')
    .select('application_id')
    .distinct()
    .execute()
  const secrets = await statements
    .selectFrom('application_secrets')
    .where('application_id', 'in', [...ids])
    .groupBy('application_id')
    .select((each) => [
      'application_id',
      each.fn.max('last_used_at').as('last_used_at'),
      each.fn.max('ends_at').as('ends_at'),
    ])
    .execute()
  const uses = await statements
    .selectFrom('permission_usage')
    .where('application_id', 'in', [...ids])
    .groupBy('application_id')
    .select((each) => ['application_id', each.fn.max('last_used_at').as('last_used_at')])
    .execute()
  return new Map(
    ids.map((id) => {
      const secret = secrets.find((row) => row.application_id === id)
      const used = uses.find((row) => row.application_id === id)
      const ends = Number(secret?.ends_at ?? 0)
      const last = Math.max(Number(secret?.last_used_at ?? 0), Number(used?.last_used_at ?? 0))
      const hasRedirectUris = uris.some((row) => row.application_id === id)
      return [
        id,
        { hasRedirectUris, secretEndsAt: ends > nowMs ? ends : undefined, lastUsedAt: last === 0 ? undefined : last },
      ]
    }),
  )
}

/** Who owns these applications, the oldest first: names of people, and of applications that own others. */
export async function readOwnerNames(
  statements: Statements,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (ids.length === 0) return new Map()
  const rows = await statements
    .selectFrom('application_owners as owner')
    .leftJoin('users', 'users.id', 'owner.owner_id')
    .leftJoin('applications', 'applications.id', 'owner.owner_id')
    .where('owner.application_id', 'in', [...ids])
    .select(['owner.application_id', 'users.name as person', 'users.email', 'applications.name as application'])
    .orderBy('owner.added_at')
    .orderBy('owner.owner_id')
    .execute()
  const names = new Map<string, string[]>()
  for (const { application_id, person, email, application } of rows) {
    const name = person || email || application
    if (name) names.set(application_id, [...(names.get(application_id) ?? []), name])
  }
  return names
}
