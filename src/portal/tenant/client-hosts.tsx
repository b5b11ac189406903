// Whose clients people of the tenant may use though nobody registered them (decision 152): the part of the tenant's
// form. Only where the server takes any.

import type { VNode } from 'preact'
import type { Answer } from '../../management/schemas.js'
import type { FormFields } from '../../web/form-token.js'

type Hosts = Pick<Answer<'tenant'>, 'clientHosts'>

/** What the form says; nothing where it did not show these fields. */
export function readClientHosts(form: FormFields): Partial<Hosts> {
  const which = form.get('clients')
  if (which === undefined) return {}
  const named = (form.get('client-hosts') ?? '').split(/[\s,]+/).filter((host) => host !== '')
  return { clientHosts: which === 'all' ? null : named.map((host) => host.toLowerCase()) }
}

/** `taken`: what the server takes. */
export function ClientHosts({
  tenant: { clientHosts },
  taken: { documents, open },
}: {
  tenant: Hosts
  taken: { documents: { trust: 'off' | 'any' | readonly string[] }; open: { enabled: boolean } }
}): VNode | null {
  const { trust } = documents
  if (trust === 'off' && !open.enabled && clientHosts === null) return null
  return (
    <fieldset id="clients">
      <legend>Clients that nobody registered</legend>
      <p class="hint">
        Such a client describes itself at its own address. People can allow it what the server opens to all of them.
        {open.enabled ? ' One that registered itself has no host, and is taken only where every host is.' : ''}
      </p>
      <label class="choice" for="clients-all">
        <input type="radio" id="clients-all" name="clients" value="all" checked={clientHosts === null} />
        <span>{trust === 'any' ? 'Of every host' : 'Of every host that the server takes'}</span>
      </label>
      <label class="choice" for="clients-named">
        <input type="radio" id="clients-named" name="clients" value="named" checked={clientHosts !== null} />
        <span>Only of these hosts; of none when the field is empty</span>
      </label>
      <div class="field">
        <label for="client-hosts">Hosts</label>
        <input id="client-hosts" name="client-hosts" maxLength={4096} value={(clientHosts ?? []).join(', ')} />
      </div>
    </fieldset>
  )
}
