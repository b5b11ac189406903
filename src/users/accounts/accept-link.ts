// What using a one-time link does. The password is hashed before the transaction, and only for a link that works; the
// link is used up in the transaction that does what it is for, so that it is done once or not at all.

import { DirectoryRefusal } from '../../directory/refusal.js'
import { changeTenant, createTenant } from '../../directory/tenants/tenants.js'
import { type Writing, write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { countOwners, putMembership } from '../../storage/sql/people/memberships.js'
import { replaceRecoveryCodes } from '../../storage/sql/people/recovery-codes.js'
import { deleteWaysIn } from '../../storage/sql/people/user-removal.js'
import { type UserRow, updateUser } from '../../storage/sql/people/users.js'
import { listTenants } from '../../storage/sql/registrations/tenants.js'
import { storePassword } from '../credentials/change-password.js'
import { hashNewPassword } from '../credentials/new-password.js'
import { putConfirmedEmail } from '../mail/confirmed-email.js'
import { joinTenant } from '../memberships/join-tenant.js'
import { findMembership } from '../memberships/memberships.js'
import { toUser, type User } from '../records.js'
import { UserRefusal } from '../refusal.js'
import { requireUser, type UserWrites } from '../writes.js'
import { addUser } from './new-user.js'
import { findLink, type LinkPurpose, type OneTimeLink, useLink } from './one-time-links.js'

/**
 * Makes the first owner: of the oldest tenant, which gets this name, or of a new one where there is none. Throws
 * UserRefusal (LinkNotFound, HasOwner, TenantNeeded, InvalidEmail, EmailTaken, PasswordRefused), DirectoryRefusal
 * (InvalidName, NameReserved), PasswordQueueFull and StoreUnavailable.
 */
export async function setUp(
  deps: UserWrites,
  secret: string,
  input: { email: string; name: string; password: string; tenantName?: string | undefined },
): Promise<User> {
  await requireLink(deps, secret, 'set-up')
  const passwordHash = await hashNewPassword(deps, input, input.password)
  return write(deps, (writing) =>
    useLink(deps, writing, { secret, purpose: 'set-up' }, async () => {
      if ((await countOwners(writing.tx, {})) > 0) {
        throw new UserRefusal('HasOwner', 'There is an owner already: ask them for an invitation.')
      }
      const tenantId = await firstTenant(deps, writing, input.tenantName)
      const { email, name } = input
      // The person who sets the server up looks after it, and may confirm any address: their own word is enough for
      // theirs.
      const membership = { tenantId, role: 'owner' } as const
      return addUser(deps, writing, { email, name, passwordHash, emailVerified: true, membership, isOperator: true })
    }),
  )
}

/**
 * Accepts an invitation: as a new person, or as the signed-in one whom it was sent to. Throws UserRefusal
 * (LinkNotFound, EmailTaken, OtherPerson, AlreadyMember, TenantDisabled, PasswordRefused), DirectoryRefusal
 * (InvalidName), PasswordQueueFull and StoreUnavailable.
 */
export async function acceptInvitation(
  deps: UserWrites,
  secret: string,
  as: { name: string; password: string } | { userId: string },
): Promise<User> {
  const { email = '', tenantId } = await requireLink(deps, secret, 'invitation')
  const passwordHash =
    'userId' in as ? undefined : await hashNewPassword(deps, { email, name: as.name, tenantId }, as.password)
  return write(deps, (writing) =>
    useLink(deps, writing, { secret, purpose: 'invitation' }, async (link) => {
      const membership = { tenantId: link.tenantId ?? '', role: link.role ?? 'member' }
      if ('userId' in as) {
        const user = await requireUser(writing, as.userId)
        if (user.email_key !== link.email) {
          throw new UserRefusal('OtherPerson', 'This invitation is for another e-mail address: sign in with that one.')
        }
        await joinTenant(deps, writing, { ...membership, user })
        return link.mailed ? proveEmail(deps, writing, user) : toUser(user)
      }
      return addUser(deps, writing, { email, name: as.name, passwordHash, emailVerified: link.mailed, membership })
    }),
  )
}

/**
 * Sets a new password and signs the person out everywhere. Who proves an address that nobody had proved before may be
 * another person than the one who used the account until now, so passkeys and linked providers are forgotten then. A
 * recovery link forgets them too, removes the second factor, and makes the person owner of its tenant, enabled. Throws
 * UserRefusal (LinkNotFound, PasswordRefused), PasswordQueueFull and StoreUnavailable.
 */
export async function resetPassword(deps: UserWrites, secret: string, password: string): Promise<User> {
  const found = await requireLink(deps, secret, 'password-reset')
  const { id, email, name } = await requireUser({ tx: deps.store.reader }, found.userId ?? '')
  const hash = await hashNewPassword(deps, { email, name, userId: id }, password)
  return write(deps, (writing) =>
    useLink(deps, writing, { secret, purpose: 'password-reset' }, async (link) => {
      const user = await requireUser(writing, id)
      const provesAddress = link.mailed && Number(user.email_verified) === 0
      await storePassword(deps, writing, user, { hash })
      if (link.mailed) await proveEmail(deps, writing, user)
      if (link.tenantId !== undefined) await recover(deps, writing, user, link.tenantId)
      else if (provesAddress) await forgetWaysIn(deps, writing, id)
      return toUser(await requireUser(writing, id))
    }),
  )
}

async function recover(deps: UserWrites, writing: Writing, user: UserRow, tenantId: string): Promise<void> {
  const { tx, nowMs } = writing
  const { id: userId } = user
  await updateUser(tx, userId, { state: 'enabled', totp_secret: null, totp_last_step: null })
  await replaceRecoveryCodes(tx, userId, [])
  if (user.state !== 'enabled') writing.record({ kind: 'user', userId, state: 'enabled' })
  const before = await findMembership(tx, userId, tenantId)
  if (before === undefined) await joinTenant(deps, writing, { user, tenantId, role: 'owner' })
  else if (before.role !== 'owner') {
    const times = { created_at: before.createdAt, updated_at: nowMs }
    await putMembership(tx, { user_id: userId, tenant_id: tenantId, role: 'owner', ...times })
    const details = { role: { before: before.role, after: 'owner' } }
    await appendAudit(deps, tx, { event: 'membership.changed', tenantId, userId, details })
  }
  await forgetWaysIn(deps, writing, userId)
  if (user.totp_secret !== null) await appendAudit(deps, tx, { event: 'user.second-factor-removed', userId })
  if (user.state !== 'enabled') await appendAudit(deps, tx, { event: 'user.enabled', userId })
  await appendAudit(deps, tx, { event: 'user.recovered', tenantId, userId })
}

/** The person who reads the mail there has this address. */
async function proveEmail(deps: UserWrites, writing: Writing, user: UserRow): Promise<User> {
  if (user.email_key === null || Number(user.email_verified) === 1) return toUser(user)
  return putConfirmedEmail(deps, writing, user, { email: user.email, key: user.email_key, by: 'link' })
}

async function forgetWaysIn(deps: UserWrites, { tx }: Writing, userId: string): Promise<void> {
  const removed = await deleteWaysIn(tx, userId)
  if (removed > 0) await appendAudit(deps, tx, { event: 'user.ways-in-removed', userId, details: { removed } })
}

async function requireLink(deps: UserWrites, secret: string, purpose: LinkPurpose): Promise<OneTimeLink> {
  const link = await findLink(deps.store.reader, secret, purpose, deps.now())
  if (link !== undefined) return link
  throw new UserRefusal(
    'LinkNotFound',
    'This link does not work: it was used or withdrawn, it is over, or it was never one.',
  )
}

async function firstTenant(deps: UserWrites, writing: Writing, name: string | undefined): Promise<string> {
  const [tenant] = await listTenants(writing.tx, 1)
  if (tenant !== undefined) {
    if (name !== undefined && name !== tenant.name) await named(changeTenant(deps, tenant.id, { name }, writing))
    return tenant.id
  }
  if (name === undefined) throw new UserRefusal('TenantNeeded', 'Name the organisation.', 'tenantName')
  return (await named(createTenant(deps, { name }, writing))).tenantId
}

/** The form calls it otherwise: `name` is the person's there. */
async function named<T>(write: Promise<T>): Promise<T> {
  return write.catch((error: unknown) => {
    if (!(error instanceof DirectoryRefusal) || error.target !== 'name') throw error
    throw new DirectoryRefusal(error.code, error.message, 'tenantName')
  })
}
