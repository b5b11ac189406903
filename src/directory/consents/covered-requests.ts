// What an administrator consents to by another way answers those who requested it: their requests need no decision any
// more.

import { decideConsentRequest, listConsentRequests } from '../../storage/sql/consents/consent-requests.js'
import type { PermissionRef } from '../records.js'
import type { Writing } from '../writes.js'
import { includesPermission } from './consent-rules.js'

/** As many as one consent answers; the others stay, and can be decided by hand. */
const most = 500

/**
 * Approves the pending requests of an application in a tenant that ask for nothing but what is granted now; their ids.
 * `by`: who consented.
 */
export async function closeCovered(
  { tx, nowMs }: Pick<Writing, 'tx' | 'nowMs'>,
  consent: { applicationId: string; tenantId: string; granted: readonly PermissionRef[]; by: string },
): Promise<readonly string[]> {
  const { applicationId, tenantId, granted, by } = consent
  const pending = await listConsentRequests(tx, { applicationId, tenantIds: [tenantId], state: 'pending' }, most)
  const covered = pending.filter((row) =>
    (JSON.parse(row.permissions) as PermissionRef[]).every((ref) => includesPermission(granted, ref)),
  )
  for (const { id } of covered) {
    await decideConsentRequest(tx, id, { state: 'approved', decided_at: nowMs, decided_by: by })
  }
  return covered.map(({ id }) => id)
}
