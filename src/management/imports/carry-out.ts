// Carries an import out, application by application: what was done is done and said, whatever becomes of the next.

import type { RegistrationWrites } from '../registrations/calls.js'
import type { Plan } from '../registrations/plan.js'
import { executePlan, type PlanResult } from '../registrations/plan-execution.js'
import type { Answer } from '../schemas.js'
import type { ImportItem } from './import-plan.js'
import type { Imported, Note } from './sources/conversion.js'

type Created = Answer<'createdApplication'>

/** What became of one application of the source, or would. */
export interface ImportResult extends Pick<Imported, 'sourceId' | 'name' | 'type'> {
  result: Plan['result'] | 'exists' | 'failed'
  /** Why it is not there, or was left alone. */
  reason?: string
  differences: Plan['differences']
  /** With its secret when it is new; absent after a look alone. */
  application?: PlanResult
  /** Of the one that was left alone. */
  applicationId?: string
  notes: Note[]
}

export interface CarryingOut {
  calls: RegistrationWrites
  /** Only says what would be done. */
  dryRun: boolean
  /** Hears of a new registration before anything else is done about it. */
  keep: (created: Created) => Promise<void>
  /** Hears what became of it, twice where something more was done after it was made. */
  done: (result: ImportResult) => void
  /** What an error says of one application alone; undefined: it ends the whole. */
  refusalOf: (error: unknown) => string | undefined
}

/** Does what is planned and says what became of it. Throws what is no refusal of one application. */
export async function carryOut(item: ImportItem, { calls, dryRun, keep, done, refusalOf }: CarryingOut): Promise<void> {
  const { one, notes, plan } = item
  const report = { sourceId: one.sourceId, name: one.name, type: one.type, notes }
  if (plan === undefined) {
    const { result = 'failed', reason = '', applicationId } = item
    const known = applicationId === undefined ? {} : { applicationId }
    return done({ ...report, result, reason, differences: [], ...known })
  }
  const { result, differences } = plan
  if (dryRun) return done({ ...report, result, differences })
  try {
    const application = await executePlan(calls, plan, async (created) => {
      done({ ...report, result, differences, application: created })
      await keep(created)
    })
    done({ ...report, result, differences, application })
  } catch (error) {
    const reason = refusalOf(error)
    if (reason === undefined) throw error
    done({ ...report, result: 'failed', reason, differences: [] })
  }
}
