// People whose password is one that many tests use: it is hashed once in a process, not once for each of them.

import { write } from '../../../src/directory/writes.js'
import { addUser, type NewUser } from '../../../src/users/accounts/new-user.js'
import type { User } from '../../../src/users/records.js'
import type { UserWrites } from '../../../src/users/writes.js'

/** By password. What a hash is worth is shown where users/credentials/password.ts is tested. */
const hashes = new Map<string, Promise<string>>()

/** As `createUser` does, without asking again whether the password is good enough. */
export async function createKnownUser(
  users: UserWrites,
  { password, ...person }: Omit<NewUser, 'passwordHash'> & { password: string },
): Promise<User> {
  const known = hashes.get(password) ?? users.passwords.hash(password, '')
  hashes.set(password, known)
  const passwordHash = await known
  return write(users, (writing) => addUser(users, writing, { ...person, passwordHash }))
}
