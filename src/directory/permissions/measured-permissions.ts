// Which permissions something here asks for, so that their use can be counted. Of a permission that only an API
// elsewhere looks at, nobody here knows whether it is used.

import { managementPermissions } from '../../config/routes/management-permissions.js'
import type { Settings } from '../../config/settings/settings.js'
import type { PermissionKind, PermissionRef } from '../records.js'

const kinds: readonly PermissionKind[] = ['application', 'delegated']

/** Answers whether a route of this installation can be opened by the permission; the routes are read once. */
export function measuredPermissions({
  catalogue,
  routes,
}: Pick<Settings, 'catalogue' | 'routes'>): (permission: PermissionRef) => boolean {
  const measured = new Set<string>()
  const add = (resource: string, id: string) => {
    for (const kind of kinds) {
      for (const opening of catalogue.satisfying(kind, resource, id))
        measured.add(keyOf({ kind, resource, id: opening }))
    }
  }
  for (const { methods, resource, mcp } of routes) {
    for (const requirement of methods.values()) {
      if (requirement !== 'public') for (const id of requirement.anyOf.flat()) add(resource, id)
    }
    const operations = mcp === undefined ? [] : [mcp.tools, mcp.prompts, mcp.resources]
    for (const { needs } of operations.flatMap((kind) => [...kind.values()])) {
      for (const id of needs.anyOf.flat()) add(resource, id)
    }
  }
  for (const { resource, id } of managementPermissions(catalogue.own.id)) add(resource, id)
  return (permission) => measured.has(keyOf(permission))
}

function keyOf({ kind, resource, id }: PermissionRef): string {
  return JSON.stringify([kind, resource, id])
}
