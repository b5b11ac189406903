// A permission on the command line.

import { InvalidArgumentError } from 'commander'
import { type NamedPermission, readPermissionName } from '../../../oauth/requests/permission-name.js'

/** Reads it; without a kind it is `kind`. Throws InvalidArgumentError for what is none. */
export function permissionArgument(value: string, kind: NamedPermission['kind']): NamedPermission {
  const named = readPermissionName(value, kind)
  if (named === undefined) throw new InvalidArgumentError(`${JSON.stringify(value)} is not a permission.`)
  return named
}
