// The forms about the plan of an application: choosing, requesting, taking back, numbers of its own.

import type { VNode } from 'preact'
import { rateText } from '../../config/process/rate-text.js'
import type { FormFields } from '../../web/form-token.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, problemAt } from '../../web/pages/problem.js'
import { Select } from '../choice-fields.js'
import type { PortalContext } from '../context.js'
import { dateTime } from '../dates.js'
import { type ApplicationPlan, chooserWords, limitWords, type Plan, type PlanUsage } from './plan-words.js'

/** `action`: the page that takes them. */
export interface PlanFormProps {
  context: PortalContext
  action: string
  plan: ApplicationPlan
  plans: readonly Plan[]
  problem?: Problem | undefined
  /** The form that was refused. */
  sent?: FormFields | undefined
}

/** For plans that the person may put it on themselves. */
export function ChooseForm({ context, action, plan, plans, problem }: PlanFormProps): VNode | null {
  if (plan.choices.length === 0) return null
  const byDefault = plans.find((one) => one.default)?.name ?? 'no plan'
  const options = [['', `The default (${byDefault})`] as const, ...plan.choices.map((name) => [name, name] as const)]
  return (
    <Form id="choose-form" action={action} token={context.token} hidden={{ act: 'choose' }} label="Choose a plan">
      <Select
        id="plan"
        label="Plan"
        options={options}
        value={plan.assigned ?? ''}
        hint="It counts within a second, and what was used counts on."
        error={problemAt(problem, 'plan')}
      />
      <Button id="choose">Change the plan</Button>
    </Form>
  )
}

/** For the others. */
export function RequestForm({ context, action, plan, plans, problem }: PlanFormProps): VNode | null {
  const others = plans.filter(({ name }) => !plan.choices.includes(name) && name !== plan.assigned)
  if (others.length === 0) return null
  return (
    <Form id="request-form" action={action} token={context.token} hidden={{ act: 'request' }} label="Request a plan">
      <Select
        id="requested"
        label="Plan"
        options={others.map((one) => [one.name, `${one.name}: ${chooserWords(one.chosenBy).toLowerCase()}`])}
        error={problemAt(problem, 'requested')}
      />
      <Field
        id="reason"
        label="Why"
        hint="Those who decide read it."
        maxLength={500}
        required={false}
        error={problemAt(problem, 'reason')}
      />
      <Button id="request">Request it</Button>
    </Form>
  )
}

/** What waits, or was declined. */
export function RequestState({ context, action, plan: { request, declined } }: PlanFormProps): VNode | null {
  if (request !== null) {
    return (
      <div class="stack" id="request-state">
        <p>
          <span class="tag warn">Waiting</span> The plan <b>{request.plan}</b> was requested on{' '}
          {dateTime(Date.parse(request.requestedAt))}.
        </p>
        {request.reason === '' ? null : (
          <blockquote>
            <bdi>{request.reason}</bdi>
          </blockquote>
        )}
        <Form
          id="withdraw-form"
          action={action}
          token={context.token}
          hidden={{ act: 'withdraw' }}
          label="Take it back"
        >
          <Button id="withdraw" kind="plain">
            Take the request back
          </Button>
        </Form>
      </div>
    )
  }
  if (declined === null) return null
  return (
    <div class="stack" id="request-state">
      <p>
        <span class="tag warn">Declined</span> The plan <b>{declined.plan}</b>, on{' '}
        {dateTime(Date.parse(declined.declinedAt))}.
      </p>
      {declined.reason === '' ? null : (
        <blockquote>
          <bdi>{declined.reason}</bdi>
        </blockquote>
      )}
    </div>
  )
}

/** Numbers of its own, for operators. */
export function OverrideForm({
  context,
  action,
  plan,
  usage,
  problem,
  sent,
}: PlanFormProps & { usage: PlanUsage }): VNode {
  const { limits, concurrent } = plan.overrides
  // Of another form of the page nothing is here.
  const given = (id: string) => (sent?.get('act') === 'override' ? sent.get(id) : undefined)
  return (
    <Form id="override-form" action={action} token={context.token} hidden={{ act: 'override' }} label="Overrides">
      <div class="numbers-of-its-own">
        {usage.value.map((line) => (
          <Field
            key={line.name}
            id={`limit.${line.name}`}
            label={line.name}
            hint={`Now ${limitWords(line)}. Such as ${rateText(line.limit * 2, line.periodSeconds)}.`}
            maxLength={40}
            required={false}
            value={given(`limit.${line.name}`) ?? limits[line.name]?.rate ?? limits[line.name]?.quota ?? ''}
            error={problemAt(problem, `limit.${line.name}`)}
          />
        ))}
        <Field
          id="concurrent"
          label="Requests under way at once"
          hint={usage.concurrent === null ? 'Now without a bound of its own.' : `Now ${usage.concurrent}.`}
          inputMode="numeric"
          maxLength={7}
          required={false}
          value={given('concurrent') ?? (concurrent === undefined ? '' : String(concurrent))}
          error={problemAt(problem, 'concurrent')}
        />
      </div>
      <p class="fine">What is left empty counts as the plan says. Overrides stay when the plan changes.</p>
      <Button id="override">Save the numbers</Button>
    </Form>
  )
}
