// What ends a person's access to the account or to the tenant, each with a button that says what it does.

import type { ComponentChildren, VNode } from 'preact'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { ListItem } from '../../web/pages/list-item.js'
import type { PortalContext } from '../context.js'
import type { Person } from './read-person.js'

/** The card. What it posts, person-page.tsx carries out. */
export function PersonAccess({ person, context }: { person: Person; context: PortalContext }): VNode {
  const isOn = person.state === 'enabled'
  return (
    <section class="card" aria-labelledby="access-title">
      <h2 id="access-title">Access</h2>
      <ul class="list">
        <Ending context={context} what="reset" button="Make a link" title="A new password">
          A link that lets this person choose one; anybody who has it can sign in as this person. It works once, for an
          hour.
        </Ending>
        <Ending context={context} what="sign-out" button="Sign out" title="Sign out everywhere">
          Ends every session, and what applications hold for this person.
        </Ending>
        <Ending
          context={context}
          what={isOn ? 'disable' : 'enable'}
          button={isOn ? 'Disable' : 'Enable'}
          title={isOn ? 'Disable the account' : 'Enable the account'}
        >
          {isOn
            ? 'Nothing of it works until somebody enables it again. Nothing is lost.'
            : 'This person may sign in again.'}
        </Ending>
        <Farewell person={person} context={context} what="remove" button="Remove" title="Remove from the tenant">
          The account stays; membership, profile and consents here end.
        </Farewell>
        <Farewell person={person} context={context} what="delete" button="Delete" title="Delete the account">
          For good, with everything that belongs to it. The audit keeps its identifier.
        </Farewell>
      </ul>
    </section>
  )
}

interface Act<What extends string> {
  context: PortalContext
  what: What
  title: string
  button: string
  /** What it does. */
  children?: ComponentChildren
}

function Ending({ context, what, title, button, children }: Act<string>): VNode {
  return (
    <ListItem name={title} about={children}>
      <Form id={`${what}-form`} action={context.address} token={context.token} hidden={{ do: what }} label={title}>
        <Button id={`${what}-now`} kind="plain">
          {button}
        </Button>
      </Form>
    </ListItem>
  )
}

/** Asks once more, on a page of its own (end-person-page.tsx). */
function Farewell({ person, ...act }: Act<'remove' | 'delete'> & { person: Person }): VNode {
  const { context, what, title, button, children } = act
  return (
    <ListItem name={title} about={children}>
      <a
        class="button danger"
        id={`to-${what}`}
        href={context.link(`/portal/people/${person.userId}/${what}`)}
        aria-label={title}
      >
        {button}
      </a>
    </ListItem>
  )
}
