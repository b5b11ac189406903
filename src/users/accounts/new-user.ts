// A new person inside a transaction that does more: an invitation that is accepted, the first owner, an untrusted party
// who comes from an external provider.

import { randomUUID } from 'node:crypto'
import type { Role } from '../../config/settings/settings.js'
import { checkName } from '../../directory/applications/names.js'
import type { Writing } from '../../directory/writes.js'
import type { Language } from '../../languages/language.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { insertUser, readUser } from '../../storage/sql/people/users.js'
import { checkEmail } from '../mail/email.js'
import { joinTenant } from '../memberships/join-tenant.js'
import { toUser, type User } from '../records.js'
import { UserRefusal } from '../refusal.js'
import type { UserWrites } from '../writes.js'

export interface NewUser {
  /** Empty only for somebody whose external provider told none. */
  email: string
  name: string
  emailVerified?: boolean | undefined
  /** `local` unless given. */
  idProvider?: string | undefined
  /** From Passwords.hash, made before the transaction. */
  passwordHash?: string | undefined
  membership?: { tenantId: string; role: Role } | undefined
  /** Looks after the whole installation. */
  isOperator?: boolean
  /** What they want to read; absent or null: what their browser likes best. */
  language?: Language | null | undefined
}

/**
 * Adds the person, with the membership when one is given. Throws UserRefusal (InvalidEmail, EmailTaken, TenantDisabled)
 * and DirectoryRefusal (InvalidName, TenantNotFound); of two at once with one address, one gets UniqueViolation.
 */
export async function addUser(deps: UserWrites, writing: Writing, input: NewUser): Promise<User> {
  const { tx, nowMs } = writing
  const external = input.idProvider !== undefined && input.idProvider !== 'local'
  const address = external && input.email === '' ? { email: '', key: null } : checkEmail(input.email)
  const name = checkName(input.name, 'name', 'person')
  if (address.key !== null && (await readUser(tx, 'email_key', address.key)) !== undefined) {
    throw new UserRefusal('EmailTaken', 'Somebody has this e-mail address already.', 'email')
  }
  const row = {
    id: randomUUID() as string,
    email: address.email,
    email_key: address.key,
    email_verified: input.emailVerified === true ? 1 : 0,
    name,
    state: 'enabled',
    id_provider: input.idProvider ?? 'local',
    password_hash: input.passwordHash ?? null,
    password_changed_at: input.passwordHash === undefined ? null : nowMs,
    operator: input.isOperator === true ? 1 : 0,
    language: input.language ?? '',
    totp_secret: null,
    totp_last_step: null,
    last_sign_in_at: null,
    factor_demanded_at: null,
    work_mail: 1,
    created_at: nowMs,
    updated_at: nowMs,
  }
  await insertUser(tx, row)
  await appendAudit(deps, tx, { event: 'user.created', userId: row.id, details: { idProvider: row.id_provider } })
  if (input.membership !== undefined) await joinTenant(deps, writing, { ...input.membership, user: row })
  return toUser(row)
}
