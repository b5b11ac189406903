// What was requested from administrators for an application, and what became of it.

import type { VNode } from 'preact'
import type { ApplicationRequests } from '../../management/consents/access-requests.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import type { PortalContext } from '../context.js'
import { dateTime } from '../dates.js'
import { Table } from '../table.js'

type Request = ApplicationRequests['value'][number]

const mostShown = 10
const states = {
  pending: ['tag', 'Waits'],
  approved: ['tag good', 'Approved'],
  declined: ['tag warn', 'Declined'],
} as const

interface CardProps {
  requests: readonly Request[]
  context: PortalContext
  /** Where taking back posts to. */
  path: string
}

/** The card; nothing where nobody has requested anything. */
export function RequestsCard({ requests, ...form }: CardProps): VNode | null {
  if (requests.length === 0) return null
  return (
    <section class="card" aria-labelledby="requests-title">
      <h2 id="requests-title">Requested from administrators</h2>
      <Table
        id="requests"
        columns={[{ text: 'Permissions' }, { text: 'State' }, { text: 'When' }]}
        rows={requests.slice(0, mostShown).map((request) => ({
          id: `request-${request.requestId}`,
          cells: cellsOf(request, form),
        }))}
      />
      {requests.length > mostShown ? <p class="fine">The newest {mostShown} are shown.</p> : null}
    </section>
  )
}

function cellsOf(request: Request, { context, path }: Omit<CardProps, 'requests'>) {
  const { requestId, permissions, state, createdAt, decidedAt, mine, reason } = request
  const [kind, text] = states[state]
  return [
    <>
      <code>{[...new Set(permissions.map(({ id }) => id))].join(', ')}</code>
      <span class="under">
        {mine ? 'by you' : 'by somebody else'}
        {reason === null || reason === '' ? '' : `: ${displayName(reason, 500)}`}
      </span>
    </>,
    <span key="state" class={kind}>
      {text}
    </span>,
    <>
      {dateTime(Date.parse(decidedAt ?? createdAt))}
      {decidedAt === null ? null : <span class="under">requested {dateTime(Date.parse(createdAt))}</span>}
      {mine && state === 'pending' ? (
        <Form
          id={`take-back-${requestId}`}
          action={context.link(path)}
          token={context.token}
          hidden={{ act: 'take-back', request: requestId }}
          label="Take the request back"
        >
          <Button id={`take-back-button-${requestId}`} kind="plain">
            Take it back
          </Button>
        </Form>
      ) : null}
    </>,
  ]
}
