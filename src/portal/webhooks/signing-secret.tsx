// …/{id}/secret: another signing secret, after a question; and the one page that shows a secret.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { WebhookAnswer } from '../../management/server/webhook-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import { CancelLink } from '../cancel-link.js'
import { Select } from '../choice-fields.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { SecretOnce } from '../copy.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { hostOf, readWebhook, type Webhook, webhookPath, webhooksPath } from './read-webhook.js'

const overlaps = [
  ['86400', '24 hours'],
  ['3600', '1 hour'],
  ['604800', '7 days'],
  ['0', 'Not at all: it is not to be trusted any more'],
] as const

/** Registers the page. */
export function registerSigningSecret(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${webhooksPath}/:webhookId/secret`,
    routeId: 'portal-webhook-secret',
    get: getPage(deps, async (request, reply, context) => ask(reply, context, await readWebhook(request, context))),
    post: postForm(deps, async (request, reply, context, form) => {
      const webhook = await readWebhook(request, context)
      const body = { overlapSeconds: Number(form.get('overlap') ?? overlaps[0][0]) }
      try {
        const path = `/webhooks/${webhook.id}/secret`
        return sendSecret(reply, context, await context.api<WebhookAnswer<'createdWebhook'>>('POST', path, body))
      } catch (error) {
        return ask(reply, context, webhook, formProblem(error))
      }
    }),
  })
}

function ask(
  reply: FastifyReply,
  context: PortalContext,
  webhook: Webhook,
  refused?: ReturnType<typeof formProblem>,
): FastifyReply {
  return sendFramed(reply, context, {
    title: 'Another signing secret',
    eyebrow: <a href={context.link(webhookPath(webhook))}>{displayName(hostOf(webhook))}</a>,
    activePath: webhooksPath,
    status: refused?.status,
    children: (
      <section class="card" aria-label="Another signing secret">
        <ProblemNotice problem={refused?.problem.message} />
        <p>
          Events are signed with the new secret at once. For the time that you choose they are signed with the one
          before too, so that the receiver can change over without refusing an event.
        </p>
        <Form id="rotate-form" action={context.link(webhookPath(webhook, 'secret'))} token={context.token}>
          <Select id="overlap" label="The secret before signs too for" options={overlaps} />
          <div class="buttons">
            <Button id="rotate">Make another secret</Button>
            <CancelLink context={context} to={webhookPath(webhook)} />
          </div>
        </Form>
      </section>
    ),
  })
}

/** The one page that has the secret. */
export function sendSecret(
  reply: FastifyReply,
  context: PortalContext,
  made: WebhookAnswer<'createdWebhook'>,
): FastifyReply {
  const { secret, earlierSecretUntil: until } = made
  return sendFramed(reply, context, {
    title: displayName(hostOf(made)),
    eyebrow: <a href={context.link(webhooksPath)}>Webhooks</a>,
    activePath: webhooksPath,
    status: 201,
    children: (
      <>
        <section class="card once" aria-labelledby="secret-title">
          <h2 id="secret-title">Copy its signing secret now</h2>
          <p id="once">It is shown this once.</p>
          <SecretOnce
            id="signing-secret"
            label="Signing secret"
            hint={
              <>
                The receiver verifies <code>webhook-signature</code> with it, as Standard Webhooks says.
                {until === null ? '' : ` The one before signs too until ${dateTime(Date.parse(until))}.`}
              </>
            }
          >
            {secret}
          </SecretOnce>
        </section>
        <p>
          <a class="button plain" id="to-webhook" href={context.link(webhookPath(made))}>
            Go to the webhook
          </a>
        </p>
      </>
    ),
  })
}
