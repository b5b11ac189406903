// /portal/webhooks: where the events of the tenant go, and how that is doing.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { WebhookAnswer } from '../../management/server/webhook-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { getPage, type PortalContext } from '../context.js'
import { date } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done } from '../done-notice.js'
import { EmptyState } from '../empty-state.js'
import { sendFramed } from '../frame.js'
import { Table } from '../table.js'
import { eventsInWords } from './event-choices.js'
import { hostOf, type Webhook, webhookPath, webhooksPath } from './read-webhook.js'
import { WebhookState } from './webhook-state.js'

type Backlog = WebhookAnswer<'backlog'>

const columns = [
  { text: 'Receiver' },
  { text: 'Events' },
  { text: 'State' },
  { text: 'Waiting', number: true },
  { text: 'Dead letters', number: true },
] as const
const texts = { deleted: 'The webhook is deleted. Nothing more is sent there.' }

/** Registers it. */
export function registerWebhookList(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: webhooksPath,
    routeId: 'portal-webhooks',
    get: getPage(deps, async (_request, reply, context) => show(reply, context)),
  })
}

async function show(reply: FastifyReply, context: PortalContext): Promise<FastifyReply> {
  const { value } = await context.api<WebhookAnswer<'webhooks'>>('GET', '/webhooks')
  const backlogs = await Promise.all(value.map(({ id }) => context.api<Backlog>('GET', `/webhooks/${id}/backlog`)))
  return sendFramed(reply, context, {
    title: 'Webhooks',
    activePath: webhooksPath,
    intro: `Where the events of ${displayName(context.currentTenant.name)} are sent, signed, as they happen.`,
    children: (
      <>
        <Done context={context} texts={texts} />
        {value.length === 0 ? (
          <EmptyState id="no-webhooks" title="No webhooks yet" action={<NewLink context={context} />}>
            <p>
              A webhook tells a service of yours when something happens here: a consent is granted, a private key ends
              soon, an application is changed.
            </p>
          </EmptyState>
        ) : (
          <section class="card" aria-label="Webhooks">
            <Table
              id="webhooks"
              columns={columns}
              rows={value.map((webhook, at) => rowOf(context, webhook, backlogs[at]))}
            />
            <NewLink context={context} />
          </section>
        )}
      </>
    ),
  })
}

function NewLink({ context }: { context: PortalContext }): VNode {
  return (
    <p>
      <a class="button" id="new-webhook" href={context.link(`${webhooksPath}/new`)}>
        New webhook
      </a>
    </p>
  )
}

function rowOf(context: PortalContext, webhook: Webhook, backlog: Backlog | undefined) {
  return {
    id: `webhook-${webhook.id}`,
    cells: [
      <>
        <a href={context.link(webhookPath(webhook))}>{displayName(hostOf(webhook))}</a>
        <span class="under">since {date(Date.parse(webhook.createdAt))}</span>
      </>,
      <span key="events" class="soft">
        {eventsInWords(webhook)}
      </span>,
      <WebhookState key="state" webhook={webhook} />,
      counted(backlog, 'waiting'),
      counted(backlog, 'dead'),
    ],
  }
}

/** `at least` where there are more than are counted. */
export function counted(backlog: Backlog | undefined, what: 'waiting' | 'dead'): string {
  if (backlog === undefined) return ''
  const count = backlog[what]
  return `${backlog.atLeast && count >= 10_000 ? 'at least ' : ''}${count.toLocaleString('en-GB')}`
}
