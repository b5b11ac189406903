// Below the list of permissions: whether an administrator has to consent, and the way there, for administrators and for
// everybody else.

import type { VNode } from 'preact'
import { adminConsentUri } from '../../oauth/requests/admin-consent-uri.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { displayName } from '../../web/pages/display-name.js'
import type { PortalContext } from '../context.js'
import { CopyBlock } from '../copy.js'
import type { PermissionOverview } from './permission-overview.js'

/** The card. `baseUrl` is ours. */
export function ConsentCard({
  baseUrl,
  context,
  overview,
}: {
  baseUrl: string
  context: PortalContext
  overview: PermissionOverview
}): VNode {
  const { application, configured, path } = overview
  const { tenantId, name, role } = context.currentTenant
  const missing = configured.filter(({ granted }) => granted === undefined)
  const needed = missing.filter(({ needsAdministrator }) => needsAdministrator)
  const tenant = displayName(name, 60)
  const { applicationId } = application
  return (
    <section class="card" id="consent" aria-labelledby="consent-title">
      <h2 id="consent-title">Admin consent</h2>
      <p>{stateOf(tenant, missing.length, needed.length)}</p>
      {missing.length === 0 ? null : isAdministrator(role) ? (
        <p>
          <a class={needed.length > 0 ? 'button' : 'button plain'} id="grant" href={context.link(`${path}/consent`)}>
            Grant admin consent for {tenant}
          </a>
        </p>
      ) : (
        <ForOthers uri={adminConsentUri(baseUrl, { applicationId, tenantId, scope: 'default' })} />
      )}
    </section>
  )
}

function stateOf(tenant: string, missing: number, needed: number): string {
  if (missing === 0) return `Everything on this list is granted for ${tenant}.`
  if (needed === 0) {
    return `Nothing waits for an administrator of ${tenant}: people allow what is not granted yet for themselves, or an administrator does it for everybody.`
  }
  const what = needed === 1 ? 'One permission waits' : `${needed} permissions wait`
  return `${what} for an administrator of ${tenant}. Until then the application does not get what it waits for.`
}

function ForOthers({ uri }: { uri: string }): VNode {
  return (
    <>
      <p>Copy link for your administrator: it shows them what the application asks for, and they consent there.</p>
      <CopyBlock id="consent-link" name="Link for your administrator">
        {uri}
      </CopyBlock>
      <p>
        <a class="button plain" id="ask-administrator" href={uri}>
          Ask your administrator
        </a>
      </p>
      <p class="fine">
        You can write why you need it; administrators find your request on their page “Requests for consent”.
      </p>
    </>
  )
}
