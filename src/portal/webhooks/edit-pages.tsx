// /portal/webhooks/new and …/{id}/edit: where events go, and which.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { WebhookAnswer } from '../../management/server/webhook-schemas.js'
import type { FormFields } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { CancelLink } from '../cancel-link.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { chosenEvents, EventChoices, type EventList, readEvents } from './event-choices.js'
import { hostOf, readWebhook, type Webhook, webhookPath, webhooksPath } from './read-webhook.js'
import { sendSecret } from './signing-secret.js'

interface Entered {
  url: string
  events: readonly string[]
  problem?: Problem
  status?: number
}

const nothingChosen = {
  problem: { message: 'Choose at least one event, or all of them.', target: 'events' },
  status: 400,
}

/** Registers both. */
export function registerEditPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${webhooksPath}/new`,
    routeId: 'portal-webhook-new',
    get: getPage(deps, async (_request, reply, context) => showNew(reply, context, { url: '', events: ['*'] })),
    post: postForm(deps, async (_request, reply, context, form) => {
      const entered = enteredIn(form)
      if (entered.events.length === 0) return showNew(reply, context, { ...entered, ...nothingChosen })
      try {
        const made = await context.api<WebhookAnswer<'createdWebhook'>>('POST', '/webhooks', entered)
        return sendSecret(reply, context, made)
      } catch (error) {
        return showNew(reply, context, { ...entered, ...webhookProblem(error) })
      }
    }),
  })
  registerPage(scope, deps, {
    path: `${webhooksPath}/:webhookId/edit`,
    routeId: 'portal-webhook-edit',
    get: getPage(deps, async (request, reply, context) => {
      const webhook = await readWebhook(request, context)
      return showEdit(reply, context, webhook, webhook)
    }),
    post: postForm(deps, async (request, reply, context, form) => {
      const [webhook, entered] = [await readWebhook(request, context), enteredIn(form)]
      if (entered.events.length === 0) return showEdit(reply, context, webhook, { ...entered, ...nothingChosen })
      try {
        await context.api('PATCH', `/webhooks/${webhook.id}`, entered)
      } catch (error) {
        return showEdit(reply, context, webhook, { ...entered, ...webhookProblem(error) })
      }
      return reply.redirect(doneLink(context, webhookPath(webhook), 'changed'), 303)
    }),
  })
}

function enteredIn(form: FormFields): Entered {
  return { url: form.get('url')?.trim() ?? '', events: chosenEvents(form) }
}

/** An address that is too many in the tenant is a problem of the form; see formProblem for the rest. */
function webhookProblem(error: unknown): { problem: Problem; status: number } {
  if (error instanceof ApiError && error.code === 'TooManyWebhooks') {
    return { problem: { message: error.message, target: undefined }, status: error.status }
  }
  return formProblem(error)
}

async function showNew(reply: FastifyReply, context: PortalContext, entered: Entered): Promise<FastifyReply> {
  // The list is for administrators, like the form.
  const events = await readEvents(context)
  return sendFramed(reply, context, {
    title: 'New webhook',
    eyebrow: <a href={context.link(webhooksPath)}>Webhooks</a>,
    activePath: webhooksPath,
    status: entered.status,
    children: <EditForm context={context} entered={entered} events={events} path={`${webhooksPath}/new`} />,
  })
}

async function showEdit(
  reply: FastifyReply,
  context: PortalContext,
  webhook: Webhook,
  entered: Entered,
): Promise<FastifyReply> {
  const events = await readEvents(context)
  return sendFramed(reply, context, {
    title: 'Change the webhook',
    eyebrow: <a href={context.link(webhookPath(webhook))}>{displayName(hostOf(webhook))}</a>,
    activePath: webhooksPath,
    status: entered.status,
    children: (
      <EditForm
        context={context}
        entered={entered}
        events={events}
        path={webhookPath(webhook, 'edit')}
        back={webhookPath(webhook)}
      />
    ),
  })
}

function EditForm({
  context,
  entered,
  events,
  path,
  back,
}: {
  context: PortalContext
  entered: Entered
  events: EventList
  path: string
  /** Where one goes who changes nothing; absent: it is new. */
  back?: string
}): VNode {
  const { url, problem } = entered
  return (
    <section class="card" aria-label={back === undefined ? 'New webhook' : 'Change the webhook'}>
      <ProblemNotice problem={problem} fields={['url', 'events']} />
      <Form id="webhook-form" action={context.link(path)} token={context.token}>
        <Field
          id="url"
          label="Address of the receiver"
          type="url"
          hint="https, at a public address. It has to answer within ten seconds with 2xx."
          value={url}
          error={problemAt(problem, 'url')}
          maxLength={2048}
        />
        <EventChoices
          events={events}
          chosen={entered.events}
          error={problem?.target === 'events' ? String(problem.message) : undefined}
        />
        <div class="buttons">
          <Button id="save">{back === undefined ? 'Create the webhook' : 'Save'}</Button>
          <CancelLink context={context} to={back ?? webhooksPath} />
        </div>
      </Form>
    </section>
  )
}
