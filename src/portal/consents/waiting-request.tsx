// One request that waits, in the portal's words for people and times.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import { RequestCard } from '../../identity/admin-consent/request-card.js'
import { displayName } from '../../web/pages/display-name.js'
import type { PortalContext } from '../context.js'
import { dateTime } from '../dates.js'
import { inboxPath } from './consent-tabs.js'
import type { ConsentRequest } from './read-requests.js'

/** The card, whose form posts to the inbox. */
export function WaitingRequest({
  request: { request, registration, claim, requester, difference },
  context,
  catalogue,
}: {
  request: ConsentRequest
  context: PortalContext
  catalogue: Catalogue
}): VNode {
  const { requestId, createdAt } = request
  const form = {
    action: context.link(inboxPath),
    token: context.token,
    label: `Decide about ${displayName(registration.name)}`,
  }
  return (
    <RequestCard
      request={request}
      registration={registration}
      claim={claim}
      difference={difference}
      catalogue={catalogue}
      tenant={context.currentTenant}
      form={form}
    >
      Requested by <bdi id={`requester-${requestId}`}>{requester}</bdi> on {dateTime(Date.parse(createdAt))}
    </RequestCard>
  )
}
