// What a caller may not get by way of an application (contract §4): consent is granted by administrators, never by
// applications for each other; and nobody gives credentials to an application that holds more than they do, for whoever
// has its credentials is that application.

import { isManagementPermission } from '../config/management-permissions.js'
import type { Catalogue } from '../config/settings.js'
import { needsAdministrator } from '../directory/consent-rules.js'
import type { PermissionRef } from '../directory/records.js'
import { toInstallation } from '../directory/rows.js'
import { ApiError } from '../http/api-error.js'
import { countUserConsents } from '../memory/store/consent-counts.js'
import { readInstallations } from '../memory/store/installations.js'
import { commandLineClient } from '../oauth/command-line-client.js'
import { isAdministrator, isAtLeast } from '../users/roles.js'
import type { Caller } from './access.js'
import type { ManagementDependencies } from './dependencies.js'
import type { Body } from './schemas.js'

/** Who consents, for the record. Throws ApiError 403 for whoever may not: only administrators do, as themselves. */
export function consentingAs({ settings }: Pick<ManagementDependencies, 'settings'>, caller: Caller): string {
  if (caller.kind === 'local') return 'local'
  const { principal, person } = caller
  const { catalogue } = settings
  if (person !== undefined && isAdministrator(person.role)) {
    const covering = catalogue.satisfying('delegated', catalogue.own.id, 'Consent.ReadWrite.All')
    if (covering.some((id) => principal.permissions.has(id))) return person.userId
  }
  const message = 'Consent is granted by an administrator of the tenant.'
  throw new ApiError(403, 'ConsentNotAllowed', message, { target: 'consent' })
}

/** Only operators say that a publisher is who they say. Throws ApiError 403. */
export function checkVouching(caller: Caller, { verified }: Pick<Body<'changeApplication'>, 'verified'>): void {
  if (verified !== true || caller.kind === 'local' || caller.person?.isOperator === true) return
  const message = 'Only an operator of this installation says that a publisher is verified.'
  throw new ApiError(403, 'OperatorRequired', message, { target: 'verified' })
}

/**
 * Throws ApiError 403 when the application was granted something, in any tenant, that the caller could not use: as an
 * application what its token lacks, as a person what their role does not allow, and through an application besides what
 * that one was not given. Granted is also what single people allowed it that takes an administrator to allow.
 * Throws StoreUnavailable.
 */
export async function checkMayEquip(
  { store, settings }: Pick<ManagementDependencies, 'store' | 'settings'>,
  caller: Caller,
  applicationId: string,
): Promise<void> {
  if (caller.kind === 'local') return
  const { catalogue } = settings
  const [installed, allowed] = await store.snapshot(async (tx) => [
    (await readInstallations(tx, applicationId)).map(toInstallation),
    await countUserConsents(tx, { applicationId }),
  ])
  const ofPeople = allowed
    .map(({ resource, permission_id: id }) => ({ kind: 'delegated' as const, resource, id }))
    // What anybody may allow any application is no power of this one.
    .filter((ref) => needsAdministrator(catalogue, ref))
  for (const ref of [...installed.flatMap(({ granted }) => granted), ...ofPeople]) {
    const definition = catalogue.find(ref.kind, ref.resource, ref.id)
    // What the catalogue has no more cannot be used by anyone.
    if (definition === undefined) continue
    const { principal, person } = caller
    const byRole = person === undefined || isAtLeast(person.role, definition.role)
    if (!(byRole && comesWith(catalogue, principal, ref))) throw beyond(ref.id)
  }
}

/** Whether the caller's token has it. At the portal, and of what is not management at the command line, the role says it all. */
function comesWith(
  catalogue: Catalogue,
  principal: Extract<Caller, { kind: 'member' }>['principal'],
  ref: PermissionRef,
): boolean {
  if (principal.kind === 'session') return true
  const isCommandLine = principal.applicationId === commandLineClient.applicationId
  if (isCommandLine && !isManagementPermission(catalogue, ref)) return true
  const covering = catalogue.satisfying(principal.kind, ref.resource, ref.id)
  return principal.resource === ref.resource && covering.some((id) => principal.permissions.has(id))
}

/** As checkMayEquip, for changes by which somebody could come by its tokens: its keys, its redirect URIs, how it proves itself. */
export async function checkMayEquipBy(
  deps: Pick<ManagementDependencies, 'store' | 'settings'>,
  caller: Caller,
  { applicationId, changes }: { applicationId: string; changes: Body<'changeApplication'> },
): Promise<void> {
  const { jwks, authMethod, redirectUris, requirePkce, state } = changes
  if ([jwks, authMethod, redirectUris, requirePkce, state].every((each) => each === undefined)) return
  // Switching off is always allowed; on again is not, for somebody switched it off.
  if (state === 'disabled' && Object.keys(changes).length === 1) return
  await checkMayEquip(deps, caller, applicationId)
}

function beyond(id: string): ApiError {
  const message = `This application was granted ${id}, which you could not use yourself: an administrator has to do this.`
  return new ApiError(403, 'HoldsMore', message, { target: id })
}
