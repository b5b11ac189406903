// Confirming somebody's e-mail address, for those who look after the people of the tenant.

import type { VNode } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import type { PortalContext } from '../context.js'
import type { Person } from './read-person.js'

/**
 * What they requested, or else their present address while nobody has confirmed it. The form names it: it confirms that
 * one.
 */
export function ConfirmEmail({ person, context }: { person: Person; context: PortalContext }): VNode | null {
  const email = person.pendingEmail ?? (person.emailVerified ? '' : person.email)
  if (email === '') return null
  return (
    <section class="card" aria-labelledby="email-title">
      <h2 id="email-title">E-mail address</h2>
      <p>
        Confirm {displayName(email, 254)} only if you know that it is theirs: they sign in with it, and applications are
        told it.
      </p>
      <Form
        id="confirm-email-form"
        action={context.address}
        token={context.token}
        hidden={{ do: 'confirm-email', email }}
      >
        <Button id="confirm-email" kind="plain">
          Confirm the address
        </Button>
      </Form>
    </section>
  )
}
