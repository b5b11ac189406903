// Of which roles a second factor is demanded (decision 119), for those who look after people.

import type { Role, Settings } from '../../config/settings/settings.js'
import type { Tenant } from '../../directory/records.js'
import type { ServerDemand } from '../../storage/sql/people/factor-demands.js'
import { isAtLeast } from '../memberships/roles.js'

interface Deps {
  settings: Pick<Settings['signIn'], 'secondFactor'>
}

const roles = ['owner', 'administrator', 'developer', 'member'] as const

/** The roles that need a second factor in a tenant that demands it from the role `own` up, the highest first. */
export function rolesWithFactor({ settings }: Deps, own: Tenant['secondFactor']): Role[] {
  const { required } = settings.secondFactor
  return roles.filter((role) => required.has(role) || (own !== 'none' && isAtLeast(role, own)))
}

/** What the server itself demands, for lists. */
export function serverDemand({ settings }: Deps): ServerDemand {
  const { required } = settings.secondFactor
  return { roles: roles.filter((role) => required.has(role)), operators: required.has('operator') }
}
