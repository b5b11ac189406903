// Requests for an administrator's consent: somebody who may not decide asks, an administrator approves or declines,
// once. Approving is the consent itself, in the same transaction, so that of two administrators at once one decides.

import { randomUUID } from 'node:crypto'
import { appendAudit } from '../../ledger/append-audit.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import {
  type ConsentRequestFilter,
  type ConsentRequestRow,
  decideConsentRequest,
  insertConsentRequest,
  listConsentRequests,
  renewConsentRequest,
} from '../../storage/sql/consents/consent-requests.js'
import type { Statements } from '../../storage/sql/store.js'
import { checkConsentable } from '../permissions/permission-rules.js'
import type { PermissionRef } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { toRegistration } from '../rows.js'
import { requireTenant } from '../tenants/tenants.js'
import { type DirectoryWrites, requireApplication, type Writing, write } from '../writes.js'
import { type AdminConsent, grantInTransaction } from './admin-consent.js'
import { visibleText } from './visible-text.js'

export interface ConsentRequest {
  requestId: string
  applicationId: string
  tenantId: string
  requestedBy: string
  permissions: readonly PermissionRef[]
  /** In the requester's words; may be empty. */
  reason: string
  state: 'pending' | 'approved' | 'declined'
  /** Epoch ms. */
  createdAt: number
  decidedAt: number | null
  /** A user's id, or `local`. */
  decidedBy: string | null
}

type FiledRequest = Pick<ConsentRequest, 'applicationId' | 'tenantId' | 'requestedBy' | 'permissions' | 'reason'>

/** So that nobody fills an administrator's list. */
const mostPending = 20
const mostListed = 500

/**
 * Asks for consent. Asking again for the same application in the same tenant renews the pending request; what then
 * reads otherwise has another id, so that nobody approves by the old one what they have not seen. `open`: see write().
 * Throws
 * DirectoryRefusal (TooManyConsentRequests, and those of grantConsent).
 */
export async function fileConsentRequest(
  deps: DirectoryWrites,
  params: FiledRequest,
  open?: Writing,
): Promise<ConsentRequest> {
  return write(deps, (writing) => fileIn(deps, writing, params), open)
}

async function fileIn(deps: DirectoryWrites, writing: Writing, params: FiledRequest): Promise<ConsentRequest> {
  const { applicationId, requestedBy } = params
  const reason = visibleText(params.reason)
  const id = randomUUID()
  const { tx, nowMs } = writing
  const registration = toRegistration(await requireApplication(writing, applicationId))
  const tenant = await requireTenant(writing, params.tenantId)
  const permissions = checkConsentable(deps.catalogue, registration, tenant, params.permissions)
  const pending = await listConsentRequests(tx, { requestedBy, state: 'pending' }, mostPending)
  const same = pending.find((row) => row.application_id === applicationId && row.tenant_id === tenant.tenantId)
  const text = { permissions: JSON.stringify(permissions), reason }
  if (same === undefined) {
    if (pending.length >= mostPending) {
      const message = `You have ${mostPending} requests that nobody has decided yet.`
      throw new DirectoryRefusal('TooManyConsentRequests', message)
    }
    await insertConsentRequest(tx, {
      id,
      application_id: applicationId,
      tenant_id: tenant.tenantId,
      requested_by: requestedBy,
      ...text,
      state: 'pending',
      created_at: nowMs,
      decided_at: null,
      decided_by: null,
    })
  } else if (same.permissions === text.permissions && same.reason === reason) return toRequest(same)
  else await renewConsentRequest(tx, same.id, { id, ...text })
  const [row] = await listConsentRequests(tx, { id }, 1)
  if (row === undefined) throw new Error('the request that was just written is not there')
  const request = toRequest(row)
  await appendAudit(deps, tx, about(request, 'admin-consent.requested'))
  return request
}

/**
 * Approves or declines a pending request, in the transaction in which the caller has made sure that `by`, the
 * administrator, may. Throws DirectoryRefusal: ConsentRequestNotFound, ConsentRequestDecided when somebody was first,
 * those of grantConsent.
 */
export async function decideRequest(
  deps: DirectoryWrites,
  writing: Writing,
  requestId: string,
  decision: { state: 'approved' | 'declined' } & Pick<AdminConsent, 'by' | 'byOperator' | 'byRole'>,
): Promise<ConsentRequest> {
  const { state, by, byOperator, byRole } = decision
  const { requestId: known } = await requireConsentRequest(writing.tx, requestId)
  const row = await decideConsentRequest(writing.tx, known, { state, decided_at: writing.nowMs, decided_by: by })
  if (row === undefined) {
    throw new DirectoryRefusal('ConsentRequestDecided', 'Somebody else has decided this request already.')
  }
  const request = toRequest(row)
  if (state === 'declined') {
    await appendAudit(deps, writing.tx, about(request, 'admin-consent.declined'))
    return request
  }
  const { applicationId, tenantId, permissions } = request
  const consentRequest = request.requestId
  await grantInTransaction(deps, writing, applicationId, {
    tenantId,
    permissions,
    by,
    byOperator,
    byRole,
    consentRequest,
  })
  return request
}

/** One request. Throws DirectoryRefusal (ConsentRequestNotFound). */
export async function requireConsentRequest(reader: Statements, requestId: string): Promise<ConsentRequest> {
  const id = parseGuid(requestId)
  const [row] = id === undefined ? [] : await listConsentRequests(reader, { id }, 1)
  if (row === undefined) throw new DirectoryRefusal('ConsentRequestNotFound', 'There is no such request.')
  return toRequest(row)
}

/** The newest requests that fit, newest first; `tenantIds` empty fits none. */
export async function listRequests(reader: Statements, filter: ConsentRequestFilter): Promise<ConsentRequest[]> {
  return (await listConsentRequests(reader, filter, mostListed)).map(toRequest)
}

function toRequest(row: ConsentRequestRow): ConsentRequest {
  return {
    requestId: row.id,
    applicationId: row.application_id,
    tenantId: row.tenant_id,
    requestedBy: row.requested_by,
    permissions: JSON.parse(row.permissions),
    reason: row.reason,
    state: row.state === 'approved' || row.state === 'declined' ? row.state : 'pending',
    createdAt: Number(row.created_at),
    decidedAt: row.decided_at === null ? null : Number(row.decided_at),
    decidedBy: row.decided_by,
  }
}

/** A request in the ledger, with whom it concerns. */
function about(request: ConsentRequest, event: 'admin-consent.requested' | 'admin-consent.declined') {
  const { applicationId, tenantId, requestedBy, permissions } = request
  const details = { consentRequest: request.requestId, permissions }
  return { event, applicationId, tenantId, userId: requestedBy, details }
}
