// Withdrawing consent (C9): what was allowed is forgotten, and in the same transaction what rests on it ends: refresh
// tokens for good, access tokens at once on every instance that hears of the change.

import { appendAudit } from '../../ledger/append-audit.js'
import { endGrants } from '../../revocation/end-grants.js'
import { holderId } from '../../revocation/holder.js'
import { deleteTokenExchanges } from '../../storage/sql/consents/token-exchanges.js'
import type { PermissionRef } from '../records.js'
import { type DirectoryWrites, recordRevocations, type Writing, write } from '../writes.js'
import { withdrawInTransaction } from './admin-consent.js'
import { forgetInTransaction } from './consents.js'

/** How much ended. */
export interface Withdrawn {
  permissions: number
  grants: number
}

/**
 * Withdraws what a person allowed an application in a tenant; as a part of `open` where there is one. Nothing there is
 * nothing to do. Throws StoreUnavailable.
 */
export async function withdrawUserConsent(
  deps: DirectoryWrites,
  consent: { userId: string; applicationId: string; tenantId: string },
  open?: Writing,
): Promise<Withdrawn> {
  const withdraw = async (writing: Writing) => {
    let grants = 0
    const forgotten = await forgetInTransaction(deps, writing, consent, async () => {
      grants = await endGrants(deps, writing, consent, 'consent-withdrawn')
      const exchanges = await deleteTokenExchanges(writing.tx, consent)
      // They hang on the grants of other applications, which go on.
      if (exchanges > 0 && grants === 0) {
        await endExchanged(deps, writing, { consent, what: 'holder', id: holderId(consent) })
      }
    })
    return { permissions: forgotten.length, grants }
  }
  return write(deps, withdraw, open)
}

/**
 * Withdraws for the whole tenant: `all` takes what administrators and people allowed, and ends every grant there; named
 * permissions drop out of what is got by the next refresh, and out of the tokens that are out at once. Throws
 * DirectoryRefusal (ApplicationNotFound, TenantNotFound), StoreUnavailable.
 */
export async function withdrawTenantConsent(
  deps: DirectoryWrites,
  applicationId: string,
  consent: { tenantId: string; permissions: readonly PermissionRef[] | 'all' },
): Promise<Withdrawn> {
  const { tenantId, permissions } = consent
  return write(deps, async (writing) => {
    if (permissions !== 'all') {
      const { removed } = await withdrawInTransaction(deps, writing, applicationId, consent)
      return { permissions: removed.length, grants: 0 }
    }
    let grants = 0
    const forgotten = await forgetInTransaction(deps, writing, { applicationId, tenantId }, async () => {
      grants = await endGrants(deps, writing, { applicationId, tenantId }, 'consent-withdrawn')
      const exchanges = await deleteTokenExchanges(writing.tx, { applicationId, tenantId })
      if (exchanges > 0) {
        await endExchanged(deps, writing, {
          consent: { applicationId, tenantId },
          what: 'application',
          id: applicationId,
        })
      }
    })
    const { removed } = await withdrawInTransaction(deps, writing, applicationId, { tenantId, permissions })
    return { permissions: forgotten.length + removed.length, grants }
  })
}

/** Refuses what an application got by exchanges (decision 154). */
async function endExchanged(
  deps: DirectoryWrites,
  writing: Writing,
  ended: {
    consent: { applicationId: string; tenantId: string; userId?: string }
    what: 'holder' | 'application'
    id: string
  },
): Promise<void> {
  const { consent, what, id } = ended
  await recordRevocations(deps, writing, [{ what, id }])
  await appendAudit(deps, writing.tx, { event: 'exchange.ended', ...consent, details: { reason: 'consent-withdrawn' } })
}
