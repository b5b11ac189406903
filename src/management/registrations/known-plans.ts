// Whether this server has the plans that files and options name, looked at before anything is done.

import type { RegistrationReads } from './calls.js'
import { RegistrationProblem } from './problem.js'

/** Throws RegistrationProblem for a name that is no plan. Nothing named: the server is not called. */
export async function checkPlansKnown(
  calls: Pick<RegistrationReads, 'listPlans'>,
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
  throw new RegistrationProblem('what_was_said', `there is no plan ${unknown}${meant}`)
}
