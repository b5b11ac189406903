// What verifying found, in words.

import type { VerificationAnswer } from '../../../management/audit/audit-schemas.js'

export type Problem = VerificationAnswer['problems'][number]

/** One line for a person: where, and what is wrong there. */
export function sayProblem({ kind, position, until, movedFrom, line }: Problem): string {
  const where = until === undefined ? `row ${position}` : `rows ${position} to ${until}`
  const by = line === undefined ? '' : ` (line ${line} of the checkpoints)`
  switch (kind) {
    case 'moved':
      return `${where}: was written as row ${movedFrom}`
    case 'removed':
      return `${where}: removed`
    case 'cut-off':
      return `${where}: cut off the end${by}`
    case 'added':
      return `${where}: put where nothing was ever written`
    case 'changed':
      return `${where}: changed`
    case 'unknown-key':
      return `${where}: written under a master key that is not configured`
    case 'head':
      return `${where}: the head of the ledger names another last row`
    case 'rewritten':
      return `${where}: was another one at the checkpoint${by}`
    case 'start':
      return until === undefined
        ? `the ledger begins after row ${position}, and no row says who removed those before`
        : `the ledger says that it begins after row ${position}, and a row of it that those up to ${until} were removed`
    case 'start-forged':
      return 'where the ledger begins: forged or damaged'
    case 'start-unknown-key':
      return 'where the ledger begins: signed under a master key that is not configured'
    default:
      return `line ${line} of the checkpoints (for ${where}): ${kind === 'checkpoint-forged' ? 'forged or damaged' : 'signed under a master key that is not configured'}`
  }
}
