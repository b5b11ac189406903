// Names that people give. What a name may be is decided in naming/ (decision 0101); here it becomes a refusal.

import { type Named, nameProblem, storedName } from '../../naming/name-problem.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { DirectoryRefusal } from '../refusal.js'

/** Of an application whose registration named none (RFC 7591 §2): it says nothing, so everybody's may have it. */
export const unnamedApplication = 'Unnamed application'

/**
 * The name as it is stored (Unicode NFC, outer spaces cut). Throws DirectoryRefusal: InvalidName for what no name may
 * have and for what looks like a client identifier (applications can be looked up by both), NameReserved for what only
 * an operator may say.
 */
export function checkName(name: string, target: string, named: Named, isVouchedFor?: boolean): string {
  const stored = storedName(name)
  const problem = nameProblem(name, named, isVouchedFor)
  if (problem !== undefined) {
    throw new DirectoryRefusal(problem.kind === 'reserved' ? 'NameReserved' : 'InvalidName', problem.message, target)
  }
  if (parseClientIdentifier(stored) !== undefined) {
    throw new DirectoryRefusal('InvalidName', 'A name does not look like a client identifier.', target)
  }
  return stored
}

/** As checkName for a change: the name that a thing has already stays good, however old it is. */
export function checkNewName(
  before: string,
  name: string,
  target: string,
  named: Named,
  isVouchedFor?: boolean,
): string {
  return storedName(name) === before ? before : checkName(name, target, named, isVouchedFor)
}
