// …/{id}/deliveries/{deliveryId}: one event on its way: what became of it, what is in it, and sending it again.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebhookAnswer } from '../../management/server/webhook-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { CopyBlock } from '../copy.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { answerOf, DeliveryState } from './delivery-table.js'
import { failureWords } from './failure-words.js'
import { hostOf, readWebhook, type Webhook, webhookPath, webhooksPath } from './read-webhook.js'

type Delivery = WebhookAnswer<'deliveryWithBody'>

const texts = { again: 'The event is in line again, under the same event ID.' }

/** Registers it. */
export function registerDeliveryPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${webhooksPath}/:webhookId/deliveries/:deliveryId`,
    routeId: 'portal-webhook-delivery',
    get: getPage(deps, async (request, reply, context) => show(reply, context, await read(request, context))),
    post: postForm(deps, async (request, reply, context) => {
      const { webhook, delivery } = await read(request, context)
      try {
        await context.api('POST', `/webhooks/${webhook.id}/deliveries/${delivery.id}/redeliver`)
      } catch (error) {
        return show(reply, context, { webhook, delivery }, formProblem(error))
      }
      return reply.redirect(doneLink(context, webhookPath(webhook, `deliveries/${delivery.id}`), 'again'), 303)
    }),
  })
}

interface Shown {
  webhook: Webhook
  delivery: Delivery
}

async function read(request: FastifyRequest, context: PortalContext): Promise<Shown> {
  const webhook = await readWebhook(request, context)
  const { deliveryId } = request.params as { deliveryId: string }
  const path = `/webhooks/${webhook.id}/deliveries/${encodeURIComponent(deliveryId)}`
  return { webhook, delivery: await context.api<Delivery>('GET', path) }
}

function show(
  reply: FastifyReply,
  context: PortalContext,
  { webhook, delivery }: Shown,
  refused?: { problem: Problem; status: number },
): FastifyReply {
  const { type, eventId, createdAt, lastAttemptAt, lastReason, lastDurationMs, attempts } = delivery
  return sendFramed(reply, context, {
    title: type,
    eyebrow: <a href={context.link(webhookPath(webhook))}>{displayName(hostOf(webhook))}</a>,
    activePath: webhooksPath,
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={texts} />
        <ProblemNotice problem={refused?.problem} />
        <section class="card" aria-labelledby="about-title">
          <h2 id="about-title">What became of it</h2>
          <Facts
            id="delivery"
            rows={[
              ['State', <DeliveryState key="state" delivery={delivery} />],
              ['Event ID', <code key="id">{eventId}</code>],
              ['In line since', dateTime(Date.parse(createdAt))],
              ['Tries', String(attempts)],
              ...(lastAttemptAt === null
                ? []
                : [
                    ['Last attempt', dateTime(Date.parse(lastAttemptAt))] as const,
                    ['Answer', `${answerOf(delivery)}. ${failureWords(lastReason)}`] as const,
                  ]),
              ...(lastDurationMs === null ? [] : [['Took', `${lastDurationMs.toLocaleString('en-GB')} ms`] as const]),
            ]}
          />
          {webhook.enabled ? (
            <Form id="again-form" action={context.address} token={context.token}>
              <Button id="again">Send again</Button>
            </Form>
          ) : (
            <p class="fine">The webhook is paused. Resume it to send this again.</p>
          )}
        </section>
        <section class="card" aria-labelledby="event-title">
          <h2 id="event-title">The event</h2>
          <CopyBlock id="event" name="CloudEvents 1.0, as it is sent, with line breaks for reading">
            {JSON.stringify(JSON.parse(delivery.body), undefined, 2)}
          </CopyBlock>
        </section>
      </>
    ),
  })
}
