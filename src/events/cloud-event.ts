// An event as it is sent: CloudEvents 1.0 in JSON, structured mode.

import type { EventType } from './event-types.js'

/** Of the requests that carry one. */
export const eventContentType = 'application/cloudevents+json; charset=utf-8'

/** Before every type: CloudEvents §3.1.1 wants to know whose it is. */
const prefix = 'portcullis.'

/** The JSON text. `id` is the event's own, `at` epoch milliseconds, `baseUrl` the server that tells. */
export function cloudEvent(event: {
  id: string
  baseUrl: string
  type: EventType | 'test'
  subject: string
  at: number
  data: Readonly<Record<string, unknown>>
}): string {
  const { id, baseUrl, type, subject, at, data } = event
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: baseUrl,
    type: prefix + type,
    subject,
    time: new Date(at).toISOString(),
    datacontenttype: 'application/json',
    data,
  })
}
