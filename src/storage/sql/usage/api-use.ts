// How much hangs on an API that a tenant defines: by permission, which applications have it and who allowed it.

import type { Statements } from '../store.js'

/** Of one permission: applications that list it, applications that were granted it somewhere, people who allowed it. */
export interface ApiPermissionUse {
  id: string
  listed: number
  granted: number
  people: number
}

/** Of each permission of the resource that is in use, and how many applications have any of them. */
export async function countApiUse(
  statements: Statements,
  resource: string,
): Promise<{ applications: number; permissions: ApiPermissionUse[] }> {
  const applications = new Set<string>()
  const found = new Map<string, ApiPermissionUse>()
  const add = (id: string, of: 'listed' | 'granted' | 'people', rows: number) => {
    const use = found.get(id) ?? { id, listed: 0, granted: 0, people: 0 }
    use[of] += rows
    found.set(id, use)
  }
  for (const [table, of] of [
    ['configured_permissions', 'listed'],
    ['permission_grants', 'granted'],
  ] as const) {
    const rows = await statements
      .selectFrom(table)
      .select(['permission_id', 'application_id'])
      .where('resource', '=', resource)
      .distinct()
      .execute()
    for (const { permission_id, application_id } of rows) {
      applications.add(application_id)
      add(permission_id, of, 1)
    }
  }
  const people = await statements
    .selectFrom('user_consents')
    .select('permission_id')
    .select(({ fn }) => fn.count('user_id').distinct().as('people'))
    .where('resource', '=', resource)
    .groupBy('permission_id')
    .execute()
  for (const row of people) add(row.permission_id, 'people', Number(row.people))
  return { applications: applications.size, permissions: [...found.values()] }
}
