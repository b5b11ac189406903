// One request for consent that waits: who asks, for which application and why, and what approving would change. The
// account pages and the portal both show it.

import type { ComponentChildren, VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import type { ApplicationBrand } from '../../directory/brands/application-brand.js'
import type { Registration } from '../../directory/records.js'
import { useTexts } from '../../web/language/texts.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Asker } from '../consent/parts.js'
import type { Difference } from './requested-permissions.js'
import { Changes } from './view.js'

/** The card with its two answers. An administrator came to decide: approving, what was requested, is the first. */
export function RequestCard({
  request: { requestId: id, reason },
  registration,
  claim,
  difference,
  catalogue,
  tenant,
  form,
  children,
}: {
  request: { requestId: string; reason: string }
  registration: Registration
  /** What it shows of itself. */
  claim?: ApplicationBrand | undefined
  /** What approving would change of what is granted now. */
  difference: Difference
  catalogue: Catalogue
  /** Where approving counts. */
  tenant: { tenantId: string; name: string }
  /** Where the decision is posted. */
  form: { action: string; token: string; label?: string }
  /** Who sent the request, and when. */
  children: ComponentChildren
}): VNode {
  const { consent } = useTexts()
  const isOwn = registration.tenantId === tenant.tenantId
  return (
    <section class="card request" id={`request-${id}`} aria-label={displayName(registration.name)}>
      <Asker
        registration={registration}
        claim={claim}
        home={isOwn ? { name: tenant.name, isOwn } : undefined}
        id={id}
      />
      <p class="fine">{children}</p>
      {reason === '' ? null : (
        <blockquote id={`reason-${id}`}>
          <bdi>{displayName(reason, 500)}</bdi>
        </blockquote>
      )}
      <Changes difference={difference} catalogue={catalogue} tenantName={displayName(tenant.name)} id={id} />
      <Form {...form} id={`decide-${id}`} hidden={{ id }}>
        <div class="buttons">
          <Button id={`decline-${id}`} kind="plain" name="decision" value="declined">
            {consent.administrator.decline}
          </Button>
          <Button id={`approve-${id}`} name="decision" value="approved">
            {consent.requests.approve}
          </Button>
        </div>
      </Form>
    </section>
  )
}
