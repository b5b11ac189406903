// A configuration as an access diff sees it: for the path of a request, what each method needs and where it goes. The same
// matcher and the same requirements as at the gate; no connections, no metrics.

import { type CompiledRequirement, compileRequirement, decide } from '../../access/decide.js'
import type { RouteRequirement, RouteSettings } from '../../config/route-settings.js'
import type { Settings } from '../../config/settings.js'
import type { PermissionKind } from '../../directory/records.js'
import { compileMatcher, type Matchable, routerPattern } from '../routes/matcher.js'
import type { HeldPermissions } from './held-permissions.js'

/** What of the settings says who may call what. */
export type AccessRules = Pick<Settings, 'catalogue' | 'routes' | 'limits' | 'tokenLimits'>

/** What one method of one path needs and where it goes. */
export interface Cell {
  route: RouteSettings
  /** As the file says it, and looked up in the catalogue. */
  needs: RouteRequirement | 'public'
  requirement: CompiledRequirement | 'public'
}

interface Entry extends Matchable {
  cells: Map<string, Cell>
}

/** The cells by method of a canonical path; undefined is a 404. */
export type AccessTable = (path: string) => ReadonlyMap<string, Cell> | undefined

/** Throws Error where a route could not be compiled for the gate either. */
export function compileAccessTable({ catalogue, routes }: Pick<AccessRules, 'catalogue' | 'routes'>): AccessTable {
  const entries = new Map<string, Entry>()
  for (const route of routes) {
    const shape = routerPattern(route.path)
    const exact = !shape.includes('/:p') && !shape.endsWith('*')
    const entry = entries.get(shape) ?? { shape, exact, cells: new Map() }
    entries.set(shape, entry)
    for (const [method, needs] of route.methods) {
      const requirement = needs === 'public' ? needs : compileRequirement(catalogue, route.resource, needs)
      entry.cells.set(method, { route, needs, requirement })
    }
  }
  const find = compileMatcher([...entries.values()])
  return (path) => find(path)?.cells
}

/** Whether no permission is enforced: a public route, or one that only watches. */
export function isOpen({ route, requirement }: Cell): boolean {
  return requirement === 'public' || route.shadow === true
}

/** Whether somebody with these permissions gets through. */
export function mayCall(cell: Cell | undefined, kind: PermissionKind, held: HeldPermissions): boolean {
  if (cell === undefined) return false
  const { route, requirement } = cell
  if (requirement === 'public' || isOpen(cell)) return true
  const permissions = held.get(route.resource)
  // Without any permission of that resource there is no token for it.
  return permissions !== undefined && decide({ kind, resource: route.resource, permissions }, requirement).allowed
}
