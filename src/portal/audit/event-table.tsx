// Events in rows: when, what, by whom, about what; everything else about one is folded.

import type { VNode } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import { applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import { date } from '../dates.js'
import { Table } from '../table.js'
import { eventWords } from './event-words.js'
import { actorOf, gone, type Names, type Noted } from './names.js'

const actors: Readonly<Record<string, string>> = {
  operator: 'the operator',
  system: 'the server itself',
  'registration-token': 'a registration token',
}

/** The table. `numbered`: the events have places in the chain. */
export function EventTable({
  context,
  events,
  names,
  id,
}: {
  context: PortalContext
  events: readonly (Noted & { position?: number })[]
  names: Names
  id: string
}): VNode {
  return (
    <Table
      id={id}
      columns={[{ text: 'When' }, { text: 'What' }, { text: 'By' }, { text: 'About' }]}
      rows={events.map((event, index) => ({
        id: `${id}-${event.position ?? index}`,
        cells: [
          <When key="at" at={event.at} />,
          <What key="what" event={event} />,
          <By key="by" event={event} names={names} />,
          <About key="about" context={context} event={event} names={names} />,
        ],
      }))}
    />
  )
}

function By({ event, names }: { event: Noted; names: Names }): VNode {
  const { kind = '', userId, applicationId } = actorOf(event)
  if (userId !== undefined) return <bdi>{names.people.get(userId) ?? userId}</bdi>
  if (applicationId !== undefined)
    return <bdi>{names.applications.get(applicationId)?.name ?? displayName(applicationId)}</bdi>
  return <>{Object.hasOwn(actors, kind) ? actors[kind] : 'not said'}</>
}

function About({ context, event, names }: { context: PortalContext; event: Noted; names: Names }): VNode {
  const { applicationId } = event
  // Who did it stands beside it.
  const userId = applicationId !== null && actorOf(event).userId === event.userId ? null : event.userId
  if (applicationId === null && userId === null) return <>the tenant</>
  return (
    <ul class="plain-list">
      {applicationId === null ? null : (
        <AboutApplication context={context} applicationId={applicationId} names={names} />
      )}
      {userId === null ? null : <AboutPerson context={context} userId={userId} names={names} />}
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
  names: Names
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

function AboutPerson({ context, userId, names }: { context: PortalContext; userId: string; names: Names }): VNode {
  const name = names.people.get(userId) ?? gone
  return (
    <li>{name === gone ? name : <a href={context.link(`/portal/people/${encodeURIComponent(userId)}`)}>{name}</a>}</li>
  )
}

/** Folded: everything else. Facts are text that others wrote, so they are shown as JSON, which has one reading. */
function What({ event }: { event: Noted & { position?: number } }): VNode {
  const { requestId, address, details, actor, applicationId, userId, position } = event
  const facts = { position, requestId, address, applicationId, userId, actor, details }
  return (
    <details class="event">
      <summary>{displayName(eventWords(event.event))}</summary>
      <p class="under">
        <code>{displayName(event.event)}</code>
      </p>
      <pre class="facts-json">{JSON.stringify(facts, undefined, 2)}</pre>
    </details>
  )
}

function When({ at }: { at: string }): VNode {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) return <>{displayName(at)}</>
  return (
    <time dateTime={at}>
      {date(ms)}
      <span class="under">{new Date(ms).toISOString().slice(11, 19)} UTC</span>
    </time>
  )
}
