// The registration access token (RFC 7592 §1.2): whether what is presented is it, or the one before.

import { timingSafeEqual } from 'node:crypto'
import { hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import {
  type ClientRegistrationRow,
  readClientRegistration,
  updateClientRegistration,
} from '../../storage/sql/registrations/client-registrations.js'
import type { Statements } from '../../storage/sql/store.js'
import type { DirectoryWrites } from '../writes.js'

/** Compared with when there is nothing to compare with. */
const nothing = '0'.repeat(64)

/**
 * The row of an application whose token this is, and whether it is the one before the newest. The same work whether
 * there is such an application or not: `applicationId` undefined, a row without a former token. Throws
 * StoreUnavailable.
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

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))
}
