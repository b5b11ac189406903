// Events in rows: when, what, by whom, about what; everything else about one is folded.

import type { VNode } from 'preact'
import { displayName } from '../../identity/pages/display-name.js'
import { applicationPath } from '../application-page.js'
import { dateTime } from '../dates.js'
import { Table } from '../table.js'
import type { Visit } from '../visit.js'
import { eventWords } from './event-words.js'
import { actorOf, gone, type Names, type Noted } from './names.js'

const actors: Readonly<Record<string, string>> = {
  operator: 'the operator',
  system: 'the server itself',
  'registration-token': 'a registration token',
}

/** The table. `numbered`: the events have places in the chain. */
export function EventTable({
  visit,
  events,
  names,
  id,
}: {
  visit: Visit
  events: readonly (Noted & { position?: number })[]
  names: Names
  id: string
}): VNode {
  return (
    <Table
      id={id}
      columns={[{ text: 'When' }, { text: 'What' }, { text: 'By' }, { text: 'About' }, { text: 'More' }]}
      rows={events.map((event, index) => ({
        id: `${id}-${event.position ?? index}`,
        cells: [
          <time key="at" dateTime={event.at}>
            {timeOf(event.at)}
          </time>,
          <>
            {displayName(eventWords(event.event))}
            <span class="under">
              <code>{displayName(event.event)}</code>
            </span>
          </>,
          <By key="by" event={event} names={names} />,
          <About key="about" {...{ visit, event, names }} />,
          <More key="more" event={event} />,
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

function About({ visit, event, names }: { visit: Visit; event: Noted; names: Names }): VNode {
  const { applicationId, userId } = event
  if (applicationId === null && userId === null) return <>the tenant</>
  return (
    <ul class="plain-list">
      {applicationId === null ? null : <AboutApplication {...{ visit, applicationId, names }} />}
      {userId === null ? null : <AboutPerson {...{ visit, userId, names }} />}
    </ul>
  )
}

function AboutApplication({
  visit,
  applicationId,
  names,
}: {
  visit: Visit
  applicationId: string
  names: Names
}): VNode {
  const known = names.applications.get(applicationId)
  if (known?.isOwn === true) {
    return (
      <li>
        <a href={visit.link(applicationPath(applicationId))}>{known.name}</a>
      </li>
    )
  }
  return (
    <li>
      <bdi>{known?.name ?? 'an application that is gone'}</bdi>
    </li>
  )
}

function AboutPerson({ visit, userId, names }: { visit: Visit; userId: string; names: Names }): VNode {
  const name = names.people.get(userId) ?? gone
  return (
    <li>{name === gone ? name : <a href={visit.link(`/portal/people/${encodeURIComponent(userId)}`)}>{name}</a>}</li>
  )
}

/** Facts are text that others wrote: shown as JSON, which has one reading. */
function More({ event }: { event: Noted & { position?: number } }): VNode {
  const { requestId, address, details, actor, applicationId, userId, position } = event
  const facts = { requestId, address, applicationId, userId, actor, details }
  return (
    <details>
      <summary aria-label={`More about ${eventWords(event.event)}`}>
        {position === undefined ? 'More' : `#${position}`}
      </summary>
      <pre class="facts-json">{JSON.stringify(facts, undefined, 2)}</pre>
    </details>
  )
}

function timeOf(at: string): string {
  const ms = Date.parse(at)
  return Number.isNaN(ms) ? displayName(at) : dateTime(ms)
}
