// A new password of somebody, held against everything that is known of them and, where the operator has a list, against
// those that have leaked (decision 0102).

import { isBreached } from '../../config/process/breach-file.js'
import { readMemberships } from '../../storage/sql/people/memberships.js'
import { readTenant } from '../../storage/sql/registrations/tenants.js'
import { PasswordRefusal } from '../refusal.js'
import type { UserWrites } from '../writes.js'
import { checkNewPassword } from './password-rules.js'

/**
 * Whose password it is to be: somebody who is there, or who will be in this tenant, by its id or by the name that it
 * gets.
 */
export interface PasswordOwner {
  email: string
  name: string
  userId?: string | undefined
  tenantId?: string | undefined
  tenantName?: string | undefined
}

/** The hash of the new password. Throws UserRefusal (PasswordRefused), PasswordQueueFull and StoreUnavailable. */
export async function hashNewPassword(deps: UserWrites, owner: PasswordOwner, password: string): Promise<string> {
  return deps.passwords.hash(await acceptNewPassword(deps, owner, password), deps.address ?? '')
}

/** The new password as it is hashed. Throws UserRefusal (PasswordRefused) and StoreUnavailable. */
export async function acceptNewPassword(deps: UserWrites, owner: PasswordOwner, password: string): Promise<string> {
  const { passwordLength, breachedPasswords } = deps.settings
  const { email, name } = owner
  const accepted = checkNewPassword(password, { email, name, tenants: await tenantNames(deps, owner) }, passwordLength)
  if (breachedPasswords !== '' && (await isBreached(breachedPasswords, accepted))) {
    const message = 'This password is in a list of passwords that have leaked. Choose another one.'
    throw new PasswordRefusal({ rule: 'leaked' }, message)
  }
  return accepted
}

async function tenantNames(deps: UserWrites, { userId, tenantId, tenantName }: PasswordOwner): Promise<string[]> {
  const { reader } = deps.store
  const memberships = userId === undefined ? [] : await readMemberships(reader, { userId })
  const ids = [...memberships.map((row) => row.tenant_id), ...(tenantId === undefined ? [] : [tenantId])]
  const tenants = await Promise.all(ids.slice(0, mostTenants).map((id) => readTenant(reader, id)))
  return [...tenants.map((tenant) => tenant?.name ?? ''), tenantName ?? '']
}

/** Nobody guesses by more. */
const mostTenants = 50
