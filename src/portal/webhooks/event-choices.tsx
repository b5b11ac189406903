// Which events a webhook hears of, chosen by name with what each says.

import type { VNode } from 'preact'
import type { WebhookAnswer } from '../../management/server/webhook-schemas.js'
import type { FormFields } from '../../web/form-token.js'
import type { PortalContext } from '../context.js'
import type { Webhook } from './read-webhook.js'

export type EventList = WebhookAnswer<'events'>['value']

const groupNames: Readonly<Record<string, string>> = {
  application: 'Applications',
  secret: 'Private keys',
  consent: 'Consents',
  token: 'Tokens',
  key: 'Signing keys of the server',
}

/** The events that there are. */
export async function readEvents(context: PortalContext): Promise<EventList> {
  return (await context.api<WebhookAnswer<'events'>>('GET', '/webhookEvents')).value
}

/** What was chosen; `*` makes the others superfluous. */
export function chosenEvents(form: FormFields): string[] {
  const chosen = form.entries().flatMap(([name, value]) => (name === 'event' ? [value] : []))
  return chosen.includes('*') ? ['*'] : chosen
}

/** Such as `All events`, or the types. */
export function eventsInWords({ events }: Pick<Webhook, 'events'>): string {
  return events.includes('*') ? 'All events' : events.join(', ')
}

/** The checkboxes. */
export function EventChoices({
  events,
  chosen,
  error,
}: {
  events: EventList
  chosen: readonly string[]
  error: string | undefined
}): VNode {
  const groups = [...new Set(events.map(({ type }) => groupOf(type)))]
  return (
    <>
      {error === undefined ? null : (
        <p class="error" id="events-error">
          {error}
        </p>
      )}
      <fieldset class="choices compact">
        <legend>What it hears of</legend>
        <Choice value="*" name="All events" says="Also those that come with later versions." chosen={chosen} />
      </fieldset>
      {groups.map((group) => (
        <fieldset class="choices compact" key={group}>
          <legend>{groupNames[group] ?? group}</legend>
          <Choice value={`${group}.*`} name={`${group}.*`} says="All of these." chosen={chosen} />
          {events
            .filter(({ type }) => groupOf(type) === group)
            .map(({ type, description }) => (
              <Choice key={type} value={type} name={type} says={description} chosen={chosen} />
            ))}
        </fieldset>
      ))}
    </>
  )
}

function Choice({
  value,
  name,
  says,
  chosen,
}: {
  value: string
  name: string
  says: string
  chosen: readonly string[]
}): VNode {
  const id = `event-${value.replace('*', 'all').replace(/[^a-z]+/g, '-')}`
  return (
    <label class="choice" for={id}>
      <input type="checkbox" id={id} name="event" value={value} checked={chosen.includes(value)} />
      <span class="what">
        <span class="name">
          <EventName name={name} />
        </span>
        <span class="soft">{says}</span>
      </span>
    </label>
  )
}

function groupOf(type: string): string {
  return type.split('.', 1)[0] ?? type
}

/** On a narrow screen a long name goes on below after a dot or a line, not within a word. */
function EventName({ name }: { name: string }): VNode {
  return (
    <span>
      {name.split(/(?<=[._])/).map((part) => (
        <span key={part}>
          {part}
          <wbr />
        </span>
      ))}
    </span>
  )
}
