// Who restores a deleted application, and who deletes it for good (decisions 84 and 129). Restored it holds nothing: so
// nobody brings back what they could not have equipped before, nor what an operator took away.

import type { Catalogue } from '../../config/settings/settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import type { DeletedLine } from '../../storage/sql/registrations/deleted/deleted-rows.js'
import type { KeptRows } from '../../storage/sql/registrations/deleted/kept-rows.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import type { Caller } from '../access/access.js'
import { checkMayList, checkMayRevive, type Held } from '../applications/ceiling.js'
import { isOperator } from '../people/tenant-of-path.js'

/** One of them as its row says, with what is kept. */
export interface Kept {
  row: DeletedLine
  kept: KeptRows
}

/**
 * Who decides what becomes of it: operators where one of them deleted it at the local socket; otherwise administrators of
 * the tenant, and the owner who deleted it. Throws ApiError 403.
 */
export function checkMayDecide(caller: Caller, { row, kept }: Kept): void {
  if (isOperator(caller) && (caller.kind === 'local' || row.deleted_by === '')) return
  if (row.deleted_by === '') {
    const message = 'An operator of this server deleted it: only operators restore it, or delete it for good.'
    throw new ApiError(403, 'OperatorRequired', message)
  }
  if (isOfAdministrators(caller) || isOwnDeletion(caller, { row, kept })) return
  throw roleRequired('This is for the administrators of the tenant, and for the owner who deleted the application.')
}

/** Who restores it: who decides about it, and may have what it was. Throws ApiError 403. */
export function checkMayRestore(catalogue: Catalogue, caller: Caller, known: Kept): void {
  const { row, kept } = known
  checkMayDecide(caller, known)
  if (caller.kind === 'local') return
  const isTrusted = isOfAdministrators(caller) || (isOperator(caller) && row.deleted_by === '')
  if (Number(row.verified) === 1 && !isTrusted) {
    throw roleRequired('Its publisher is verified: an administrator of the tenant restores it.')
  }
  if (kept.held === undefined && !isTrusted) {
    throw roleRequired('What it held is not known: an administrator of the tenant restores it.')
  }
  checkMayList(catalogue, caller, (kept.configured_permissions ?? []).map(toRef))
  checkMayRevive({ catalogue, caller, applicationId: row.id }, heldOf(kept))
}

/** Why not, in words; undefined: they may. */
export function refusalOf(check: () => void): { code: string; message: string } | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: error.code, message: error.message }
  }
}

/** A row of a permission as the triple that it is. */
export function toRef(row: Readonly<Record<string, unknown>>) {
  const kind = row['kind'] === 'application' ? ('application' as const) : ('delegated' as const)
  return { kind, resource: String(row['resource']), id: String(row['permission_id']) }
}

function heldOf({ held }: KeptRows): Held {
  return { forAll: (held?.granted ?? []).map(toRef), ofPeople: (held?.allowed ?? []).map((row) => toRef({ ...row })) }
}

function isOfAdministrators(caller: Caller): boolean {
  return caller.kind === 'local' || (caller.person !== undefined && isAdministrator(caller.person.role))
}

/** Who deleted it as its owner; who did so as an administrator, and is none any more, does not. */
function isOwnDeletion(caller: Caller, { row, kept }: Kept): boolean {
  if (caller.kind === 'local') return false
  const { person, principal } = caller
  const callerId = person?.userId ?? (principal.kind === 'application' ? principal.applicationId : undefined)
  if (callerId === undefined || callerId !== row.deleted_by) return false
  return (kept.application_owners ?? []).some((owner) => owner['owner_id'] === callerId)
}

function roleRequired(message: string): ApiError {
  return new ApiError(403, 'RoleRequired', message, { more: { role: 'administrator' } })
}
