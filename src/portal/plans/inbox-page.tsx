// Requests for plans that wait: those of the tenant for its administrators, those of all tenants for operators.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { PlanAnswer } from '../../management/plans/plan-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { granterNames } from '../permissions/granters.js'
import { limitWords, type Plan } from './plan-words.js'

/** Its address. */
export const planInboxPath = '/portal/plan-requests'

const mostShown = 50
const texts = {
  approved: 'Approved. The application has the plan.',
  declined: 'Declined. The plan stays as it is.',
}

type Request = PlanAnswer<'request'>

interface Shown {
  request: Request
  requester: string
  tenant: string
  /** Undefined: the configuration has it no more. */
  plan: Plan | undefined
}

/** `GET|POST /portal/plan-requests` */
export function registerPlanInbox(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: planInboxPath,
    routeId: 'portal-plan-requests',
    get: getPage(deps, async (_request, reply, context) => show(deps, reply, context)),
    post: postForm(deps, async (_request, reply, context, form) => {
      const id = encodeURIComponent(form.get('id') ?? '')
      const word = form.get('decision')
      if (word !== 'approved' && word !== 'declined') return reply.redirect(context.link(planInboxPath), 303)
      try {
        if (word === 'approved') await context.api('POST', `/planRequests/${id}/approve`)
        else await context.api('POST', `/planRequests/${id}/decline`, { reason: form.get(`reason-${id}`) ?? '' })
      } catch (error) {
        if (!isAboutRequest(error)) throw error
        return show(deps, reply, context, error)
      }
      return reply.redirect(doneLink(context, planInboxPath, word), 303)
    }),
  })
}

/** Decided by somebody else meanwhile, or not theirs to decide. */
function isAboutRequest(error: unknown): error is ApiError {
  return error instanceof ApiError && ['PlanRequestNotFound', 'PlanNeedsApproval', 'UnknownPlan'].includes(error.code)
}

async function show(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  refused?: ApiError,
): Promise<FastifyReply> {
  const requests = (await context.api<PlanAnswer<'requests'>>('GET', '/planRequests')).value
  const plans = (await context.api<PlanAnswer<'plans'>>('GET', '/plans')).value
  const waiting = await describe(deps, context, requests.slice(0, mostShown), plans)
  const more = requests.length - waiting.length
  return sendFramed(reply, context, {
    title: 'Plan requests',
    activePath: planInboxPath,
    intro: 'Developers choose some plans themselves; for the others they wait for a decision here.',
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={texts} />
        <ProblemNotice problem={refused?.message} />
        {waiting.length === 0 ? (
          <EmptyState id="nobody-waits" title="Nobody is waiting">
            <p>When an application needs a plan that its developers may not choose, their request stands here.</p>
          </EmptyState>
        ) : (
          <section class="stack" aria-labelledby="waiting-title">
            <h2 id="waiting-title">
              {requests.length === 1 ? 'One request is waiting' : `${requests.length} requests are waiting`}
            </h2>
            {waiting.map((one) => (
              <Waiting key={one.request.requestId} one={one} context={context} />
            ))}
            {more === 0 ? null : <p class="fine">And {more} more, which are shown once these are decided.</p>}
          </section>
        )}
      </>
    ),
  })
}

async function describe(
  deps: PortalDependencies,
  context: PortalContext,
  requests: readonly Request[],
  plans: readonly Plan[],
): Promise<Shown[]> {
  const askers = requests.map(({ requestedBy }) => requestedBy || 'local')
  const names = await granterNames(context, askers, 'somebody of its tenant')
  return Promise.all(
    requests.map(async (request) => ({
      request,
      requester: names.get(request.requestedBy || 'local') ?? '',
      tenant: (await deps.directory.findTenant(request.tenantId))?.name ?? '',
      plan: plans.find(({ name }) => name === request.plan),
    })),
  )
}

function Waiting({
  one: { request, requester, tenant, plan },
  context,
}: {
  one: Shown
  context: PortalContext
}): VNode {
  const { requestId: id, applicationId, applicationName, reason, requestedAt } = request
  const isOwn = request.tenantId === context.currentTenant.tenantId
  const name = displayName(applicationName)
  return (
    <section class="card request" id={`request-${id}`} aria-label={name}>
      <h3>
        {isOwn ? <a href={context.link(`/portal/applications/${applicationId}/plan`)}>{name}</a> : name} requests the
        plan {request.plan}
      </h3>
      <p class="fine">
        Requested by <bdi>{requester}</bdi> on {dateTime(Date.parse(requestedAt))}
        {isOwn ? '' : ` in ${displayName(tenant)}`}
      </p>
      {reason === '' ? null : (
        <blockquote>
          <bdi>{displayName(reason, 500)}</bdi>
        </blockquote>
      )}
      <Gives plan={plan} />
      {plan?.mayChoose === false ? (
        <p class="fine" id={`not-yours-${id}`}>
          An operator of this server decides about this plan.
        </p>
      ) : (
        <Decide id={id} context={context} name={name} isGone={plan === undefined} />
      )}
    </section>
  )
}

function Gives({ plan }: { plan: Plan | undefined }): VNode {
  if (plan === undefined) return <p>This server does not have that plan any more: it can only be declined.</p>
  const { limits, concurrent } = plan
  return (
    <ul class="plain-list">
      {limits.map((limit) => (
        <li key={limit.name}>
          {limit.name}: {limitWords(limit)}
        </li>
      ))}
      {concurrent === null ? null : <li>{concurrent} requests under way at once</li>}
    </ul>
  )
}

function Decide({
  id,
  context,
  name,
  isGone,
}: {
  id: string
  context: PortalContext
  name: string
  isGone: boolean
}): VNode {
  return (
    <Form
      id={`decide-${id}`}
      action={context.link(planInboxPath)}
      token={context.token}
      hidden={{ id }}
      label={`Decide about ${name}`}
    >
      <Field
        id={`reason-${id}`}
        label="Why, if you decline"
        hint="Those who requested it read it."
        maxLength={500}
        required={false}
      />
      <div class="buttons">
        <Button id={`decline-${id}`} kind="plain" name="decision" value="declined">
          Decline
        </Button>
        {isGone ? null : (
          <Button id={`approve-${id}`} name="decision" value="approved">
            Approve
          </Button>
        )}
      </div>
    </Form>
  )
}
