// Who can get a token at all, with what in it: the real grants, counted. Of people only how many there are, by their
// role and by what they allowed; for a comparison of two configurations (gateway/diff/).

import type { Role } from '../../config/settings/settings.js'
import {
  type AfterConsent,
  countMembers,
  listGrantees,
  listUsableConsents,
  listUsableGrants,
  type UsableConsent,
} from '../../storage/sql/consents/access-grants.js'
import type { Statements } from '../../storage/sql/store.js'
import type { PermissionKind } from '../records.js'

/**
 * An application in a tenant: as itself, or for the people of one role there who allowed it the same. Its permissions
 * are configured and consented to.
 */
export interface AccessGrant {
  applicationId: string
  applicationName: string
  tenantId: string
  kind: PermissionKind
  /** Of the people; undefined for an application as itself. */
  role: Role | undefined
  /** How many they are; 0 for an application as itself. */
  people: number
  permissions: readonly GrantedToApplication[]
}

export interface GrantedToApplication {
  resource: string
  id: string
  /** An administrator for the tenant, or the people for themselves. */
  by: 'administrator' | 'user'
}

/** Rows that are read at once of what people allowed; more than one person can have allowed one application. */
const batch = 20_000

/** Of at most `limit` applications by id after `after`; `last` is where to go on, undefined at the end. */
export async function readAccessGrants(
  statements: Statements,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<{ grants: readonly AccessGrant[]; last: string | undefined }> {
  const applications = await listGrantees(statements, { after, limit })
  const members = memberCounts(statements)
  const grants: AccessGrant[] = []
  for (const application of applications) grants.push(...(await grantsOf(statements, application, members)))
  return { grants, last: applications.length < limit ? undefined : applications.at(-1)?.id }
}

/** Of all applications. */
export async function readAllAccessGrants(statements: Statements): Promise<readonly AccessGrant[]> {
  const found: AccessGrant[] = []
  let after: string | undefined
  do {
    const { grants, last } = await readAccessGrants(statements, { after, limit: 200 })
    found.push(...grants)
    after = last
  } while (after !== undefined)
  return found
}

type MemberCounts = (tenantId: string) => Promise<readonly { role: string; people: number }[]>

/** Asks once for each tenant. */
function memberCounts(statements: Statements): MemberCounts {
  const known = new Map<string, ReturnType<MemberCounts>>()
  return (tenantId) => {
    const counts = known.get(tenantId) ?? countMembers(statements, tenantId)
    known.set(tenantId, counts)
    return counts
  }
}

async function grantsOf(
  statements: Statements,
  { id: applicationId, name: applicationName }: { id: string; name: string },
  members: MemberCounts,
): Promise<AccessGrant[]> {
  const tenants = new Map<string, Record<PermissionKind, GrantedToApplication[]>>()
  const tenantOf = (tenantId: string) => {
    const known = tenants.get(tenantId) ?? { application: [], delegated: [] }
    tenants.set(tenantId, known)
    return known
  }
  for (const { tenant_id, kind, resource, permission_id: id } of await listUsableGrants(statements, applicationId)) {
    tenantOf(tenant_id)[kind as PermissionKind].push({ resource, id, by: 'administrator' })
  }
  const groups = await groupsOf(statements, applicationId)
  for (const { tenantId } of groups) tenantOf(tenantId)
  const found: AccessGrant[] = []
  for (const [tenantId, { application, delegated }] of tenants) {
    const common = { applicationId, applicationName, tenantId }
    const own = groups.filter((group) => group.tenantId === tenantId)
    if (application.length > 0) {
      found.push({ ...common, kind: 'application', role: undefined, people: 0, permissions: application })
    }
    for (const { role, people, permissions } of own) {
      found.push({ ...common, kind: 'delegated', role, people, permissions: [...delegated, ...permissions] })
    }
    if (delegated.length === 0) continue
    for (const { role, people: all } of await members(tenantId)) {
      const people = own.filter((group) => group.role === role).reduce((rest, group) => rest - group.people, all)
      if (people > 0) {
        found.push({ ...common, kind: 'delegated', role: role as Role, people, permissions: delegated })
      }
    }
  }
  return found
}

/** People of one role in one tenant who allowed the same. */
interface Group {
  tenantId: string
  role: Role
  people: number
  permissions: readonly GrantedToApplication[]
}

async function groupsOf(statements: Statements, applicationId: string): Promise<readonly Group[]> {
  const groups = new Map<string, Group>()
  const add = (rows: readonly UsableConsent[]) => {
    const [first] = rows
    if (first === undefined) return
    const { tenant_id: tenantId, role } = first
    const permissions = rows.map(({ resource, permission_id: id }) => ({ resource, id, by: 'user' as const }))
    const key = JSON.stringify([tenantId, role, permissions])
    const people = (groups.get(key)?.people ?? 0) + 1
    groups.set(key, { tenantId, role: role as Role, people, permissions })
  }
  let after: AfterConsent | undefined
  for (;;) {
    const rows = await listUsableConsents(statements, applicationId, { after, limit: batch })
    // The last person of a full batch may have more rows in the next: they are read again, as a whole.
    const end = rows.length < batch ? rows.length : rows.findIndex((row) => isSamePerson(row, rows.at(-1)))
    let from = 0
    for (let i = 1; i <= end; i += 1) {
      if (i < end && isSamePerson(rows[i], rows[from])) continue
      add(rows.slice(from, i))
      from = i
    }
    if (end === rows.length) return [...groups.values()]
    after = rows[end - 1]
  }
}

function isSamePerson(a: AfterConsent | undefined, b: AfterConsent | undefined): boolean {
  return a?.tenant_id === b?.tenant_id && a?.user_id === b?.user_id
}
