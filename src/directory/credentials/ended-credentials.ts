// Refusing the tokens of credentials that are over: secrets, keys, federated credentials. Each leaves a row in the
// Store and an entry in every instance until no token of it can live, and the owner of an application can make and end
// credentials in a loop: so there are so many of one application, and the next one names the application (decision
// 0104).

import { countRevocations, isRevoked } from '../../storage/sql/revocation/revocation-counts.js'
import type { RevocationRow } from '../../storage/sql/revocation/revocations.js'
import { type DirectoryWrites, recordRevocations, type Writing } from '../writes.js'

/** Where nothing is configured. */
const mostLive = 100

/**
 * Refuses, from this change on, every token that these credentials of one application got; every token of the
 * application instead when many of its credentials ended lately. The counts are of the Store, under the lock of the
 * change log.
 */
export async function recordEndedCredentials(
  deps: DirectoryWrites,
  writing: Writing,
  application: { id: string; tenant_id: string },
  credentialIds: readonly string[],
): Promise<void> {
  for (const id of credentialIds) {
    await recordRevocations(deps, writing, [await placed(deps, writing, { id, application })])
  }
}

/** The application is the same row each time, and a credential that is revoked already stays itself. */
async function placed(
  { bounds }: DirectoryWrites,
  { tx, nowMs }: Writing,
  { id, application }: { id: string; application: { id: string; tenant_id: string } },
): Promise<Pick<RevocationRow, 'what' | 'id' | 'holder'>> {
  const what = 'credential'
  const holder = { applicationId: application.id, tenantId: application.tenant_id, userId: null }
  if (await isRevoked(tx, what, id)) return { what, id, holder }
  const most = bounds?.credentials ?? mostLive
  const live = await countRevocations(tx, { what, holder, nowMs }, { ofHolder: most, ofApplication: most })
  return live.ofHolder < most ? { what, id, holder } : { what: 'application', id: application.id }
}
