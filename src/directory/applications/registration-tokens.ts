// Initial access tokens (RFC 7591 §1.2, decision 0060): leave to register some applications in a tenant, until a time,
// and with these permissions at the most. The plain token leaves this file once and is kept nowhere.

import { randomUUID } from 'node:crypto'
import { appendAudit } from '../../ledger/append-audit.js'
import { createOpaqueToken, hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import {
  deleteRegistrationTokens,
  insertRegistrationToken,
  readRegistrationTokens,
} from '../../storage/sql/registrations/registration-tokens.js'
import { checkPermissions } from '../permissions/permission-rules.js'
import type { PermissionRef } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { requireTenant } from '../tenants/tenants.js'
import { type DirectoryWrites, write } from '../writes.js'
import { checkName } from './names.js'
import { isUsable, type RegistrationToken, toRegistrationToken } from './registration-token-use.js'

const dayMs = 86_400_000
const longestMs = 90 * dayMs
const mostUses = 1_000
const mostLive = 100

export interface RegistrationTokenInput {
  tenantId: string
  label: string
  lifetimeMs: number
  uses: number
  permissions: readonly PermissionRef[]
}

/**
 * Makes a token; `secret` is the only copy. Throws DirectoryRefusal (TenantNotFound, NotInstallable, InvalidName,
 * InvalidLifetime, InvalidUses, UnknownPermission, TooManyRegistrationTokens) and StoreUnavailable.
 */
export async function createRegistrationToken(
  deps: DirectoryWrites,
  input: RegistrationTokenInput,
): Promise<{ token: RegistrationToken; secret: string }> {
  const { lifetimeMs, uses } = input
  if (!Number.isSafeInteger(lifetimeMs) || lifetimeMs <= 0 || lifetimeMs > longestMs) {
    throw new DirectoryRefusal('InvalidLifetime', 'A registration token lives at most 90 days.', 'expiresInHours')
  }
  if (!Number.isSafeInteger(uses) || uses < 1 || uses > mostUses) {
    throw new DirectoryRefusal('InvalidUses', `A registration token is good for 1 to ${mostUses} uses.`, 'uses')
  }
  const label = checkName(input.label, 'label', 'label')
  const permissions = checkPermissions(deps.catalogue, { type: 'web', tenantId: input.tenantId }, input.permissions)
  const secret = createOpaqueToken('pcl_it_')
  const id: string = randomUUID()
  const token = await write(deps, async (writing) => {
    const { tx, nowMs } = writing
    const { tenantId, state } = await requireTenant(writing, input.tenantId)
    if (state !== 'enabled') throw new DirectoryRefusal('NotInstallable', 'The tenant is disabled.', 'tenantId')
    const live = (await readRegistrationTokens(tx, { tenantId })).filter((row) => isUsable(row, nowMs))
    if (live.length >= mostLive) {
      const message = `A tenant has at most ${mostLive} registration tokens: revoke one first.`
      throw new DirectoryRefusal('TooManyRegistrationTokens', message)
    }
    const row = {
      id,
      hash: hashOpaqueToken(secret),
      tenant_id: tenantId,
      label,
      created_by: createdBy(deps),
      permissions: JSON.stringify(permissions),
      uses_left: uses,
      created_at: nowMs,
      expires_at: nowMs + lifetimeMs,
    }
    await insertRegistrationToken(tx, row)
    const details = { id, label, uses, expiresAt: row.expires_at, permissions }
    await appendAudit(deps, tx, { event: 'registration-token.created', tenantId, details })
    return toRegistrationToken(row)
  })
  return { token, secret }
}

/**
 * Ends a token of that tenant (undefined: of any). Throws DirectoryRefusal (RegistrationTokenNotFound),
 * StoreUnavailable.
 */
export async function revokeRegistrationToken(
  deps: DirectoryWrites,
  token: { id: string; tenantId: string | undefined },
): Promise<void> {
  await write(deps, async ({ tx }) => {
    const [row] = await deleteRegistrationTokens(tx, { id: token.id })
    if (row === undefined || (token.tenantId !== undefined && row.tenant_id !== token.tenantId)) {
      throw new DirectoryRefusal('RegistrationTokenNotFound', 'There is no such registration token.')
    }
    const details = { id: row.id, label: row.label, usesLeft: Number(row.uses_left) }
    await appendAudit(deps, tx, { event: 'registration-token.revoked', tenantId: row.tenant_id, details })
  })
}

function createdBy({ actor }: DirectoryWrites): string {
  if (actor.kind === 'user') return actor.userId
  return actor.kind === 'application' ? actor.applicationId : ''
}
