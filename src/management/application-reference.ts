// `{id}` of an application in a path: its identifier, its public key, or its exact name where only one has it. Names
// never look like identifiers (directory/names.ts), so the three cannot be confused.

import { DirectoryRefusal } from '../directory/refusal.js'
import { readApplications } from '../memory/store/applications.js'
import type { Store } from '../memory/store/store.js'
import { parseClientIdentifier } from '../oauth/client-identifier.js'
import { parseGuid } from '../oauth/guid.js'

/** The application's identifier. Throws DirectoryRefusal (ApplicationNotFound, AmbiguousName) and StoreUnavailable. */
export async function requireApplicationId(store: Store, reference: string): Promise<string> {
  const identifier = parseClientIdentifier(reference)
  const column = identifier === undefined ? 'name' : parseGuid(identifier) === undefined ? 'public_key' : 'id'
  const value = identifier ?? reference.normalize('NFC').trim()
  const [found, another] = await store.snapshot((tx) => readApplications(tx, column, value))
  if (found === undefined) throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.')
  if (another !== undefined) {
    throw new DirectoryRefusal('AmbiguousName', 'Several applications have this name: use an application identifier.')
  }
  return found.application.id
}
