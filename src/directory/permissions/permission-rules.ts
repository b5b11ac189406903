// Which permissions may be configured on an application, and which of them may be consented to in a tenant. A
// permission is always the triple (kind, resource, id).

import { nearestName } from '../../config/report/suggest.js'
import { isServerPermission } from '../../config/routes/management-permissions.js'
import type { Catalogue } from '../../config/settings/settings.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import { isOpenidWord } from '../consents/consent-rules.js'
import type { PermissionRef, Registration, Tenant } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'

/**
 * The permissions without duplicates, in the order given, for an application of that type and home tenant. Throws
 * DirectoryRefusal: NativeApplication for an application permission on a native application, UnknownPermission for what
 * the catalogue does not have in that kind.
 */
export function checkPermissions(
  catalogue: Catalogue,
  { type, tenantId }: Pick<Registration, 'type' | 'tenantId'>,
  permissions: readonly PermissionRef[],
): PermissionRef[] {
  const kept = new Map<string, PermissionRef>()
  for (const { kind, resource, id } of permissions) {
    if (type === 'native' && kind === 'application') {
      const message = 'A native application acts only for a signed-in user: it has no application permissions.'
      throw new DirectoryRefusal('NativeApplication', message, 'permissions')
    }
    checkKnown(catalogue, { kind, resource, id }, tenantId)
    kept.set(JSON.stringify([kind, resource, id]), { kind, resource, id })
  }
  return [...kept.values()]
}

/**
 * What a consent may record: `all` is everything configured that the catalogue still has; what is named must be
 * configured, or one of OpenID Connect's words. Throws DirectoryRefusal (NotInstallable, PermissionNotConfigured,
 * UnknownPermission).
 */
export function checkConsentable(
  catalogue: Catalogue,
  registration: Registration,
  tenant: Tenant,
  permissions: readonly PermissionRef[] | 'all',
): PermissionRef[] {
  if (registration.audience === 'home' && tenant.tenantId !== registration.tenantId) {
    throw new DirectoryRefusal('NotInstallable', 'The application is for its home tenant only.', 'tenantId')
  }
  if (tenant.state !== 'enabled') {
    throw new DirectoryRefusal('NotInstallable', 'The tenant is disabled.', 'tenantId')
  }
  const { configured } = registration
  const words = permissions === 'all' ? [] : permissions.filter(isOpenidWord)
  const requested =
    permissions === 'all'
      ? configured.filter((ref) => catalogue.find(ref.kind, ref.resource, ref.id) !== undefined)
      : checkPermissions(
          catalogue,
          registration,
          permissions.filter((ref) => !isOpenidWord(ref)),
        )
  for (const ref of requested) {
    if (!configured.some((one) => one.kind === ref.kind && one.resource === ref.resource && one.id === ref.id)) {
      const message = `${describe(ref)} is not configured for this application.`
      throw new DirectoryRefusal('PermissionNotConfigured', message, 'permissions')
    }
  }
  if (requested.length + words.length === 0) {
    throw new DirectoryRefusal('PermissionNotConfigured', 'There is no configured permission to consent to.')
  }
  return [...requested, ...words.map(({ kind, resource, id }) => ({ kind, resource, id }))]
}

/**
 * What is about the whole installation is consented to by its operators, whatever the tenant: with the consent of
 * somebody else, an operator who only follows a link would hand the installation to an application of theirs. The
 * command line is nobody's application, and asks each time. Throws DirectoryRefusal (OperatorRequired).
 */
export function checkMayConsent(
  catalogue: Catalogue,
  applicationId: string,
  permissions: readonly PermissionRef[],
  byOperator: boolean | undefined,
): void {
  if (byOperator === true || applicationId === commandLineClient.applicationId) return
  const ref = permissions.find((one) => isServerPermission(catalogue, one))
  if (ref === undefined) return
  const message = `Only an operator of this installation consents to ${ref.id}.`
  throw new DirectoryRefusal('OperatorRequired', message, 'permissions')
}

/** A tenant's own API is for the applications that are registered there. */
function checkKnown(catalogue: Catalogue, ref: PermissionRef, tenantId: string): void {
  const isOwn = (one: { tenantId?: string } | undefined) =>
    one !== undefined && (one.tenantId === undefined || one.tenantId === tenantId)
  if (isOwn(catalogue.find(ref.kind, ref.resource, ref.id))) return
  const other = ref.kind === 'application' ? 'delegated' : 'application'
  const message = !isOwn(catalogue.find(other, ref.resource, ref.id))
    ? `${describe(ref)} is not in the catalogue${nearest(catalogue, ref, isOwn)}.`
    : `${describe(ref)} is not in the catalogue; it exists only as a ${other} permission.`
  throw new DirectoryRefusal('UnknownPermission', message, 'permissions')
}

/** Of the same kind and resource, and one that this tenant may know. */
function nearest(
  { permissions }: Catalogue,
  { kind, resource, id }: PermissionRef,
  isOwn: (one: { tenantId?: string }) => boolean,
): string {
  const known = permissions.filter((one) => one.resource === resource && one.kinds.includes(kind) && isOwn(one))
  const name = nearestName(
    id,
    known.map((one) => one.id),
  )
  return name === undefined ? '' : `; the nearest is ${name}`
}

/** For messages: the caller's own text, shortened and without anything that is not plain. */
function describe({ kind, resource, id }: PermissionRef): string {
  const plain = (text: string) => text.slice(0, 128).replace(/[^\x21-\x7e]/g, '?')
  return `The ${kind} permission ${plain(id)} of ${plain(resource)}`
}
