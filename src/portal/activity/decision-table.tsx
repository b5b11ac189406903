// Recorded decisions in rows, the newest first; each leads to what can be said about it.

import type { VNode } from 'preact'
import type { RecordedDecision } from '../../management/server/explain-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import type { PortalContext } from '../context.js'
import { dateTime } from '../dates.js'
import { Table } from '../table.js'

/** The table. */
export function DecisionTable({
  context,
  decisions,
  provable,
}: {
  context: PortalContext
  decisions: readonly RecordedDecision[]
  /** Whether the application has something to prove itself with. */
  provable: boolean
}): VNode {
  return (
    <Table
      id="decisions"
      columns={[{ text: 'When' }, { text: 'What' }, { text: 'Outcome' }, { text: 'Why' }, { text: 'request-id' }]}
      rows={decisions.map((one, index) => ({
        id: `decision-${index}`,
        cells: [
          <time key="at" dateTime={one.at}>
            {dateTime(Date.parse(one.at))}
          </time>,
          <What key="what" decision={one} />,
          <Outcome key="outcome" decision={one} isProved={one.proved || !provable} />,
          <Why key="why" decision={one} />,
          <a
            key="id"
            class="code request-id"
            href={context.link(`/portal/explain?request=${encodeURIComponent(one.requestId)}`)}
            aria-label={`Explain ${one.requestId}`}
          >
            {one.requestId.slice(0, 8)}…
          </a>,
        ],
      }))}
    />
  )
}

/** In words: a token request by its grant, a call by its route. */
export function What({ decision }: { decision: RecordedDecision }): VNode {
  const { what, grantType, route, method } = decision
  if (what === 'token') {
    return (
      <>
        Token request
        {grantType === null ? null : <span class="under">{displayName(grantType.split(':').at(-1) ?? '', 60)}</span>}
      </>
    )
  }
  // A route that takes every method has none in its key.
  const called = route === null || method === null || route.startsWith(`${method} `) ? route : `${method} ${route}`
  return <code>{displayName(called ?? method ?? 'Call', 120)}</code>
}

function Outcome({
  decision: { outcome, status },
  isProved,
}: {
  decision: RecordedDecision
  isProved: boolean
}): VNode {
  return (
    <>
      <span class={outcome === 'granted' ? 'granted' : 'not-granted'}>
        {outcome === 'granted' ? 'Granted' : `Refused, ${status}`}
      </span>
      {isProved ? null : <span class="under">did not prove to be the application</span>}
    </>
  )
}

function Why({ decision: { outcome, reason, number, permissions } }: { decision: RecordedDecision }): VNode {
  return (
    <>
      {outcome === 'granted' ? null : number === null ? (
        <code>{reason}</code>
      ) : (
        <a href={`/errors/${number}`}>
          <code>{reason}</code>
        </a>
      )}
      {permissions.length === 0 ? null : (
        <span class="under">{permissions.map((id) => displayName(id, 120)).join(', ')}</span>
      )}
    </>
  )
}
