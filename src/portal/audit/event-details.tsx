// Everything about one event, folded: its facts by name, and links to what else there is of the same kind.

import type { VNode } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import { Facts } from '../../web/pages/elements.js'
import type { PortalContext } from '../context.js'
import { factsOf } from './event-facts.js'
import { eventWords } from './event-words.js'
import { type AuditFilter, addressOf } from './filter.js'
import type { AuditListPage, Noted } from './lists.js'
import type { EventNames } from './names.js'

interface Shown {
  context: PortalContext
  /** The list that the event stands in, which the links narrow. */
  page: AuditListPage
  event: Noted
  names: EventNames
}

/** The folded event. */
export function EventDetails({ context, page, event, names }: Shown): VNode {
  const { requestId, address, applicationId, userId, tenantId, position } = event
  const code = (text: string) => <code>{displayName(text, 100)}</code>
  return (
    <details class="event">
      <summary>{displayName(eventWords(event.event))}</summary>
      <p class="under">{code(event.event)}</p>
      <Facts
        rows={[
          ...(position === undefined ? [] : [['Number', String(position)] as const]),
          ...factsOf(event.details),
          ...(address === null ? [] : [['From', code(address)] as const]),
          ...(userId === null ? [] : [['User ID', code(userId)] as const]),
          ...(applicationId === null ? [] : [['Application ID', code(applicationId)] as const]),
          ...(tenantId === null || page.scope === 'tenant' ? [] : [['Tenant ID', code(tenantId)] as const]),
          ...(requestId === null ? [] : [['Request-id', code(requestId)] as const]),
        ]}
      />
      {event.limited === true ? (
        <p class="fine">
          This person belonged to other organisations too, so where from and by whom is not shown here.
        </p>
      ) : null}
      <MoreLikeIt context={context} page={page} event={event} names={names} />
    </details>
  )
}

function MoreLikeIt({ context, page, event, names }: Shown): VNode {
  const { applicationId, userId, tenantId, requestId, address } = event
  const by: (readonly [string, Partial<AuditFilter>])[] = [
    ['this event', { event: event.event }],
    ...(userId === null ? [] : [[names.people.get(userId) ?? 'this person', { person: userId }] as const]),
    ...(applicationId === null
      ? []
      : [[names.applications.get(applicationId)?.name ?? 'this application', { application: applicationId }] as const]),
    ...(tenantId === null || page.scope === 'tenant'
      ? []
      : [[names.tenants.get(tenantId) ?? 'this tenant', { in: tenantId }] as const]),
    ...(address === null ? [] : [['this address', { search: address }] as const]),
    ...(requestId === null ? [] : [['this request', { search: requestId }] as const]),
  ]
  return (
    <p class="fine like-it">
      Filter by{' '}
      {by.map(([text, filter], index) => (
        <>
          {index === 0 ? '' : ' · '}
          <a href={context.link(`${page.path}?${addressOf(filter)}`)}>{text}</a>
        </>
      ))}
    </p>
  )
}
