// …/{id}: one webhook: what it hears of, how it is doing, what was sent; pausing, trying it out, sending again.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { WebhookAnswer } from '../../management/server/webhook-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { sendQuestion } from '../acts/question.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { CopyValue } from '../copy.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { pageAfter } from '../lists/next-page.js'
import { DeliveryTable, stateOf } from './delivery-table.js'
import { eventsInWords } from './event-choices.js'
import { failureWords } from './failure-words.js'
import { hostOf, readWebhook, type Webhook, webhookPath, webhooksPath } from './read-webhook.js'
import { WebhookState } from './webhook-state.js'

type Tested = WebhookAnswer<'tested'>

const texts = {
  changed: 'The webhook is changed.',
  paused: 'The webhook is paused. Nothing is sent.',
  resumed: 'The webhook is on again. What waited is sent now.',
  replayed: 'The dead letters are in line again, the oldest first.',
  more: 'The oldest thousand dead letters are in line again. There are more: send again for the next.',
}

/** Registers it. */
export function registerWebhookPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${webhooksPath}/:webhookId`,
    routeId: 'portal-webhook',
    get: getPage(deps, async (request, reply, context) =>
      show(deps, reply, context, await readWebhook(request, context)),
    ),
    post: postForm(deps, async (request, reply, context, form) => {
      const webhook = await readWebhook(request, context)
      const [path, act] = [`/webhooks/${webhook.id}`, form.get('act')]
      const done = (word: string) => reply.redirect(doneLink(context, webhookPath(webhook), word), 303)
      try {
        if (act === 'test') {
          const tested = await context.api<Tested>('POST', `${path}/test`)
          return show(deps, reply, context, webhook, { tested })
        }
        if (act === 'replay') {
          const { more } = await context.api<WebhookAnswer<'replayed'>>('POST', `${path}/replay`)
          return done(more ? 'more' : 'replayed')
        }
        if (act === 'pause' && form.get('confirmed') !== 'yes') return askPause(reply, context, webhook)
        await context.api('PATCH', path, { enabled: act === 'resume' })
        return done(act === 'resume' ? 'resumed' : 'paused')
      } catch (error) {
        return show(deps, reply, context, await readWebhook(request, context), formProblem(error))
      }
    }),
  })
}

async function askPause(reply: FastifyReply, context: PortalContext, webhook: Webhook): Promise<FastifyReply> {
  const { waiting } = await context.api<WebhookAnswer<'backlog'>>('GET', `/webhooks/${webhook.id}/backlog`)
  return sendQuestion(reply, context, {
    activePath: webhooksPath,
    question: `Pause the webhook to ${displayName(hostOf(webhook))}?`,
    what: (
      <p>
        What waits is kept and sent when the webhook is on again. What happens while it is paused is never sent there.
      </p>
    ),
    counts: [['Events that wait', waiting === 0 ? 'none' : waiting.toLocaleString('en-GB')]],
    button: 'Pause',
    hidden: { act: 'pause' },
    path: webhookPath(webhook),
    back: webhookPath(webhook),
  })
}

async function show(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  webhook: Webhook,
  after: { tested?: Tested; problem?: Problem; status?: number } = {},
): Promise<FastifyReply> {
  const state = stateOf(context.query)
  const query = `${pageAfter(context.query.get('after'))}${state === undefined ? '' : `&state=${state}`}`
  const [found, backlog] = await Promise.all([
    context.api<WebhookAnswer<'deliveries'>>('GET', `/webhooks/${webhook.id}/deliveries?${query}`),
    context.api<WebhookAnswer<'backlog'>>('GET', `/webhooks/${webhook.id}/backlog`),
  ])
  return sendFramed(reply, context, {
    title: displayName(hostOf(webhook)),
    eyebrow: <a href={context.link(webhooksPath)}>Webhooks</a>,
    activePath: webhooksPath,
    status: after.status,
    children: (
      <>
        <Done context={context} texts={texts} />
        <ProblemNotice problem={after.problem} />
        {after.tested === undefined ? null : <TestResult tested={after.tested} />}
        <About context={context} webhook={webhook} nowMs={deps.now()} />
        <DeliveryTable context={context} webhook={webhook} found={found} backlog={backlog} />
      </>
    ),
  })
}

function TestResult({ tested }: { tested: Tested }): VNode {
  const { delivered, status, reason, durationMs, eventId } = tested
  const answered = status === null ? 'There was no answer' : `The receiver answered ${status}`
  return (
    <Notice
      id="tested"
      kind={delivered ? 'success' : 'error'}
      title={delivered ? 'The test event arrived' : 'The test event did not arrive'}
    >
      <p>
        {answered} after {durationMs.toLocaleString('en-GB')} ms. {failureWords(reason)} Its event ID is{' '}
        <code>{eventId}</code>. A test is sent once and is not in the list below.
      </p>
    </Notice>
  )
}

function About({ context, webhook, nowMs }: { context: PortalContext; webhook: Webhook; nowMs: number }): VNode {
  const { url, enabled, earlierSecretUntil: until, createdAt } = webhook
  const path = webhookPath(webhook)
  const isOverlapping = until !== null && Date.parse(until) > nowMs
  return (
    <section class="card" aria-labelledby="about-title">
      <h2 id="about-title">About it</h2>
      <Facts
        id="webhook"
        rows={[
          [
            'Receiver',
            <CopyValue key="url" id="webhook-url" name="Address of the receiver">
              {url}
            </CopyValue>,
          ],
          ['Events', eventsInWords(webhook)],
          ['State', <WebhookState key="state" webhook={webhook} />],
          [
            'Signed with',
            isOverlapping
              ? `its signing secret; the one before signs too until ${dateTime(Date.parse(until))}`
              : 'its signing secret',
          ],
          ['Since', dateTime(Date.parse(createdAt))],
        ]}
      />
      <div class="buttons">
        <Form id="test-form" action={context.link(path)} token={context.token} hidden={{ act: 'test' }}>
          <Button id="test">Send a test event</Button>
        </Form>
        <Form
          id="switch-form"
          action={context.link(path)}
          token={context.token}
          hidden={{ act: enabled ? 'pause' : 'resume' }}
        >
          <Button id="switch" kind="plain">
            {enabled ? 'Pause' : 'Resume'}
          </Button>
        </Form>
        <a class="button plain" id="edit" href={context.link(webhookPath(webhook, 'edit'))}>
          Change
        </a>
        <a class="button plain" id="secret" href={context.link(webhookPath(webhook, 'secret'))}>
          Another secret
        </a>
        <a class="button plain" id="delete" href={context.link(webhookPath(webhook, 'delete'))}>
          Delete
        </a>
      </div>
    </section>
  )
}
