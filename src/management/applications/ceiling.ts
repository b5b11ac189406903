// The ceiling above everybody who changes an application (contract §8, decision 84): nobody equips one that holds more
// than they could use, for the holder of its credentials is that application.

import { isManagementPermission, isServerPermission } from '../../config/routes/management-permissions.js'
import type { Catalogue } from '../../config/settings/settings.js'
import { includesPermission, isOpenidWord, needsAdministrator } from '../../directory/consents/consent-rules.js'
import type { PermissionRef } from '../../directory/records.js'
import { toInstallation, toRegistration } from '../../directory/rows.js'
import { ApiError } from '../../http/answers/api-error.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import { countUserConsents } from '../../storage/sql/consents/consent-counts.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import { readInstallations } from '../../storage/sql/registrations/installations.js'
import { isAdministrator, isAtLeast } from '../../users/memberships/roles.js'
import type { Caller } from '../access/access.js'
import { roleOfKeepers } from '../acting/role-through.js'
import type { ChangeRequest } from './change-request.js'

type Member = Extract<Caller, { kind: 'member' }>

/**
 * Throws ApiError 403 when the application was granted something, in any tenant, that the caller could not use: as an
 * application what its token lacks; as a person what their role does not allow, what is for operators, what only an
 * administrator could allow themselves; and through an application besides what that one was not given. Granted is also
 * what single people allowed it. Throws StoreUnavailable.
 */
export async function checkMayEquip(change: ChangeRequest): Promise<void> {
  const { tx, catalogue, caller, applicationId } = change
  if (caller.kind === 'local') return
  const installed = (await readInstallations(tx, applicationId)).map(toInstallation)
  const allowed = await countUserConsents(tx, { applicationId })
  const forAll = installed.flatMap(({ granted }) => granted)
  const ofPeople = allowed.map(({ resource, permission_id: id }) => ({ kind: 'delegated' as const, resource, id }))
  const managing = checkHeld({ catalogue, caller, applicationId }, { forAll, ofPeople })
  if (managing !== undefined && (await carriesMore(change, caller))) throw holdsMore(managing.id)
}

/** What an application holds: granted by administrators, in whatever tenant, and allowed by single people. */
export interface Held {
  forAll: readonly PermissionRef[]
  ofPeople: readonly PermissionRef[]
}

/**
 * As checkMayEquip, for an application that was deleted: deleted and restored it holds nothing, and would be anybody's
 * to equip until somebody who trusts its name consents again. Throws ApiError 403.
 */
export function checkMayRevive(change: Omit<ChangeRequest, 'tx'>, held: Held): void {
  const { caller } = change
  if (caller.kind === 'local') return
  const managing = checkHeld({ ...change, caller }, held)
  const isOfAdministrators = caller.person !== undefined && isAdministrator(caller.person.role)
  if (managing !== undefined && !isOfAdministrators) throw holdsMore(managing.id)
}

/** Answers what of it changes applications in people's name, where any does. */
function checkHeld(
  change: Omit<ChangeRequest, 'tx' | 'caller'> & { caller: Member },
  { forAll, ofPeople }: Held,
): PermissionRef | undefined {
  const { catalogue, caller } = change
  const beyond =
    forAll.find((ref) => !mayUse(catalogue, caller, ref) || !mayActFor(catalogue, change, ref)) ??
    ofPeople.find(
      (ref) =>
        !mayUse(catalogue, caller, ref) || !mayAllow(catalogue, caller, ref) || !mayActFor(catalogue, change, ref),
    )
  if (beyond !== undefined) throw holdsMore(beyond.id)
  return [...forAll, ...ofPeople].find((ref) => changesApplications(catalogue, ref))
}

/** Whether people who use an application with it change others' applications, when they are administrators. */
function changesApplications(catalogue: Catalogue, { kind, resource, id }: PermissionRef): boolean {
  if (kind !== 'delegated' || resource !== catalogue.own.id) return false
  return catalogue.satisfying(kind, resource, 'Application.ReadWrite.All').includes(id)
}

/**
 * Whether administrators act as such through it once the caller owns it no more (decision 105): a credential outlasts
 * an owner.
 */
