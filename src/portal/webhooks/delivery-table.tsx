// What was sent to a webhook, the newest first, and what waits.

import type { VNode } from 'preact'
import type { WebhookAnswer } from '../../management/server/webhook-schemas.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import type { PortalContext } from '../context.js'
import { dateTime } from '../dates.js'
import { MoreLink, nextToken } from '../lists/next-page.js'
import { Table } from '../table.js'
import { counted } from './list-page.js'
import { type Webhook, webhookPath } from './read-webhook.js'

type Deliveries = WebhookAnswer<'deliveries'>
export type Delivery = Deliveries['value'][number]

const columns = [
  { text: 'Event' },
  { text: 'State' },
  { text: 'Last attempt' },
  { text: 'Answer' },
  { text: 'Took', number: true },
  { text: 'Tries', number: true },
] as const
const states = [
  [undefined, 'All'],
  ['waiting', 'Waiting'],
  ['delivered', 'Delivered'],
  ['dead', 'Dead letters'],
] as const

/** The state that the query names. */
export function stateOf(query: URLSearchParams): Delivery['state'] | undefined {
  return states.find(([state]) => state === query.get('state'))?.[0]
}

/** The card. */
export function DeliveryTable({
  context,
  webhook,
  found,
  backlog,
}: {
  context: PortalContext
  webhook: Webhook
  found: Deliveries
  backlog: WebhookAnswer<'backlog'>
}): VNode {
  const [path, state, next] = [webhookPath(webhook), stateOf(context.query), nextToken(found.nextLink)]
  const narrowed = state === undefined ? {} : { state }
  return (
    <section class="card" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">Deliveries</h2>
      <ul class="pills">
        {states.map(([each, text]) => (
          <li key={text}>
            <a
              href={context.link(each === undefined ? path : `${path}?state=${each}`)}
              {...(each === state ? { 'aria-current': 'true' as const } : {})}
            >
              {text}
              {each === 'waiting' || each === 'dead' ? ` (${counted(backlog, each)})` : ''}
            </a>
          </li>
        ))}
      </ul>
      {found.value.length === 0 ? (
        <p class="nothing" id="no-deliveries">
          {state === undefined ? 'Nothing was sent yet, and nothing waits. Send a test event to try it.' : 'None.'}
        </p>
      ) : (
        <Table
          id="deliveries"
          caption="Delivered events are kept for a week, the others for a month. Times are in UTC."
          columns={columns}
          rows={found.value.map((delivery) => rowOf(context, webhook, delivery))}
        />
      )}
      <MoreLink
        context={context}
        path={path}
        query={next === undefined ? undefined : { after: next, ...narrowed }}
        text="Earlier deliveries"
      />
      {backlog.dead === 0 || !webhook.enabled ? null : (
        <Form id="replay-form" action={context.link(path)} token={context.token} hidden={{ act: 'replay' }}>
          <Button id="replay" kind="plain">
            Send all dead letters again
          </Button>
        </Form>
      )}
    </section>
  )
}

function rowOf(context: PortalContext, webhook: Webhook, delivery: Delivery) {
  const { id, type, createdAt, lastAttemptAt, lastDurationMs, attempts } = delivery
  return {
    id: `delivery-${id}`,
    cells: [
      <>
        <a href={context.link(webhookPath(webhook, `deliveries/${id}`))}>{type}</a>
        <span class="under">{dateTime(Date.parse(createdAt))}</span>
      </>,
      <DeliveryState key="state" delivery={delivery} />,
      lastAttemptAt === null ? '—' : dateTime(Date.parse(lastAttemptAt)),
      answerOf(delivery),
      lastDurationMs === null ? '—' : `${lastDurationMs.toLocaleString('en-GB')} ms`,
      String(attempts),
    ],
  }
}

/** What came back, in a word. */
export function answerOf({ lastStatus, lastReason, lastAttemptAt }: Delivery): string {
  if (lastStatus !== null) return String(lastStatus)
  return lastAttemptAt === null ? '—' : (lastReason ?? '—').replaceAll('_', ' ')
}

/** A tag, and when it is tried again. */
export function DeliveryState({ delivery: { state, nextAttemptAt } }: { delivery: Delivery }): VNode {
  if (state === 'delivered') return <span class="tag good">delivered</span>
  if (state === 'dead') return <span class="tag warn">dead letter</span>
  return (
    <>
      <span class="tag">waiting</span>
      {nextAttemptAt === null ? null : <span class="under">next try {dateTime(Date.parse(nextAttemptAt))}</span>}
    </>
  )
}
