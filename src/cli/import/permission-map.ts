// Permissions of another product as permissions of ours: by a map that the operator gives, else by an equal id. The
// management API's own permissions are never met by accident: an Application.ReadWrite.All of somebody else's means
// less.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'
import type { PermissionCatalogue, PermissionRef } from '../registrations/catalogue.js'
import type { Imported, Note, RequestedPermission } from './conversion.js'

/** From the source's name to `[application:|delegated:][{resource}/]id`, or to `-`: knowingly left out. */
export type PermissionMap = ReadonlyMap<string, string>

/**
 * The map of `--map name=permission` and of a JSON file `{"name": "permission"}`. Throws CommandFailure when it is
 * none.
 */
export async function readPermissionMap(
  given: readonly string[],
  file: string | undefined,
  terminal: Terminal,
): Promise<PermissionMap> {
  const map = new Map(file === undefined ? [] : await entriesOf(file, terminal))
  for (const argument of given) {
    const equals = argument.lastIndexOf('=')
    if (equals < 1 || equals === argument.length - 1) throw wrong(`--map ${argument}: write name=permission`)
    map.set(argument.slice(0, equals), argument.slice(equals + 1))
  }
  return map
}

/**
 * What an imported application may ask for here, and what of it nobody knows. Throws CommandFailure for a wrong map.
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

async function entriesOf(file: string, terminal: Terminal): Promise<[string, string][]> {
  let parsed: unknown
  try {
    parsed = JSON.parse(await readFile(resolve(terminal.cwd, file), 'utf8'))
  } catch (error) {
    throw wrong(`${file} cannot be read: ${error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message}`)
  }
  const isMap = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  const entries = isMap ? Object.entries(parsed as object) : []
  if (!isMap || entries.some(([, target]) => typeof target !== 'string' || target === '')) {
    throw wrong(`${file} is not a map of permissions: {"name": "resource/id"}`)
  }
  return entries
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

function wrong(message: string): CommandFailure {
  return new CommandFailure(exitCodes.usage, message)
}
