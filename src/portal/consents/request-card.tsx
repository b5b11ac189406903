// One request that waits: who asks, for which application and why, and what approving would change.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import { Changes } from '../../identity/admin-consent/view.js'
import { Asker } from '../../identity/consent/parts.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import type { PortalContext } from '../context.js'
import { dateTime } from '../dates.js'
import { inboxPath } from './consent-tabs.js'
import type { ConsentRequest } from './read-requests.js'

/** The card with its two answers, which have the same weight. */
export function RequestCard({
  request: { request, registration, requester, difference },
  context,
  catalogue,
}: {
  request: ConsentRequest
  context: PortalContext
  catalogue: Catalogue
}): VNode {
  const id = request.requestId
  return (
    <section class="card request" id={`request-${id}`} aria-label={displayName(registration.name)}>
      <Asker registration={registration} id={id} />
      <p class="fine">
        Asked by <bdi id={`requester-${id}`}>{requester}</bdi> on {dateTime(Date.parse(request.createdAt))}
      </p>
      {request.reason === '' ? null : (
        <blockquote id={`reason-${id}`}>
          <bdi>{displayName(request.reason, 500)}</bdi>
        </blockquote>
      )}
      <Changes
        difference={difference}
        catalogue={catalogue}
        tenantName={displayName(context.currentTenant.name)}
        id={id}
      />
      <Form
        id={`decide-${id}`}
        action={context.link(inboxPath)}
        token={context.token}
        hidden={{ id }}
        label={`Decide about ${displayName(registration.name)}`}
      >
        <div class="buttons">
          <Button id={`decline-${id}`} kind="plain" name="decision" value="declined">
            Decline
          </Button>
          <Button id={`approve-${id}`} kind="plain" name="decision" value="approved">
            Approve
          </Button>
        </div>
      </Form>
    </section>
  )
}
