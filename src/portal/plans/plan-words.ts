// What a limit allows, in words for people.

import { periodWords } from '../../limits/refusal-words.js'
import type { PlanAnswer } from '../../management/plans/plan-schemas.js'

export type ApplicationPlan = PlanAnswer<'applicationPlan'>
export type PlanUsage = PlanAnswer<'planUsage'>
export type Plan = PlanAnswer<'plans'>['value'][number]

type Limit = Plan['limits'][number]

const number = new Intl.NumberFormat('en-GB')

/** `1,000 per day`, `600 per minute, 50 at once`. */
export function limitWords({ limit, periodSeconds, burst }: Pick<Limit, 'limit' | 'periodSeconds' | 'burst'>): string {
  const atOnce = burst === null ? '' : `, ${number.format(burst)} at once`
  return `${number.format(limit)} per ${periodWords(periodSeconds)}${atOnce}`
}

/** What is counted together: `the application in each tenant`. */
export function countedWords(by: readonly string[]): string {
  const each = by.filter((one) => one !== 'application').map((one) => `each ${one}`)
  return each.length === 0 ? 'the application' : `the application with ${each.join(' and ')}`
}

/** Whose word it takes. */
export function chooserWords(chosenBy: Plan['chosenBy']): string {
  if (chosenBy === 'developers') return 'Developers choose it'
  return chosenBy === 'administrators' ? 'An administrator approves it' : 'An operator of this server approves it'
}

/** The fields whose problem stands at them. */
export function planFields(usage: PlanUsage): string[] {
  return ['plan', 'requested', 'reason', 'concurrent', ...usage.value.map(({ name }) => `limit.${name}`)]
}
