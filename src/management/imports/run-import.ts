// Carries out what was planned within a time. What was done is answered whatever happens then, because new secrets are
// in no other answer; what was not reached is done by sending the import once more.

import type { RegistrationWrites } from '../registrations/calls.js'
import { carryOut, type ImportResult } from './carry-out.js'
import type { ImportItem } from './import-plan.js'

export type RunResult = Omit<ImportResult, 'result'> & { result: ImportResult['result'] | 'notReached' }

const mostMs = 25_000
const broken = 'the server could not'

interface Running {
  calls: RegistrationWrites
  refusalOf: (error: unknown) => string | undefined
  /** Epoch milliseconds. */
  now: () => number
}

/** In their order. Throws what ends the whole, only while nothing was done. */
export async function runImport(
  items: readonly ImportItem[],
  { calls, refusalOf, now }: Running,
): Promise<RunResult[]> {
  const endsAt = now() + mostMs
  const results: RunResult[] = []
  let stopped = false
  for (const [at, item] of items.entries()) {
    stopped ||= now() > endsAt
    results[at] = notReached(item)
    const done = (result: ImportResult) => {
      results[at] = result
    }
    if (stopped) continue
    // An application that was made is answered as made, with its secret, when what comes after it is refused.
    const unlessMade = (error: unknown) => (results[at]?.application === undefined ? refusalOf(error) : undefined)
    try {
      await carryOut(item, { calls, dryRun: false, keep: async () => undefined, done, refusalOf: unlessMade })
    } catch (error) {
      if (!results.some(({ result }) => result === 'created' || result === 'changed')) throw error
      const refused = refusalOf(error)
      const result = results[at] ?? notReached(item)
      if (result.application !== undefined)
        results[at] = { ...result, reason: `made, but not disabled: ${refused ?? broken}` }
      stopped = refused === undefined
    }
  }
  return results
}

function notReached({ one: { sourceId, name, type }, notes }: ImportItem): RunResult {
  const reason = 'it was not reached: send the import again, and what is done stays as it is'
  return { sourceId, name, type, notes, result: 'notReached', reason, differences: [] }
}
