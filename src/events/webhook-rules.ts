// What a webhook may be: where it may lead, and what it may ask for.

import { isIP } from 'node:net'
import { nearestName } from '../config/report/suggest.js'
import { isPublicAddress } from '../egress/public-address.js'
import { eventTypes } from './event-types.js'
import { WebhookRefusal } from './refusal.js'

const longestUrl = 2048

/** Who may, and where. */
const allowing = ' The operator can allow it: events.allow in the configuration.'

/**
 * The address in the one spelling that is stored and connected to. A name is judged by what it resolves to, at every
 * sending; an address that cannot be right is refused now. Throws WebhookRefusal (InvalidWebhookUrl).
 */
export function checkWebhookUrl(text: string, allow: readonly string[]): string {
  const refuse = (message: string) => new WebhookRefusal('InvalidWebhookUrl', message, 'url')
  if (text.length > longestUrl) throw refuse(`The url has at most ${longestUrl} characters.`)
  if (!/^https:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) throw refuse('The url is an https address.')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') throw refuse('The url has no user information: events are signed.')
  if (text.includes('#')) throw refuse('The url has no fragment.')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isAllowed = allow.includes(host)
  if (isIP(host) !== 0 && !isAllowed && !isPublicAddress(host))
    throw refuse(`The address is not a public one.${allowing}`)
  if (isIP(host) === 0 && !isAllowed && !host.includes('.'))
    throw refuse(`The name is not one of the public internet.${allowing}`)
  return url.href
}

/** The types without repetition, in their order. Throws WebhookRefusal (UnknownEvent). */
export function checkEvents(events: readonly string[]): string[] {
  for (const event of events) {
    const known = event === '*' || eventTypes.some((type) => covers(event, type))
    if (!known) throw new WebhookRefusal('UnknownEvent', unknownEvent(event), 'events')
  }
  if (events.length === 0) throw new WebhookRefusal('UnknownEvent', 'A webhook asks for an event, or for *.', 'events')
  return [...new Set(events)]
}

function unknownEvent(event: string): string {
  const groups = new Set(eventTypes.map((type) => `${type.slice(0, type.indexOf('.'))}.*`))
  const nearest = nearestName(event, [...eventTypes, ...groups])
  const there = `There are ${eventTypes.join(', ')}; ${[...groups].join(', ')}; and *.`
  return `There are no events "${event}". ${nearest === undefined ? there : `The nearest is "${nearest}".`}`
}

/** Whether a webhook that asks for `events`, JSON, hears of `type`. */
export function asksFor(events: string, type: string): boolean {
  return (JSON.parse(events) as string[]).some((event) => covers(event, type))
}

/** `*`, `application.*`, or the type itself. */
function covers(event: string, type: string): boolean {
  return event === '*' || event === type || (/^[a-z]+\.\*$/.test(event) && type.startsWith(event.slice(0, -1)))
}
