// Who a person is at external OpenID providers. A link is made of the provider's issuer and the subject there and of
// nothing else: an e-mail address can be somebody else's there, or somebody else's tomorrow (decision 0055).

import { type Writing, write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import {
  deleteExternalIdentity,
  insertExternalIdentity,
  listExternalIdentities,
  readExternalIdentity,
} from '../../storage/sql/people/external-identities.js'
import { readPasskeys } from '../../storage/sql/people/passkeys.js'
import type { Statements } from '../../storage/sql/store.js'
import { UserRefusal } from '../refusal.js'
import { endSessionsStartedWith } from '../sessions/end-access.js'
import { requireUser, type UserWrites } from '../writes.js'
import { checkOwnLink } from './kept-links.js'

/** Who somebody is at a provider. */
export interface ExternalIdentity {
  /** As it is configured. */
  issuer: string
  subject: string
  /** The values of the claim that roles are read from; empty when none is. */
  roles: readonly string[]
  /**
   * What the provider says of the person, needed only when an account is made or an administrator said who they are
   * there. `email`: only a verified one. `address`: that one, or one of which it does not say whether it is; enough
   * where somebody else has said beforehand which address it has to be.
   */
  describe: () => Promise<{ name: string; email: string | undefined; address: string | undefined }>
}

export interface LinkedProvider {
  issuer: string
  provider: string
  createdAt: number
}

/** Where a person is known, the oldest link first. Throws StoreUnavailable. */
export async function listLinkedProviders(reader: Statements, userId: string): Promise<LinkedProvider[]> {
  const rows = await listExternalIdentities(reader, userId)
  return rows.map(({ issuer, provider, created_at }) => ({ issuer, provider, createdAt: Number(created_at) }))
}

/** Adds the link inside a transaction, with its event. Throws UniqueViolation when the subject is somebody's. */
export async function addLink(
  deps: UserWrites,
  { tx, nowMs }: Writing,
  link: { userId: string; provider: string; issuer: string; subject: string },
): Promise<void> {
  const { userId, provider, issuer, subject } = link
  await insertExternalIdentity(tx, { issuer, subject, user_id: userId, provider, created_at: nowMs })
  await appendAudit(deps, tx, { event: 'user.provider-linked', userId, details: { provider } })
}

/**
 * Links a person who is signed in here with who they are there; nothing happens when that is so already. One link for
 * each issuer. Throws UserRefusal (UserNotFound, ProviderLinked, TenantKeepsLink) and StoreUnavailable.
 */
export async function linkProvider(
  deps: UserWrites,
  link: { userId: string; provider: string; issuer: string; subject: string },
): Promise<void> {
  await write(deps, async (writing) => {
    const user = await requireUser(writing, link.userId)
    await checkOwnLink(deps, writing.tx, user.id, link)
    const owner = await readExternalIdentity(writing.tx, link.issuer, link.subject)
    if (owner?.user_id === user.id) return
    if (owner !== undefined) {
      throw new UserRefusal('ProviderLinked', 'That account of the provider is linked with another account here.')
    }
    const own = await listExternalIdentities(writing.tx, user.id)
    if (own.some(({ issuer }) => issuer === link.issuer)) {
      throw new UserRefusal(
        'ProviderLinked',
        'Another account of this provider is linked already: unlink that one first.',
      )
    }
    await addLink(deps, writing, link)
  })
}

/**
 * Unlinks an issuer, and ends the sessions that began at a provider, but that of hash `except` (C14). Throws
 * UserRefusal (UserNotFound, ProviderNotLinked, TenantKeepsLink; OnlyWayIn when the person has no password, passkey or other provider to
 * come back with) and StoreUnavailable.
 */
export async function unlinkProvider(
  deps: UserWrites,
  link: { userId: string; issuer: string; except?: string | undefined },
): Promise<void> {
  await write(deps, async (writing) => {
    const { tx } = writing
    const user = await requireUser(writing, link.userId)
    const own = await listExternalIdentities(tx, user.id)
    const found = own.find(({ issuer }) => issuer === link.issuer)
    if (found === undefined) throw new UserRefusal('ProviderNotLinked', 'This provider is not linked.')
    await checkOwnLink(deps, tx, user.id, found)
    const hasPasskey = (await readPasskeys(tx, { userId: user.id })).length > 0
    if (user.password_hash === null && !hasPasskey && own.length === 1) {
      throw new UserRefusal('OnlyWayIn', 'This is the only way you can sign in. Add a passkey first.')
    }
    await deleteExternalIdentity(tx, user.id, link.issuer)
    const sessionsEnded = await endSessionsStartedWith(writing, { userId: user.id, method: 'fed', except: link.except })
    const details = { provider: found.provider, sessionsEnded }
    await appendAudit(deps, tx, { event: 'user.provider-unlinked', userId: user.id, details })
  })
}
