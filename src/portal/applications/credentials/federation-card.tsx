// The issuers whose word for an application counts, on the page of its credentials.

import type { VNode } from 'preact'
import type { ClientAnswer } from '../../../management/applications/client-schemas.js'
import { displayName } from '../../../web/pages/display-name.js'
import { type Application, applicationPath } from '../../application-page.js'
import type { PortalContext } from '../../context.js'
import { dateTime } from '../../dates.js'
import { Table } from '../../table.js'

export type FederatedCredential = ClientAnswer<'federatedCredential'>

/** The card. */
export function FederationCard({
  context,
  application: { applicationId },
  credentials,
}: {
  context: PortalContext
  application: Application
  credentials: readonly FederatedCredential[]
}): VNode {
  const path = `${applicationPath(applicationId)}/federation`
  return (
    <section class="card" aria-labelledby="federation">
      <h2 id="federation">Trusted issuers</h2>
      <p>
        A cluster, a cloud or a build service that says who the application is, so that it needs no private key there.
      </p>
      {credentials.length === 0 ? null : (
        <Table
          id="federated"
          columns={[{ text: 'Name' }, { text: 'Issuer and subject' }, { text: 'Last used' }, { text: '' }]}
          rows={credentials.map(({ id, name, issuer, subject, audience, lastUsedAt }) => ({
            id: `federated-${id}`,
            cells: [
              displayName(name),
              <span key="who" class="what">
                <code>{issuer}</code>
                <code>{subject}</code>
                <span class="fine">for {audience}</span>
              </span>,
              lastUsedAt === null ? 'Never' : dateTime(Date.parse(lastUsedAt)),
              <a
                key="remove"
                class="button danger small"
                href={context.link(`${path}/${id}/remove`)}
                aria-label={`Remove: ${displayName(name)}`}
              >
                Remove
              </a>,
            ],
          }))}
        />
      )}
      <p>
        <a class="button plain small" id="add-federation" href={context.link(path)}>
          Trust an issuer
        </a>
      </p>
    </section>
  )
}
