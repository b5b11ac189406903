// What somebody is now who made a credential that others use later: an invitation, a link to a new password, a
// registration token. Such a credential is worth what its maker may give when it is used, and nothing once they are
// dismissed, disabled or less than they were (C22).

import type { Role } from '../config/settings/settings.js'
import { readMemberships } from '../storage/sql/people/memberships.js'
import { readUser } from '../storage/sql/people/users.js'
import { readApplications } from '../storage/sql/registrations/applications.js'
import { readInstallations } from '../storage/sql/registrations/installations.js'
import type { Statements } from '../storage/sql/store.js'

export type MakerAuthority =
  /** Without a role they do not belong to the tenant. */
  { kind: 'person'; role: Role | undefined; isOperator: boolean } | { kind: 'application'; isInstalled: boolean }

const roles: readonly Role[] = ['owner', 'administrator', 'developer', 'member']

/** Of the person or the application with this id; undefined: it is gone or disabled. Throws StoreUnavailable. */
export async function makerAuthority(
  statements: Statements,
  makerId: string,
  tenantId: string,
): Promise<MakerAuthority | undefined> {
  const user = await readUser(statements, 'id', makerId)
  if (user !== undefined) {
    if (user.state !== 'enabled') return undefined
    const [place] = await readMemberships(statements, { userId: makerId, tenantId })
    const role = place && (roles.find((each) => each === place.role) ?? 'member')
    return { kind: 'person', role, isOperator: Number(user.operator) === 1 }
  }
  const [record] = await readApplications(statements, 'id', makerId)
  if (record === undefined || record.application.state !== 'enabled') return undefined
  const isInstalled = (await readInstallations(statements, makerId, tenantId)).length > 0
  return { kind: 'application', isInstalled }
}
