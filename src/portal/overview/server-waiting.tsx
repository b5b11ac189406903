// What of the server waits for its operators.

import type { PortalContext } from '../context.js'
import { date } from '../dates.js'
import type { Operation } from './read-overview.js'
import type { Waiting } from './waiting.js'

const soonMs = 30 * 86_400_000

/** Whatever is not as it should be, what stops calls first. */
export function operatorWaiting(
  context: PortalContext,
  { server, status }: Operation,
  { words, nowMs }: { words: string; nowMs: number },
): Waiting[] {
  const toStatus = context.link('/portal/server/status')
  const down = status.targets.filter(({ state }) => state !== 'up')
  const away = [...status.reasons, ...status.degraded]
  const limited = server.limited.reduce((sum, { count }) => sum + count, 0)
  const errors = server.ownErrors + server.serviceErrors
  const end = server.certificateEndsAt === null ? undefined : Date.parse(server.certificateEndsAt)
  const endsSoon = end !== undefined && end - nowMs < soonMs
  const dead = server.events?.deadLetters ?? 0
  const all: Waiting[] = [
    {
      id: 'away',
      count: away.length,
      href: toStatus,
      isUrgent: true,
      text: status.ready ? 'thing that this instance needs is away' : 'reason for which this instance is not ready',
      details: away.join(', '),
    },
    {
      id: 'targets',
      count: down.length,
      href: toStatus,
      isUrgent: true,
      text: down.length === 1 ? 'target of a service is down' : 'targets of services are down',
      details: down.map(({ upstream, target }) => `${upstream} at ${target}`).join(', '),
    },
    {
      id: 'certificate',
      count: endsSoon ? 1 : 0,
      href: toStatus,
      isUrgent: endsSoon,
      text: end !== undefined && end < nowMs ? 'certificate has ended' : 'certificate ends within 30 days',
      details: end === undefined ? undefined : `${end < nowMs ? 'It ended' : 'It ends'} on ${date(end)}.`,
    },
    {
      id: 'errors',
      count: errors,
      href: '#server-routes',
      isUrgent: errors > 0,
      text: `${errors === 1 ? 'request was' : 'requests were'} answered with an error of a service or of this server ${words}`,
    },
    {
      id: 'limits',
      count: limited,
      href: '#server-limits',
      text: `${limited === 1 ? 'call was' : 'calls were'} refused by a limit ${words}`,
    },
    {
      id: 'dead-letters',
      count: dead,
      href: context.link('/portal/server/audit'),
      text: dead === 1 ? 'event could not be delivered' : 'events could not be delivered',
      details: 'Webhooks of tenants: portcullis webhook deliveries shows which.',
    },
  ]
  return all.filter(({ count }) => count > 0)
}
