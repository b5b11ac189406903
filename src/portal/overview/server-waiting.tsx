// What of the server waits for its operators.

import { isAdministrator } from '../../users/memberships/roles.js'
import { displayName } from '../../web/pages/display-name.js'
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
    ...deadLetters(context, server.events),
  ]
  return all.filter(({ count }) => count > 0)
}

const mostWebhooks = 3

/** For each webhook that the person can open, to what was given up; those of other tenants together. */
function deadLetters(context: PortalContext, events: Operation['server']['events']): Waiting[] {
  if (events === null) return []
  const own = events.webhooks
    .flatMap(({ tenantId, ...webhook }) => {
      const tenant = context.tenants.find((one) => one.tenantId === tenantId && isAdministrator(one.role))
      return tenant === undefined ? [] : [{ tenant, ...webhook }]
    })
    .slice(0, mostWebhooks)
  const others = own.reduce((left, { deadLetters: count }) => left - count, events.deadLetters)
  return [
    ...own.map(({ tenant, webhookId, deadLetters: count }) => ({
      id: `dead-letters-${webhookId}`,
      count,
      href: `/portal/webhooks/${webhookId}?tenant=${tenant.tenantId}&state=dead`,
      text: `${count === 1 ? 'event' : 'events'} could not be delivered to a webhook of ${displayName(tenant.name)}`,
    })),
    {
      id: 'dead-letters',
      count: others,
      href: context.link('/portal/webhooks'),
      text: `${others === 1 ? 'event' : 'events'} could not be delivered to ${own.length === 0 ? '' : 'other '}webhooks`,
      details: 'Webhooks of each organisation show theirs, and so does “portcullis webhook deliveries”.',
    },
  ]
}
