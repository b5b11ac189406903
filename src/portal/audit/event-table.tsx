// Events in rows: when, what, by whom, about what; everything else about one is folded.

import type { VNode } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import { applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import { dateTime } from '../dates.js'
import { Table } from '../table.js'
import { EventDetails } from './event-details.js'
import type { AuditListPage, Noted } from './lists.js'
import { actorOf, type EventNames } from './names.js'

const actors: Readonly<Record<string, string>> = {
  operator: 'the operator',
  system: 'the server itself',
  'registration-token': 'a registration token',
  other: 'somebody else',
}

/** What people are called who do not belong to the tenant, or whose account is gone. */
const unknown = 'somebody who is not here any more'

/** The table. Of the whole server with a column for the tenant. */
export function EventTable({
  context,
  page,
  events,
  names,
}: {
  context: PortalContext
  page: AuditListPage
  events: readonly Noted[]
  names: EventNames
}): VNode {
  const { list, scope } = page
  const ofServer = scope === 'server'
  return (
    <Table
      id={list}
      columns={[
        { text: 'When' },
        { text: 'What' },
        { text: 'By' },
        { text: 'About' },
        ...(ofServer ? [{ text: 'Tenant' }] : []),
      ]}
      rows={events.map((event, index) => ({
        id: `${list}-${event.position ?? index}`,
        cells: [
          <When key="at" at={event.at} />,
          <EventDetails key="what" context={context} page={page} event={event} names={names} />,
          <By key="by" event={event} names={names} />,
          <About key="about" context={context} page={page} event={event} names={names} />,
          ...(ofServer ? [<Tenant key="tenant" event={event} names={names} />] : []),
        ],
      }))}
    />
  )
}

function Tenant({ event: { tenantId }, names }: { event: Noted; names: EventNames }): VNode {
  if (tenantId === null) return <span class="fine">none</span>
  return <bdi>{names.tenants.get(tenantId) ?? displayName(tenantId)}</bdi>
}

function By({ event, names }: { event: Noted; names: EventNames }): VNode {
  const { kind = '', userId, applicationId } = actorOf(event)
  if (userId !== undefined) return <bdi>{names.people.get(userId) ?? unknown}</bdi>
  if (applicationId !== undefined)
    return <bdi>{names.applications.get(applicationId)?.name ?? displayName(applicationId)}</bdi>
  if (Object.hasOwn(actors, kind)) return <>{actors[kind]}</>
  // Somebody who has not proved who they are: where from is all there is.
  return event.address === null ? <>not known</> : <code>{displayName(event.address, 60)}</code>
}

interface AboutProps {
  context: PortalContext
  page: AuditListPage
  event: Noted
  names: EventNames
}

function About({ context, page, event, names }: AboutProps): VNode {
  const { applicationId } = event
  // Who did it stands beside it.
  const userId = applicationId !== null && actorOf(event).userId === event.userId ? null : event.userId
  if (applicationId === null && userId === null) return <>{event.tenantId === null ? 'the server' : 'the tenant'}</>
  return (
    <ul class="plain-list">
      {applicationId === null ? null : (
        <AboutApplication context={context} applicationId={applicationId} names={names} />
      )}
      {userId === null ? null : <AboutPerson context={context} page={page} userId={userId} names={names} />}
    </ul>
  )
}

function AboutApplication({
  context,
  applicationId,
  names,
}: {
  context: PortalContext
  applicationId: string
  names: EventNames
}): VNode {
  const known = names.applications.get(applicationId)
  if (known?.isOwn === true) {
    return (
      <li>
        <a href={context.link(applicationPath(applicationId))}>{known.name}</a>
      </li>
    )
  }
  return (
    <li>
      <bdi>{known?.name ?? 'an application that is gone'}</bdi>
    </li>
  )
}

function AboutPerson({ context, page, userId, names }: Omit<AboutProps, 'event'> & { userId: string }): VNode {
  const name = names.people.get(userId)
  if (name === undefined || page.scope === 'server') return <li>{name === undefined ? unknown : <bdi>{name}</bdi>}</li>
  return (
    <li>
      <a href={context.link(`/portal/people/${encodeURIComponent(userId)}`)}>{name}</a>
    </li>
  )
}

function When({ at }: { at: string }): VNode {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) return <>{displayName(at)}</>
  // To the second: of two events of one minute one sees which was first.
  return (
    <time dateTime={at} title={at}>
      {dateTime(ms)}
    </time>
  )
}
