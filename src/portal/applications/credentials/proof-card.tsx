// By what an application proves itself at the token endpoint, in words, and where that is changed.

import type { VNode } from 'preact'
import { displayName } from '../../../web/pages/display-name.js'
import { type Application, applicationPath } from '../../application-page.js'
import type { PortalContext } from '../../context.js'
import { Table } from '../../table.js'

/** What each way is called, and what it is, by the API's name. */
export const proofs: Readonly<Record<Application['authMethod'], { name: string; what: string }>> = {
  secret: { name: 'Private key (client secret)', what: 'It sends a private key of the list above as client_secret.' },
  private_key_jwt: {
    name: 'Signed by a key of its own',
    what: 'It signs each request with a key that never leaves it (private_key_jwt); only the public half is here.',
  },
  federated: {
    name: 'Another issuer’s token',
    what: 'The platform that it runs on says who it is, such as a cluster or a build service; it keeps no secret.',
  },
}

/** The card on the page of credentials. */
export function ProofCard({ context, application }: { context: PortalContext; application: Application }): VNode {
  const { name, what } = proofs[application.authMethod]
  return (
    <section class="card" aria-labelledby="proof">
      <h2 id="proof">Authentication method</h2>
      <p>
        <span class="tag new" id="auth-method">
          {name}
        </span>{' '}
        {what}
      </p>
      {application.jwks === null ? null : <KeyTable jwks={application.jwks} />}
      <p class="buttons-left">
        <a
          class="button plain small"
          id="change-proof"
          href={context.link(`${applicationPath(application.applicationId)}/proof`)}
        >
          Change
        </a>
      </p>
    </section>
  )
}

/** The public keys that are registered. */
export function KeyTable({ jwks }: { jwks: NonNullable<Application['jwks']> }): VNode {
  return (
    <Table
      id="keys"
      caption="Its public keys"
      columns={[{ text: 'Key ID' }, { text: 'Algorithm' }, { text: 'Type' }]}
      rows={jwks.keys.map(({ kid = '', alg = '', kty = '' }, index) => ({
        id: `key-${index}`,
        cells: [<code key="kid">{displayName(kid, 128)}</code>, alg, kty],
      }))}
    />
  )
}
