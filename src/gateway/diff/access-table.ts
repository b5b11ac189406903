// A configuration as an access diff sees it: for the path of a request, what each method needs and where it goes. The
// same matcher and the same requirements as at the gate; no connections, no metrics.

import { type CompiledRequirement, compileRequirement, decide } from '../../access/decide.js'
import { atOnce } from '../../config/reload/steps.js'
import type {
  McpOperationSettings,
  McpRule,
  McpSettings,
  RouteRequirement,
  RouteSettings,
} from '../../config/settings/route-settings.js'
import type { Settings } from '../../config/settings/settings.js'
import type { AccessGrant } from '../../directory/consents/access-grants.js'
import type { PermissionKind } from '../../directory/records.js'
import { type Condition, compileCondition } from '../routes/conditions.js'
import { compileMatcher, type Matchable, routerPattern } from '../routes/matcher.js'
import type { HeldPermissions } from './held-permissions.js'
import type { RequestClass } from './request-classes.js'

/** What of the settings says who may call what. */
export type AccessRules = Pick<Settings, 'catalogue' | 'routes' | 'limits' | 'tokenLimits' | 'plans' | 'defaultPlan'>

/** What one method of one path needs and where it goes. */
export interface Cell {
  route: RouteSettings
  /** As the file says it, and looked up in the catalogue. */
  needs: RouteRequirement | 'public'
  requirement: CompiledRequirement | 'public'
  condition: Condition | undefined
  /** Of an operation of an MCP server: its id there, and the cell of the request that its message comes with. */
  operation?: { id: string; connecting: Cell; rule: McpRule }
}

interface Entry extends Matchable {
  cells: Map<string, Cell>
}

/**
 * The cells of a canonical path by method, or by `POST tools/call:close_ticket` and the like; undefined is a 404.
 */
export type AccessTable = (path: string) => ReadonlyMap<string, Cell> | undefined

/** Throws Error where a route could not be compiled for the gate either. */
export function compileAccessTable({ catalogue, routes }: Pick<AccessRules, 'catalogue' | 'routes'>): AccessTable {
  const entries = new Map<string, Entry>()
  for (const route of routes) {
    const shape = routerPattern(route.path)
    const exact = !shape.includes('/:p') && !shape.endsWith('*')
    const entry = entries.get(shape) ?? { shape, exact, cells: new Map() }
    entries.set(shape, entry)
    const condition = compileCondition(route)
    for (const [method, needs] of route.methods) {
      const requirement = needs === 'public' ? needs : compileRequirement(catalogue, route.resource, needs)
      entry.cells.set(method, { route, needs, requirement, condition })
    }
    const connecting = entry.cells.get('POST')
    if (route.mcp === undefined || connecting === undefined) continue
    for (const [id, { needs, shadow, rule = 'allowed' }] of operationsOf(route.mcp)) {
      const own = { ...route, id: `${route.id} ${id}`, ...(shadow === true ? { shadow } : {}) }
      const requirement = compileRequirement(catalogue, route.resource, needs)
      entry.cells.set(`POST ${id}`, { route: own, needs, requirement, condition, operation: { id, connecting, rule } })
    }
  }
  const { find } = atOnce(compileMatcher([...entries.values()]))
  return (path) => find(path)?.cells
}

/** What the file says of each operation of an MCP server, by the id that it has at the gate. */
export function* operationsOf({ tools, prompts, resources }: McpSettings): Iterable<[string, McpOperationSettings]> {
  for (const [method, named] of [
    ['tools/call', tools],
    ['prompts/get', prompts],
    ['resources/read', resources],
  ] as const) {
    for (const [name, operation] of named) yield [`${method}:${name}`, operation]
  }
}

/** Whether no permission is enforced: a public route, or one that only watches. */
export function isOpen({ route, requirement, operation }: Cell): boolean {
  if (operation !== undefined && !isOpen(operation.connecting)) return false
  return requirement === 'public' || route.shadow === true
}

/** Somebody with the largest tokens that they could get. */
export interface Holder {
  kind: PermissionKind
  held: HeldPermissions
  /** Where a route restricts who may call; without it, every caller. */
  who: Pick<AccessGrant, 'applicationId' | 'tenantId'> | undefined
}

/** Whether they get through to some path of that class. */
export function mayCall(cell: Cell | undefined, { kind, held, who }: Holder, at: RequestClass): boolean {
  if (cell === undefined) return false
  const { route, requirement, condition, operation } = cell
  if (operation !== undefined && !mayCall(operation.connecting, { kind, held, who }, at)) return false
  if (operation?.rule === 'never') return false
  if (route.shadow === true) return true
  if (requirement === 'public' || isOpen(cell)) return true
  if (!takesOwnTokens(route)) return false
  const permissions = held.get(route.resource)
  // Without any permission of that resource there is no token for it.
  if (permissions === undefined) return false
  if (!decide({ kind, resource: route.resource, permissions }, requirement).allowed) return false
  return condition === undefined || who === undefined || condition(who, at.sample(who.tenantId)) === undefined
}

function takesOwnTokens({ issuers }: RouteSettings): boolean {
  return issuers === undefined || issuers.includes('own')
}
