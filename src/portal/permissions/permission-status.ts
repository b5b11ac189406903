// What an application may ask for and what of it it has in the current tenant, put together for the pages about it.

import type { Catalogue } from '../../config/settings/settings.js'
import { includesPermission, isOpenidWord, needsAdministrator } from '../../directory/consents/consent-rules.js'
import type { PermissionRef } from '../../directory/records.js'
import { sentenceOf } from '../../identity/consent/sentences.js'
import type { PermissionUseAnswer } from '../../management/permissions/usage-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import type { Application } from '../application-page.js'
import type { PermissionUse } from '../usage/permission-use.js'

/** One permission of an application. */
export interface PermissionStatus {
  ref: PermissionRef
  /** What it stands for in addresses and forms. */
  key: string
  /** The API that it is of, for people. */
  api: string
  /** What it lets the application do; a text that others wrote. */
  description: string
  needsAdministrator: boolean
  /** Who granted it in this tenant: a user's id, or a word. */
  granted: { at: string; by: string } | undefined
  /** Undefined where nothing is known. */
  use: PermissionUse | undefined
  /** Granted and not used anywhere for the stated window. */
  removable: boolean
}

/**
 * The permissions of an application in a tenant: those that are configured, and what else was granted. By API and name.
 */
export function permissionStatuses(
  catalogue: Catalogue,
  application: Application,
  { tenantId, uses }: { tenantId: string; uses: PermissionUseAnswer },
): { configured: PermissionStatus[]; others: PermissionStatus[] } {
  const granted = application.consents.filter((one) => one.tenantId === tenantId).flatMap((one) => one.permissions)
  const statusOf = (ref: PermissionRef): PermissionStatus => {
    const grant = granted.find((one) => includesPermission([one], ref))
    return {
      ref: { kind: ref.kind, resource: ref.resource, id: ref.id },
      key: keyOf(ref),
      api: apiName(catalogue, ref),
      description: sentenceOf(catalogue, ref, 'everybody').text,
      needsAdministrator: needsAdministrator(catalogue, ref),
      granted: grant === undefined ? undefined : { at: grant.grantedAt, by: grant.grantedBy },
      use: uses.value.find((one) => includesPermission([one], ref)),
      removable: includesPermission(uses.removable, ref),
    }
  }
  return {
    configured: application.permissions.map(statusOf).sort(byName),
    others: granted
      .filter((one) => !includesPermission(application.permissions, one))
      .map(statusOf)
      .sort(byName),
  }
}

/** A permission as one word of an address or a form. */
export function keyOf({ kind, resource, id }: PermissionRef): string {
  return `${kind} ${resource} ${id}`
}

/** The permission that such a word stands for; undefined when it is none. */
export function refOf(key: string | null | undefined): PermissionRef | undefined {
  const [kind, resource, id, ...rest] = (key ?? '').split(' ')
  if ((kind !== 'application' && kind !== 'delegated') || rest.length > 0) return undefined
  return resource === undefined || id === undefined || resource === '' || id === '' ? undefined : { kind, resource, id }
}

/** The name of its API. */
export function apiName(catalogue: Catalogue, ref: PermissionRef): string {
  if (isOpenidWord(ref)) return 'OpenID Connect'
  return displayName(catalogue.resources.get(ref.resource)?.name ?? ref.resource)
}

function byName(a: PermissionStatus, b: PermissionStatus): number {
  const words = ({ api, ref }: PermissionStatus) => `${api}\n${ref.id}\n${ref.kind}`
  return words(a) < words(b) ? -1 : 1
}
