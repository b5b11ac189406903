// Taking back a request for an administrator's consent: by the person who filed it, while nobody has decided. The ledger
// keeps that it was there.

import { appendAudit } from '../../ledger/append-audit.js'
import { withdrawConsentRequest } from '../../storage/sql/consents/consent-request-withdrawal.js'
import { DirectoryRefusal } from '../refusal.js'
import { type DirectoryWrites, write } from '../writes.js'
import { requireConsentRequest } from './consent-requests.js'

/**
 * Takes back a request of `by`, a user's id. Throws DirectoryRefusal: ConsentRequestNotFound when it is not of this
 * application and tenant, NotTheRequester, ConsentRequestDecided when an administrator was first.
 */
export async function withdrawRequest(
  deps: DirectoryWrites,
  requestId: string,
  { applicationId, tenantId, by }: { applicationId: string; tenantId: string; by: string },
): Promise<void> {
  await write(deps, async ({ tx }) => {
    const request = await requireConsentRequest(tx, requestId)
    if (request.applicationId !== applicationId || request.tenantId !== tenantId) {
      throw new DirectoryRefusal('ConsentRequestNotFound', 'There is no such request.')
    }
    if (request.requestedBy !== by) {
      const message = 'Somebody else requested this. Administrators decline it instead.'
      throw new DirectoryRefusal('NotTheRequester', message)
    }
    if (!(await withdrawConsentRequest(tx, request.requestId))) {
      throw new DirectoryRefusal('ConsentRequestDecided', 'An administrator has decided this request already.')
    }
    const details = { consentRequest: request.requestId, permissions: request.permissions }
    const about = { applicationId, tenantId, userId: by, details }
    await appendAudit(deps, tx, { event: 'admin-consent.request-withdrawn', ...about })
  })
}
