// The choice of a plan at registration.

import type { VNode } from 'preact'
import { type Problem, problemAt } from '../../web/pages/problem.js'
import { Select } from '../choice-fields.js'
import { limitWords, type Plan } from './plan-words.js'

/** Of those that the person may choose; nothing where there is nothing to choose. */
export function PlanChoice({
  plans,
  chosen,
  problem,
}: {
  plans: readonly Plan[]
  chosen: string | undefined
  problem: Problem | undefined
}): VNode | null {
  const choices = plans.filter(({ mayChoose }) => mayChoose)
  const others = plans.filter(({ mayChoose }) => !mayChoose).map(({ name }) => name)
  if (choices.length === 0) return null
  const byDefault = plans.find((one) => one.default)?.name ?? 'no plan'
  const later = others.length === 0 ? '' : ` ${others.join(', ')} can be requested once it is registered.`
  return (
    <Select
      id="plan"
      label="Plan"
      options={[['', `The default (${byDefault})`], ...choices.map((plan) => [plan.name, optionOf(plan)] as const)]}
      value={chosen ?? ''}
      hint={`What the application may use; you can change it later.${later}`}
      error={problemAt(problem, 'plan')}
    />
  )
}

function optionOf({ name, describe, limits }: Plan): string {
  const [first] = limits
  const what = describe === '' ? (first === undefined ? '' : limitWords(first)) : describe
  return what === '' ? name : `${name}: ${what}`
}
