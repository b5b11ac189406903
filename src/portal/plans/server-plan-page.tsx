// The plan of one application of any tenant, for operators.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { PlanAnswer } from '../../management/plans/plan-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { PageError } from '../../web/pages/page-error.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { sendFramed } from '../frame.js'
import { actOnPlan, doneTexts, type RefusedPlanForm } from './plan-acts.js'
import { ChooseForm } from './plan-forms.js'
import { Overrides, PlanView } from './plan-page.js'
import { type ApplicationPlan, type PlanUsage, planFields } from './plan-words.js'
import { serverPlansPath } from './server-plans-page.js'

const idOf = (request: { params: unknown }) => (request.params as { id: string }).id

/** `GET|POST /portal/server/plans/{id}` */
export function registerServerPlan(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${serverPlansPath}/:id`,
    routeId: 'portal-server-plan',
    get: getPage(deps, async (request, reply, context) => show(reply, context, idOf(request))),
    post: postForm(deps, async (request, reply, context, form) => {
      const id = idOf(request)
      checkOperator(context)
      const outcome = await actOnPlan(context, id, form)
      if ('problem' in outcome) return show(reply, context, id, outcome)
      return reply.redirect(doneLink(context, `${serverPlansPath}/${encodeURIComponent(id)}`, outcome.done), 303)
    }),
  })
}

/** Others have the page of their own application. Throws PageError 403. */
function checkOperator({ person, link }: PortalContext): void {
  if (person.user.isOperator) return
  throw new PageError({
    status: 403,
    title: 'Only for operators of this server',
    what: 'This page shows applications of all tenants.',
    remedy: 'The plan of an application of yours is on the application’s own pages.',
    links: [{ href: link('/portal/applications'), text: 'Go to applications' }],
    reason: 'OperatorRequired',
  })
}

async function show(
  reply: FastifyReply,
  context: PortalContext,
  id: string,
  refused?: RefusedPlanForm,
): Promise<FastifyReply> {
  checkOperator(context)
  const path = `/applications/${encodeURIComponent(id)}`
  const [plan, usage, plans] = await Promise.all([
    context.api<ApplicationPlan>('GET', `${path}/plan`),
    context.api<PlanUsage>('GET', `${path}/planUsage`),
    context.api<PlanAnswer<'plans'>>('GET', '/plans'),
  ])
  const action = context.link(`${serverPlansPath}/${plan.applicationId}`)
  const props = { context, action, plan, plans: plans.value, problem: refused?.problem, sent: refused?.sent }
  return sendFramed(reply, context, {
    title: displayName(plan.name),
    activePath: serverPlansPath,
    eyebrow: <a href={context.link(serverPlansPath)}>Plans</a>,
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={doneTexts} />
        <ProblemNotice problem={refused?.problem} fields={planFields(usage)} />
        <PlanView usage={usage} props={props} />
        <section class="card" aria-labelledby="change-title">
          <h2 id="change-title">Another plan</h2>
          <ChooseForm {...props} />
        </section>
        <Overrides usage={usage} props={props} />
      </>
    ),
  })
}
