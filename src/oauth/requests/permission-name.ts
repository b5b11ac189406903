// How a permission is written where one text names it: the specification's `{resource}/id`, with the kind before it.

export interface NamedPermission {
  kind: 'application' | 'delegated'
  resource?: string
  id: string
}

/**
 * `[application:|delegated:][{resource}/]id`, such as `User.Read.All`, `delegated:User.Read` or
 * `https://assets.example/api/assets_read`. Without a kind it is `kind`. Undefined for what is no permission.
 */
export function readPermissionName(value: string, kind: NamedPermission['kind']): NamedPermission | undefined {
  const [, written, rest] = /^(?:(application|delegated):)?(.*)$/s.exec(value) ?? []
  // A permission's id has no slash, so the last one ends the resource.
  const slash = (rest ?? '').lastIndexOf('/')
  const id = (rest ?? '').slice(slash + 1)
  if (!/^[^\s,]+$/.test(id)) return undefined
  return {
    kind: written === 'application' || written === 'delegated' ? written : kind,
    ...(slash > 0 ? { resource: (rest ?? '').slice(0, slash) } : {}),
    id,
  }
}
