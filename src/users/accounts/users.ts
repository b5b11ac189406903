// People: finding, adding and changing them. Disabling and deleting is in user-state.ts, passwords in
// change-password.ts.

import { checkNewName } from '../../directory/applications/names.js'
import { write } from '../../directory/writes.js'
import type { Language } from '../../languages/language.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { readUser, updateUser } from '../../storage/sql/people/users.js'
import { type Statements, UniqueViolation } from '../../storage/sql/store.js'
import { hashNewPassword } from '../credentials/new-password.js'
import { emailKey } from '../mail/email.js'
import { toUser, type User } from '../records.js'
import { UserRefusal } from '../refusal.js'
import { requireUser, type UserWrites } from '../writes.js'
import { addUser, type NewUser } from './new-user.js'

/** The user with this id. Throws StoreUnavailable. */
export async function findUser(reader: Statements, userId: string): Promise<User | undefined> {
  const id = parseGuid(userId)
  const row = id === undefined ? undefined : await readUser(reader, 'id', id)
  return row === undefined ? undefined : toUser(row)
}

/** The user with this address, however it is spelt. Throws StoreUnavailable. */
export async function findUserByEmail(reader: Statements, email: string): Promise<User | undefined> {
  const key = emailKey(email)
  const row = key === '' ? undefined : await readUser(reader, 'email_key', key)
  return row === undefined ? undefined : toUser(row)
}

/**
 * Adds an enabled person, with a password and a membership when they are given. Throws UserRefusal (InvalidEmail,
 * EmailTaken, PasswordRefused, TenantDisabled), DirectoryRefusal (InvalidName, TenantNotFound), PasswordQueueFull,
 * StoreUnavailable.
 */
export async function createUser(
  deps: UserWrites,
  input: Omit<NewUser, 'passwordHash'> & { password?: string },
): Promise<User> {
  const { password, ...person } = input
  const owner = { ...person, tenantId: person.membership?.tenantId }
  const passwordHash = password === undefined ? undefined : await hashNewPassword(deps, owner, password)
  return refuseTaken(() => write(deps, (writing) => addUser(deps, writing, { ...person, passwordHash })))
}

/**
 * Changes the name or the language (null: none); addresses are in email-change.ts. Throws UserRefusal (UserNotFound),
 * DirectoryRefusal (InvalidName).
 */
export async function changeUser(
  deps: UserWrites,
  userId: string,
  changes: { name?: string | undefined; language?: Language | null | undefined },
): Promise<User> {
  return write(deps, async (writing) => {
    const before = await requireUser(writing, userId)
    const name = changes.name === undefined ? before.name : checkNewName(before.name, changes.name, 'name', 'person')
    const language = changes.language === undefined ? before.language : (changes.language ?? '')
    const changed = [name === before.name ? [] : 'name', language === before.language ? [] : 'language'].flat()
    if (changed.length === 0) return toUser(before)
    const row = await updateUser(writing.tx, before.id, { updated_at: writing.nowMs, name, language })
    // The ledger outlives the person, so it says what changed and not to what.
    await appendAudit(deps, writing.tx, { event: 'user.changed', userId: before.id, details: { changed } })
    return toUser(row ?? before)
  })
}

async function refuseTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    throw new UserRefusal('EmailTaken', 'Somebody has this e-mail address already.', 'email')
  }
}
