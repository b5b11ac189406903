// The registration tokens that still work.

import type { VNode } from 'preact'
import type { ClientAnswer } from '../../management/applications/client-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import type { PortalContext } from '../context.js'
import { dateTime, span } from '../dates.js'
import { EmptyState } from '../empty-state.js'
import { Table } from '../table.js'

export type Token = ClientAnswer<'registrationTokens'>['value'][number]

/** The page, and the entry of the navigation. */
export const tokensPath = '/portal/registration-tokens'

const columns = [
  { text: 'For' },
  { text: 'Uses left', number: true },
  { text: 'Ends' },
  { text: 'At most' },
  { text: '' },
] as const

/** The card. */
export function TokenTable({
  context,
  tokens,
  nowMs,
}: {
  context: PortalContext
  tokens: readonly Token[]
  nowMs: number
}): VNode {
  if (tokens.length === 0) {
    return (
      <EmptyState id="no-tokens" title="No registration tokens">
        <p>Who has a token can register applications at this server without an account here, as often as it says.</p>
      </EmptyState>
    )
  }
  return (
    <section class="card" aria-label="Registration tokens">
      <Table id="tokens" columns={columns} rows={tokens.map((token) => rowOf(context, token, nowMs))} />
    </section>
  )
}

function rowOf(context: PortalContext, token: Token, nowMs: number) {
  const { id, label, usesLeft, expiresAt, createdAt, permissions } = token
  const endsAt = Date.parse(expiresAt)
  return {
    id: `token-${id}`,
    cells: [
      <>
        {displayName(label)}
        <span class="under">made {dateTime(Date.parse(createdAt))}</span>
      </>,
      String(usesLeft),
      <>
        {dateTime(endsAt)}
        <span class="under">{endsAt > nowMs ? `in ${span(endsAt - nowMs)}` : 'ended'}</span>
      </>,
      permissions.length === 0 ? 'no permissions' : permissions.map((one) => one.id).join(', '),
      <a key="end" href={context.link(`${tokensPath}/${id}/end`)} aria-label={`End ${displayName(label)}`}>
        End
      </a>,
    ],
  }
}
