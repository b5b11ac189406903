// The application that an operator looks at, of whatever tenant it is.

import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import type { Store } from '../../storage/sql/store.js'
import type { Caller } from '../access/access.js'
import { ownApplicationId } from '../access/ownership.js'
import { isOperator } from '../people/tenant-of-path.js'

/**
 * As ownApplicationId, and for operators besides any application by one of its identifiers: for what they take away from
 * others. A name is one tenant's own. Throws as that.
 */
export async function supervisedApplicationId(store: Store, caller: Caller, reference: string): Promise<string> {
  const isAnybodys = isOperator(caller) && parseClientIdentifier(reference) !== undefined
  return ownApplicationId(store, isAnybodys ? { kind: 'local', origin: caller.origin } : caller, reference)
}
