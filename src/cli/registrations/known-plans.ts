// Whether this server has the plans that files and options name, looked at before anything is done.

import type { ManagementCalls } from '../calls/management-calls.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'

/** Throws CommandFailure for a name that is no plan. Nothing named: the server is not called. */
export async function checkPlansKnown(
  calls: Pick<ManagementCalls, 'listPlans'>,
  names: readonly (string | null | undefined)[],
): Promise<void> {
  const wanted = names.flatMap((name) => name || [])
  if (wanted.length === 0) return
  const known = (await calls.listPlans()).map(({ name }) => name)
  const unknown = wanted.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const there = known.length === 0 ? 'this server has no plans' : `there are ${known.join(', ')}`
  const { didYouMean } = await import('../../config/report/suggest.js')
  const meant = didYouMean(unknown, known) || `: ${there}`
  throw new CommandFailure(exitCodes.usage, `there is no plan ${printable(unknown)}${meant}`)
}
