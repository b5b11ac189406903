// Permissions of another product as permissions of ours: by a map that somebody gives, else by an equal id. The
// management API's own permissions are never met by accident: an Application.ReadWrite.All of somebody else's means
// less.

import type { PermissionCatalogue, PermissionRef } from '../registrations/catalogue.js'
import type { Conversion, Imported, Note, RequestedPermission } from './sources/conversion.js'

/** From the source's name to `[application:|delegated:][{resource}/]id`, or to `-`: knowingly left out. */
export type PermissionMap = ReadonlyMap<string, string>

/**
 * What an imported application may ask for here, and what of it nobody knows. Throws RegistrationProblem for a wrong map.
 */
export function mapPermissions(
  { permissions, type }: Pick<Imported, 'permissions' | 'type'>,
  map: PermissionMap,
  catalogue: PermissionCatalogue,
): { permissions: PermissionRef[]; notes: Note[] } {
  const found = new Map<string, PermissionRef>()
  const notes: Note[] = []
  for (const requested of permissions) {
    const target = [requested.name, ...requested.aliases].map((name) => map.get(name)).find((one) => one !== undefined)
    if (target === '-') continue
    const refs = target === undefined ? byEqualId(requested, catalogue) : byTarget(requested, target, catalogue)
    const usable = refs.filter(({ kind }) => type === 'web' || kind === 'delegated')
    for (const ref of usable) found.set(`${ref.kind}:${ref.resource}/${ref.id}`, ref)
    if (usable.length === 0)
      notes.push({ field: `permission ${requested.name}`, message: whyNot(requested, refs.length > 0) })
  }
  return { permissions: [...found.values()], notes }
}

/** The kinds that the source gives it as; where the map says the kind, that one. */
function byTarget(requested: RequestedPermission, target: string, catalogue: PermissionCatalogue): PermissionRef[] {
  if (/^(?:application|delegated):/.test(target)) return [catalogue.require(target, 'delegated')]
  return requested.kinds.map((kind) => catalogue.require(target, kind))
}

function byEqualId(requested: RequestedPermission, catalogue: PermissionCatalogue): PermissionRef[] {
  const [entry, another] = catalogue.withId(requested.name)
  if (entry === undefined || another !== undefined) return []
  const { resource, id } = entry
  return requested.kinds.filter((kind) => entry.kinds.includes(kind)).map((kind) => ({ kind, resource, id }))
}

function whyNot({ name, kinds }: RequestedPermission, isOfOtherKind: boolean): string {
  if (isOfOtherKind) return 'a native application has delegated permissions only'
  return `there is none of that name here (${kinds.join(', ')}): see --map ${name}=…`
}

/** The names in a map that nothing asks for: misspelt, they would leave a permission out without a word. */
export function unusedNames(map: PermissionMap, { imported }: Pick<Conversion, 'imported'>): string[] {
  const requested = new Set(
    imported.flatMap(({ permissions }) => permissions.flatMap(({ name, aliases }) => [name, ...aliases])),
  )
  return [...map.keys()].filter((name) => !requested.has(name))
}
