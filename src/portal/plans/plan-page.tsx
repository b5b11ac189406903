// The plan of an application: what it allows, what of it is used, changing it, and requesting another one.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { PlanAnswer } from '../../management/plans/plan-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { Notice } from '../../web/pages/elements.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import { type Application, applicationOfPage, applicationPath, sendApplicationPage } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { EmptyState } from '../empty-state.js'
import { LimitChart, LimitTable } from './limit-view.js'
import { actOnPlan, doneTexts, type RefusedPlanForm } from './plan-acts.js'
import { ChooseForm, OverrideForm, type PlanFormProps, RequestForm, RequestState } from './plan-forms.js'
import { type ApplicationPlan, type PlanUsage, planFields } from './plan-words.js'

/** `GET|POST /portal/applications/{id}/plan` */
export function registerPlanPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/plan',
    routeId: 'portal-plan',
    get: getPage(deps, async (request, reply, context) =>
      show(reply, context, await applicationOfPage(request, context)),
    ),
    post: postForm(deps, async (request, reply, context, form) => {
      const application = await applicationOfPage(request, context)
      const { applicationId } = application
      const outcome = await actOnPlan(context, applicationId, form)
      if ('problem' in outcome) return show(reply, context, application, outcome)
      return reply.redirect(doneLink(context, applicationPath(applicationId, 'plan'), outcome.done), 303)
    }),
  })
}

async function show(
  reply: FastifyReply,
  context: PortalContext,
  application: Application,
  refused?: RefusedPlanForm,
): Promise<FastifyReply> {
  const { applicationId } = application
  const [plan, usage, plans] = await Promise.all([
    context.api<ApplicationPlan>('GET', `/applications/${applicationId}/plan`),
    context.api<PlanUsage>('GET', `/applications/${applicationId}/planUsage`),
    context.api<PlanAnswer<'plans'>>('GET', '/plans'),
  ])
  const action = context.link(applicationPath(applicationId, 'plan'))
  const props = { context, action, plan, plans: plans.value, problem: refused?.problem, sent: refused?.sent }
  return sendApplicationPage(reply, context, {
    application,
    at: 'plan',
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={doneTexts} />
        <ProblemNotice problem={refused?.problem} fields={planFields(usage)} />
        <PlanView usage={usage} props={props} />
        {plans.value.length === 0 ? null : (
          <section class="card" aria-labelledby="another-title">
            <h2 id="another-title">Another plan</h2>
            <RequestState {...props} />
            <ChooseForm {...props} />
            <RequestForm {...props} />
          </section>
        )}
        {context.person.user.isOperator ? <Overrides usage={usage} props={props} /> : null}
      </>
    ),
  })
}

/** What counts now. */
export function PlanView({ usage, props: { plan, plans } }: { usage: PlanUsage; props: PlanFormProps }): VNode {
  const { describe = '' } = plans.find(({ name }) => name === plan.plan) ?? {}
  return (
    <section class="card" aria-labelledby="plan-title">
      <h2 id="plan-title">{plan.plan === null ? 'No plan' : `Plan ${plan.plan}`}</h2>
      {plan.gone ? (
        <Notice id="plan-gone" kind="error">
          <p>
            It was put on the plan <b>{plan.assigned}</b>, which this server does not have any more:{' '}
            {plan.plan === null ? 'the limits of the routes count' : `the default plan ${plan.plan} counts`}.
          </p>
        </Notice>
      ) : null}
      <p>
        {plan.plan === null ? 'The limits of the routes count, as for everybody.' : describe}
        {plan.assigned === null && plan.plan !== null ? ' It is the default plan.' : ''}
        {plan.concurrent === null ? '' : ` At most ${plan.concurrent} requests may be under way at once.`}
      </p>
      {usage.value.length === 0 ? (
        <EmptyState id="no-limits" title="Nothing is limited">
          <p>No limit counts the calls of this application.</p>
        </EmptyState>
      ) : (
        <>
          <LimitChart usage={usage} />
          <LimitTable usage={usage} />
        </>
      )}
      {plan.forgotten.length === 0 ? null : (
        <p class="fine" id="forgotten">
          Numbers of its own that no limit has any more: {plan.forgotten.join(', ')}.
        </p>
      )}
    </section>
  )
}

/** For operators. */
export function Overrides({ usage, props }: { usage: PlanUsage; props: PlanFormProps }): VNode {
  return (
    <section class="card" aria-labelledby="overrides-title">
      <h2 id="overrides-title">Numbers of its own</h2>
      <p>As an operator of this server you give this one application other numbers than its plan has.</p>
      <OverrideForm {...props} usage={usage} />
    </section>
  )
}
