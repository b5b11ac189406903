// The plan of an application, as commands show it.

import type { ApplicationPlan } from '../../calls/plan-calls.js'
import { printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { ApplicationPlanOptions } from './plan-options.js'
import { numbersOf } from './plan-text.js'

/** What counts for an application, and what was said about it. */
export function printPlan(terminal: Terminal, { output }: ApplicationPlanOptions, plan: ApplicationPlan): void {
  const { assigned, gone, overrides, limits, concurrent, request, declined, choices, forgotten } = plan
  const name = plan.plan ?? 'none'
  const why = gone
    ? `${name} (${assigned} is gone from the configuration)`
    : assigned === null
      ? `${name} (default)`
      : name
  printRecord(terminal, output, plan, [
    { label: 'plan', value: plan.plan === null && !gone ? 'none: the limits of the routes' : why },
    ...limits.map((limit) => ({
      label: `limit ${limit.name}`,
      value: `${numbersOf(limit)} by ${limit.by.join(', ')}${overrides.limits[limit.name] === undefined ? '' : ', of its own'}`,
    })),
    ...(concurrent === null
      ? []
      : [{ label: 'under way', value: `${concurrent}${overrides.concurrent === undefined ? '' : ', of its own'}` }]),
    ...forgotten.map((limit) => ({ label: 'override', value: `${limit}, which nothing has any more` })),
    ...(request === null ? [] : [{ label: 'requested', value: `${request.plan}, since ${request.requestedAt}` }]),
    ...(declined === null ? [] : [{ label: 'declined', value: declinedText(declined) }]),
    ...(choices.length === 0 ? [] : [{ label: 'you may choose', value: choices.join(', ') }]),
  ])
}

function declinedText({ plan, reason, declinedAt }: NonNullable<ApplicationPlan['declined']>): string {
  return `${plan}, ${declinedAt}${reason === '' ? '' : `: ${reason}`}`
}
