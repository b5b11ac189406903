// Which permission a row of the Store is about.

import type { PermissionRef } from '../../directory/records.js'
import type { PermissionOfApplication } from '../../storage/sql/overview/application-overview.js'

/** The permission of a row. */
export function refOf({ kind, resource, permission_id }: PermissionOfApplication): PermissionRef {
  return { kind: kind === 'application' ? 'application' : 'delegated', resource, id: permission_id }
}
