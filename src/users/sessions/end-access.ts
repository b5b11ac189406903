// Ending what a person has open: browsers, and what applications hold for them (C14).

import { type DirectoryWrites, recordRevocations, type Writing, write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { endGrants } from '../../revocation/end-grants.js'
import { deleteEmailChange } from '../../storage/sql/people/email-changes.js'
import { deleteSessions, readSessions } from '../../storage/sql/people/sessions.js'
import { readRevocationSeq } from '../../storage/sql/revocation/last-revocation.js'
import type { Statements } from '../../storage/sql/store.js'
import { type Session, toSession } from '../records.js'
import { requireUser, type UserWrites } from '../writes.js'
import { providerOfWay } from './provider-way.js'

/**
 * Inside a transaction: all sessions (but the one of hash `except`), all grants, every access token of the user that was
 * issued until now, and the address that was requested with their access and waits to be confirmed. The caller
 * accounts for why.
 */
export async function endAccess(
  deps: DirectoryWrites,
  writing: Writing,
  ending: { userId: string; except?: string | undefined },
  reason: string,
): Promise<void> {
  await deleteSessions(writing.tx, { userId: ending.userId, except: ending.except })
  await deleteEmailChange(writing.tx, ending.userId)
  const ended = await endGrants(deps, writing, { userId: ending.userId }, reason)
  // Tokens live longer than a grant that ended a moment ago by itself; endGrants speaks only of those that it ends.
  if (ended === 0) await recordRevocations(deps, writing, [{ what: 'user', id: ending.userId }])
}

/**
 * Inside a transaction: the sessions that began with this method (RFC 8176), but that of hash `except`; how many. For a
 * way in that is taken away: sessions that began with it end, too (C14).
 */
export async function endSessionsStartedWith(
  { tx }: Pick<Writing, 'tx'>,
  ending: { userId: string; method: 'hwk' | 'fed'; except: string | undefined },
): Promise<number> {
  const sessions = (await readSessions(tx, { userId: ending.userId })).map(toSession)
  // By the way too: what was shown later never hides how a session began.
  const isOf = ({ amr, way }: Session) =>
    amr.includes(ending.method) || (ending.method === 'fed' ? providerOfWay(way) !== undefined : way === 'passkey')
  const ended = sessions.filter((session) => isOf(session) && session.idHash !== ending.except)
  for (const { idHash } of ended) await deleteSessions(tx, { idHash })
  // It may have been requested in one of them.
  if (ended.length > 0) await deleteEmailChange(tx, ending.userId)
  return ended.length
}

/**
 * Signs a person out of every browser (but the one of hash `except`) and out of every application. Throws UserRefusal
 * (UserNotFound) and StoreUnavailable.
 */
export async function signOutEverywhere(deps: UserWrites, userId: string, except?: string): Promise<void> {
  await write(deps, async (writing) => {
    const { id } = await requireUser(writing, userId)
    await endAccess(deps, writing, { userId: id, except }, 'signed-out-everywhere')
    await appendAudit(deps, writing.tx, { event: 'user.signed-out', userId: id, details: { everywhere: true } })
  })
}

/**
 * The number of the change that last ended a person's access. A sign-in notes it before the first proof is looked at;
 * when it has grown by the end, what was proved is of before a new password, a disabling or a sign-out everywhere
 * (C14).
 */
export function lastAccessEnd(reader: Statements, userId: string): Promise<number> {
  return readRevocationSeq(reader, 'user', userId)
}