async function carriesMore(
  { tx, applicationId }: ChangeRequest,
  { person, principal, tenantId }: Member,
): Promise<boolean> {
  if (person !== undefined && isAdministrator(person.role)) return false
  const callerId = person?.userId ?? (principal.kind === 'application' ? principal.applicationId : undefined)
  if (callerId === applicationId) return false
  return isAdministrator(await roleOfKeepers(tx, { applicationId, tenantId, without: callerId }))
}

/**
 * Throws ApiError 403 for a permission that the caller could not use and that somebody who could would allow without an
 * administrator; and for those of the server unless the caller is an operator. What takes an administrator's consent
 * may be listed by every caller that registers: listed, it permits nothing.
 */
export function checkMayList(catalogue: Catalogue, caller: Caller, permissions: readonly PermissionRef[]): void {
  if (caller.kind === 'local') return
  const role = caller.person?.role ?? 'member'
  for (const ref of permissions) {
    const definition = catalogue.find(ref.kind, ref.resource, ref.id)
    if (isServerPermission(catalogue, ref) && caller.person?.isOperator !== true) {
      const message = `Only an operator of this installation gives ${ref.id} to an application.`
      throw new ApiError(403, 'OperatorRequired', message, { target: ref.id })
    }
    if (definition === undefined || needsAdministrator(catalogue, ref) || isAtLeast(role, definition.role)) continue
    const message = `${ref.id} is for the role ${definition.role}: somebody who has it adds it to the application.`
    throw new ApiError(403, 'RoleRequired', message, { target: ref.id, more: { role: definition.role } })
  }
}

/** As checkMayList, for what an application gets besides what it has; and as checkMayEquip, when it gets anything. */
export async function checkMayConfigure(change: ChangeRequest, permissions: readonly PermissionRef[]): Promise<void> {
  const [record] = await readApplications(change.tx, 'id', change.applicationId)
  const before = record === undefined ? [] : toRegistration(record).configured
  const added = permissions.filter((ref) => !includesPermission(before, ref))
  if (added.length === 0) return
  checkMayList(change.catalogue, change.caller, added)
  await checkMayEquip(change)
}

/** Whether the caller could use it where it was consented to for everybody. */
function mayUse(catalogue: Catalogue, { principal, person }: Member, ref: PermissionRef): boolean {
  if (isOpenidWord(ref)) return true
  const definition = catalogue.find(ref.kind, ref.resource, ref.id)
  // What the catalogue has no more may come back, and then the holder of the application's credentials has it.
  if (definition === undefined) return person !== undefined && isAdministrator(person.role)
  if (isServerPermission(catalogue, ref) && person?.isOperator !== true) return false
  return (person === undefined || isAtLeast(person.role, definition.role)) && comesWith(catalogue, principal, ref)
}

/**
 * Whether the caller may act in the name of the people who allow it: an application has no role, so that of another one
 * it gets nothing that takes more than a member. Of itself it has it already.
 */
function mayActFor(
  catalogue: Catalogue,
  { caller, applicationId }: Omit<ChangeRequest, 'tx'>,
  { kind, resource, id }: PermissionRef,
) {
  if (caller.kind === 'local' || caller.principal.kind !== 'application' || kind !== 'delegated') return true
  if (caller.principal.applicationId === applicationId) return true
  return (catalogue.find(kind, resource, id)?.role ?? 'member') === 'member'
}

/** Whether the caller could allow it to an application for themselves, as somebody did. */
function mayAllow(catalogue: Catalogue, { person }: Member, ref: PermissionRef): boolean {
  return !needsAdministrator(catalogue, ref) || person === undefined || isAdministrator(person.role)
}

/**
 * Whether the caller's token has it. At the portal, and of what is not management at the command line, the role says it
 * all.
 */
function comesWith(catalogue: Catalogue, principal: Member['principal'], ref: PermissionRef): boolean {
  if (principal.kind === 'session') return true
  const isCommandLine = principal.applicationId === commandLineClient.applicationId
  if (isCommandLine && !isManagementPermission(catalogue, ref)) return true
  const covering = catalogue.satisfying(principal.kind, ref.resource, ref.id)
  return principal.resource === ref.resource && covering.some((id) => principal.permissions.has(id))
}

function holdsMore(id: string): ApiError {
  const message = `This application was granted ${id}, which you could not use yourself: an administrator has to do this.`
  return new ApiError(403, 'HoldsMore', message, { target: id })
}
