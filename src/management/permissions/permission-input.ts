// Permissions as callers write them: without a resource they are of our own API.

import type { Catalogue } from '../../config/settings/settings.js'
import type { PermissionRef } from '../../directory/records.js'
import type { Body } from '../schemas.js'

/** The permissions with their resource; whether they exist is for the directory to say. */
export function permissionRefs(
  catalogue: Catalogue,
  inputs: Body<'configurePermissions'>['permissions'],
): PermissionRef[] {
  return inputs.map(({ kind, resource, id }) => ({ kind, resource: resource ?? catalogue.own.id, id }))
}
