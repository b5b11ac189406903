// What the forms about a plan do, on the page of an application and on that of operators.

import { RATE_PATTERN } from '../../config/process/units.js'
import { ApiError } from '../../http/answers/api-error.js'
import type { PlanBody } from '../../management/plans/plan-schemas.js'
import type { FormFields } from '../../web/form-token.js'
import type { Problem } from '../../web/pages/problem.js'
import type { PortalContext } from '../context.js'
import { formProblem } from '../form-problem.js'
import type { ApplicationPlan, PlanUsage } from './plan-words.js'

type Overrides = NonNullable<PlanBody<'change'>['overrides']>

/** What was wrong with a form, and the form, which is shown again. */
export interface RefusedPlanForm {
  problem: Problem
  status: number
  sent: FormFields
}

/** A number of the form that is none. */
class WrongNumber extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super('a number of the form is none')
    this.problem = problem
  }
}

const ratePattern = new RegExp(RATE_PATTERN)

/** What to say on the page that one comes back to, by the word that `actOnPlan` answers. */
export const doneTexts = {
  chosen: 'The plan is changed.',
  requested: 'Requested. It counts as soon as somebody approves it.',
  withdrawn: 'The request is taken back.',
  overridden: 'The numbers are saved.',
}

/** A word of doneTexts, or what was wrong. Throws what is no refusal of the form's contents. */
export async function actOnPlan(
  context: PortalContext,
  id: string,
  form: FormFields,
): Promise<{ done: keyof typeof doneTexts } | RefusedPlanForm> {
  const path = `/applications/${encodeURIComponent(id)}`
  try {
    switch (form.get('act')) {
      case 'choose':
        await context.api('PUT', `${path}/plan`, { plan: form.get('plan') || null })
        return { done: 'chosen' }
      case 'withdraw':
        await context.api('DELETE', `${path}/planRequest`)
        return { done: 'withdrawn' }
      case 'override':
        await context.api('PUT', `${path}/plan`, { overrides: await overridesIn(context, path, form) })
        return { done: 'overridden' }
      default: {
        const reason = form.get('reason') ?? ''
        await context.api('POST', `${path}/planRequest`, { plan: form.get('requested') ?? '', reason })
        return { done: 'requested' }
      }
    }
  } catch (error) {
    return { ...refusalOf(error), sent: form }
  }
}

/** A plan that takes somebody else's word, or that is requested already, is a matter of the form. */
function refusalOf(error: unknown): { problem: Problem; status: number } {
  if (error instanceof WrongNumber) return { problem: error.problem, status: 400 }
  if (error instanceof ApiError && ['PlanNeedsApproval', 'PlanRequestNotFound'].includes(error.code)) {
    return { problem: { message: error.message, target: undefined }, status: error.status }
  }
  return formProblem(error, { plan: 'plan' })
}

/** Those of the form; a burst that was given otherwise stays with its rate. */
async function overridesIn(context: PortalContext, path: string, form: FormFields): Promise<Overrides> {
  const [usage, plan] = await Promise.all([
    context.api<PlanUsage>('GET', `${path}/planUsage`),
    context.api<ApplicationPlan>('GET', `${path}/plan`),
  ])
  const limits: NonNullable<Overrides['limits']> = {}
  for (const { name, kind } of usage.value) {
    const text = form.get(`limit.${name}`)?.replaceAll(' ', '')
    if (text === undefined || text === '') continue
    if (!ratePattern.test(text)) {
      throw new WrongNumber({
        message: 'Write a number of calls and a time, such as 100/min.',
        target: `limit.${name}`,
      })
    }
    const burst = plan.overrides.limits[name]?.burst
    limits[name] = kind === 'quota' ? { quota: text } : { rate: text, ...(burst === undefined ? {} : { burst }) }
  }
  const concurrent = form.get('concurrent')
  if (concurrent === undefined || concurrent === '') return { limits }
  if (!/^[1-9]\d{0,6}$/.test(concurrent)) {
    throw new WrongNumber({ message: 'Write a whole number, such as 50.', target: 'concurrent' })
  }
  return { limits, concurrent: Number(concurrent) }
}
