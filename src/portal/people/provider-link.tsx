// On a person's page: the link that says who they are at a provider (decision 130). Nobody makes one for themselves.

import type { VNode } from 'preact'
import { Button, Field, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import type { PortalContext } from '../context.js'
import { SecretOnce } from '../copy.js'
import type { Person } from './read-person.js'

/** The form that makes the link; nothing where there are no providers, and for oneself. */
export function ProviderLinkForm({
  person,
  context,
  isOffered,
}: {
  person: Person
  context: PortalContext
  isOffered: boolean
}): VNode | null {
  if (!isOffered || person.userId === context.person.user.userId) return null
  return (
    <section class="card" aria-labelledby="provider-link-title">
      <h2 id="provider-link-title">Sign-in through a provider</h2>
      <p class="hint">
        Where this tenant takes only sign-ins through a provider, its people cannot link an account there by themselves.
        A link from here says which one is theirs; it takes the place of another one.
      </p>
      <Form id="provider-link-form" action={context.address} token={context.token} hidden={{ do: 'link-provider' }}>
        <Field
          id="address"
          label="Their e-mail address at the provider"
          type="email"
          value={person.email}
          hint="The provider has to confirm it."
        />
        <Button id="make-provider-link" kind="plain">
          Make the link
        </Button>
      </Form>
    </section>
  )
}

/** The link, this once. */
export function ProviderLink({ url }: { url: string }): VNode {
  return (
    <section class="card once" aria-labelledby="made-provider-link-title">
      <h2 id="made-provider-link-title">Share this link</h2>
      <Notice>
        <p>
          It works for this person only: they open it signed in here, and sign in at the provider once. It is good for 7
          days.
        </p>
      </Notice>
      <SecretOnce id="provider-link" label="Link to the provider" hint="It is shown this once.">
        {url}
      </SecretOnce>
    </section>
  )
}
