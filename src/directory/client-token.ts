// The registration access token (RFC 7592 §1.2): whether what is presented is it, and the end of a registration by standard.

import { timingSafeEqual } from 'node:crypto'
import { account } from '../ledger/account.js'
import { shortenSecret } from '../memory/store/application-secrets.js'
import { updateApplication } from '../memory/store/applications.js'
import {
  type ClientRegistrationRow,
  deleteClientRegistration,
  readClientRegistration,
  updateClientRegistration,
} from '../memory/store/client-registrations.js'
import { deleteFederatedCredentials } from '../memory/store/federated-credentials.js'
import { endGrantRows } from '../memory/store/grants.js'
import type { Statements } from '../memory/store/store.js'
import { hashOpaqueToken } from '../oauth/opaque-token.js'
import { type DirectoryWrites, recordApplication, recordRevocations, requireApplication, write } from './writes.js'

/** Compared with when there is nothing to compare with. */
const nothing = '0'.repeat(64)

/**
 * The row of an application whose token this is, and whether it is the one before the newest. The same work whether there is
 * such an application or not: `applicationId` undefined, a row without a former token. Throws StoreUnavailable.
 */
export async function findClientByToken(
  reader: Statements,
  applicationId: string | undefined,
  presented: string,
): Promise<{ row: ClientRegistrationRow; isPrevious: boolean } | undefined> {
  const hash = hashOpaqueToken(presented)
  const row = await readClientRegistration(reader, applicationId ?? '')
  const isNewest = isSame(hash, row?.token_hash ?? nothing)
  const isPrevious = isSame(hash, row?.previous_hash ?? nothing)
  return row !== undefined && (isNewest || isPrevious) ? { row, isPrevious: !isNewest } : undefined
}

/** The newest token has arrived at its client: the one before works no more. Throws StoreUnavailable. */
export async function forgetFormerToken(
  deps: Pick<DirectoryWrites, 'feed'>,
  row: ClientRegistrationRow,
): Promise<void> {
  await deps.feed.commit(async (tx) => {
    await updateClientRegistration(tx, row, { previous_hash: null })
  })
}

/**
 * Ends a registration (RFC 7592 §2.3): the application is disabled, its credentials, grants and tokens end, and nobody can
 * manage it by standard any more. What was done with it stays readable for the tenant's administrators. Throws
 * DirectoryRefusal (ApplicationNotFound), StoreUnavailable.
 */
export async function deregisterClient(deps: DirectoryWrites, applicationId: string): Promise<void> {
  await write(deps, async (writing) => {
    const { tx, nowMs } = writing
    const { application, secrets } = await requireApplication(writing, applicationId)
    await deleteClientRegistration(tx, applicationId)
    const row = await updateApplication(tx, applicationId, { state: 'disabled', jwks: null, updated_at: nowMs })
    for (const { key_id } of secrets) await shortenSecret(tx, key_id, nowMs)
    const federated = await deleteFederatedCredentials(tx, applicationId)
    recordApplication(writing, row ?? application)
    const grants = await endGrantRows(tx, { applicationId }, nowMs)
    await recordRevocations(deps, writing, [{ what: 'application', id: applicationId }])
    const details = { secrets: secrets.length, federatedCredentials: federated.length, grants: grants.length }
    const about = { applicationId, tenantId: application.tenant_id }
    await account(deps, tx, { event: 'application.deregistered', ...about, details })
  })
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))
}
