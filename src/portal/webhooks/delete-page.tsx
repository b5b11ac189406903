// …/{id}/delete: deletes a webhook, after its host was typed.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { WebhookAnswer } from '../../management/server/webhook-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { type Question, sendQuestion, typedWrong } from '../acts/question.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { counted } from './list-page.js'
import { hostOf, readWebhook, type Webhook, webhookPath, webhooksPath } from './read-webhook.js'

/** Registers it. */
export function registerDeleteWebhook(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${webhooksPath}/:webhookId/delete`,
    routeId: 'portal-webhook-delete',
    get: getPage(deps, async (request, reply, context) => ask(reply, context, await readWebhook(request, context))),
    post: postForm(deps, async (request, reply, context, form) => {
      const webhook = await readWebhook(request, context)
      const refused = typedWrong(form.get('typed'), hostOf(webhook))
      if (refused !== undefined) return ask(reply, context, webhook, refused)
      await context.api('DELETE', `/webhooks/${webhook.id}`)
      return reply.redirect(doneLink(context, webhooksPath, 'deleted'), 303)
    }),
  })
}

async function ask(
  reply: FastifyReply,
  context: PortalContext,
  webhook: Webhook,
  refused?: Question['refused'],
): Promise<FastifyReply> {
  const backlog = await context.api<WebhookAnswer<'backlog'>>('GET', `/webhooks/${webhook.id}/backlog`)
  const host = displayName(hostOf(webhook))
  return sendQuestion(reply, context, {
    activePath: webhooksPath,
    question: 'Delete this webhook?',
    eyebrow: <a href={context.link(webhookPath(webhook))}>{host}</a>,
    what: (
      <p>
        Nothing more is sent to {host}. What waits and the dead letters are gone for good, and so is its signing secret.
      </p>
    ),
    counts: [
      ['Events that wait', counted(backlog, 'waiting')],
      ['Dead letters', counted(backlog, 'dead')],
    ],
    typed: { label: 'Host of the receiver', text: hostOf(webhook) },
    button: 'Delete the webhook',
    path: webhookPath(webhook, 'delete'),
    back: webhookPath(webhook),
    refused,
  })
}
