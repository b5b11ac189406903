// An initial access token that somebody presents: which it is, and its uses, counted down in the transaction that
// registers.

import { hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import {
  type RegistrationTokenRow,
  readRegistrationTokens,
  takeRegistrationUse,
} from '../../storage/sql/registrations/registration-tokens.js'
import type { Statements } from '../../storage/sql/store.js'
import { makerAuthority } from '../maker-authority.js'
import type { PermissionRef } from '../records.js'
import type { Writing } from '../writes.js'

export interface RegistrationToken {
  /** GUID; it names the token and is no secret. */
  id: string
  tenantId: string
  label: string
  /** Empty: the local socket. */
  createdBy: string
  /** What an application that is registered with it may be configured with at the most. */
  permissions: readonly PermissionRef[]
  usesLeft: number
  createdAt: number
  expiresAt: number
}

/** The token, if it can be used now; the same work for any text. Throws StoreUnavailable. */
export async function findRegistrationToken(
  reader: Statements,
  secret: string,
  nowMs: number,
): Promise<RegistrationToken | undefined> {
  const [row] = await readRegistrationTokens(reader, { hash: hashOpaqueToken(secret) })
  if (row === undefined || !isUsable(row, nowMs) || !(await isStillGiven(reader, row))) return undefined
  return toRegistrationToken(row)
}

/**
 * Uses it once inside the transaction in which it is used; false when somebody else had its last use, it was revoked, or
 * who made it may not any more: the transaction has to be given up then.
 */
export async function useRegistrationToken({ tx, nowMs }: Writing, secret: string): Promise<boolean> {
  const row = await takeRegistrationUse(tx, hashOpaqueToken(secret), nowMs)
  return row !== undefined && (await isStillGiven(tx, row))
}

/** Whether its maker could make it now: the server's machine, an administrator, or an application in the tenant. */
async function isStillGiven(statements: Statements, row: RegistrationTokenRow): Promise<boolean> {
  if (row.created_by === '') return true
  const maker = await makerAuthority(statements, row.created_by, row.tenant_id)
  if (maker?.kind === 'application') return maker.isInstalled
  return maker?.role === 'administrator' || maker?.role === 'owner'
}

/** A token from its row. */
export function toRegistrationToken(row: RegistrationTokenRow): RegistrationToken {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    label: row.label,
    createdBy: row.created_by,
    permissions: JSON.parse(row.permissions),
    usesLeft: Number(row.uses_left),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  }
}

/** Whether it has a use left and has not ended. */
export function isUsable(row: RegistrationTokenRow, nowMs: number): boolean {
  return Number(row.uses_left) > 0 && Number(row.expires_at) > nowMs
}
