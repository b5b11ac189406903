// What an application is called where, each with the parameter that it goes into, so that nobody has to look it up.

import type { ComponentChildren, VNode } from 'preact'
import type { Application } from '../application-page.js'
import { CopyValue } from '../copy.js'

/** The card with the identifiers. `children` follow them: the private key where it is shown. */
export function Identifiers({
  application: { applicationId, publicKey, tenantId },
  baseUrl,
  children,
}: {
  application: Pick<Application, 'applicationId' | 'publicKey' | 'tenantId'>
  baseUrl: string
  children?: ComponentChildren
}): VNode {
  const rows = [
    { id: 'application-id', name: 'Application ID', goesInto: <Sent parameter="client_id" />, value: applicationId },
    {
      id: 'public-key',
      name: 'Second ID (public key)',
      goesInto: <>means the same {code('client_id')}</>,
      value: publicKey,
    },
    { id: 'tenant-id', name: 'Tenant ID', goesInto: <>where it lives: {code('tid')} of its tokens</>, value: tenantId },
    { id: 'issuer', name: 'Issuer', goesInto: <>where it asks: {code('iss')} of its tokens</>, value: baseUrl },
  ]
  return (
    <section class="card" aria-labelledby="identifiers">
      <h2 id="identifiers">Identifiers</h2>
      <dl class="facts identifiers">
        {rows.map(({ id, name, goesInto, value }) => (
          <div key={id}>
            <dt>
              {name}
              <span class="goes-into">{goesInto}</span>
            </dt>
            <dd>
              <CopyValue id={id} name={name}>
                {value}
              </CopyValue>
            </dd>
          </div>
        ))}
      </dl>
      {children}
    </section>
  )
}

function Sent({ parameter }: { parameter: string }): VNode {
  return <>send as {code(parameter)}</>
}

function code(text: string): VNode {
  return <code>{text}</code>
}
