// How a permission is written on the command line: the specification's `{resource}/id`, with the kind before it.

import { InvalidArgumentError } from 'commander'

export interface PermissionArgument {
  kind: 'application' | 'delegated'
  resource?: string
  id: string
}

/**
 * `[application:|delegated:][{resource}/]id`, such as `User.Read.All`, `delegated:User.Read` or
 * `https://assets.example/api/assets_read`. Without a kind it is `kind`.
 */
export function permissionArgument(value: string, kind: PermissionArgument['kind']): PermissionArgument {
  const [, written, rest] = /^(?:(application|delegated):)?(.*)$/s.exec(value) ?? []
  // A permission's id has no slash, so the last one ends the resource.
  const slash = (rest ?? '').lastIndexOf('/')
  const id = (rest ?? '').slice(slash + 1)
  if (!/^[^\s,]+$/.test(id)) throw new InvalidArgumentError(`${JSON.stringify(value)} is not a permission.`)
  return {
    kind: written === 'application' || written === 'delegated' ? written : kind,
    ...(slash > 0 ? { resource: (rest ?? '').slice(0, slash) } : {}),
    id,
  }
}
