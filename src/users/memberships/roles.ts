// What a role permits (contract §4): a delegated permission is a ceiling, and so is the role of the person in the
// tenant.

import { isServerPermission } from '../../config/routes/management-permissions.js'
import type { Catalogue, Role } from '../../config/settings/settings.js'

/** What decides on what a person may use in a tenant. */
export interface PersonAuthority {
  role: Role
  /** They look after the whole installation. */
  isOperator: boolean
}

/** From the least up: each may do what those before it may. */
const order: readonly Role[] = ['member', 'developer', 'administrator', 'owner']

/** Whether `role` is `least` or above. */
export function isAtLeast(role: Role, least: Role): boolean {
  return order.indexOf(role) >= order.indexOf(least)
}

/** The lesser of two. */
export function lowerRole(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? other : one
}

/** Whether the role may consent for the whole tenant, and manage its people. */
export function isAdministrator(role: Role): boolean {
  return isAtLeast(role, 'administrator')
}

/**
 * Of these delegated permission ids of a resource, those that the person may use, in their order: their role allows it,
 * and what is about the whole installation is for its operators. What the catalogue does not have as a delegated
 * permission is allowed to nobody.
 */
export function permissionsFor(
  { role, isOperator }: PersonAuthority,
  catalogue: Catalogue,
  resource: string,
  ids: readonly string[],
): string[] {
  return ids.filter((id) => {
    const definition = catalogue.find('delegated', resource, id)
    if (definition === undefined || !isAtLeast(role, definition.role)) return false
    return isOperator || !isServerPermission(catalogue, { resource, id })
  })
}
