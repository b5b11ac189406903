// The form that adds a permission to an API of the tenant, or changes one.

import type { VNode } from 'preact'
import { languageNames, languages } from '../../../languages/language.js'
import { Button, Field } from '../../../web/pages/elements.js'
import { Form } from '../../../web/pages/form.js'
import { Select } from '../../choice-fields.js'
import type { PortalContext } from '../../context.js'
import { type PermissionInput, permissionRoles } from './permission-input.js'

const kinds = [
  ['application', 'As itself', 'A service or a job; an administrator always consents.'],
  ['delegated', 'For a person', 'It acts for somebody who signed in, and reaches no further than they do.'],
] as const

/** `typed`: what stands in it; `isKnown`: it is there already, so its name stays. */
export function PermissionForm({
  context,
  typed,
  isKnown,
}: {
  context: PortalContext
  typed: PermissionInput | undefined
  isKnown: boolean
}): VNode {
  return (
    <section class="card" aria-labelledby="permission-title">
      <h2 id="permission-title">{isKnown ? 'Change a permission' : 'Add a permission'}</h2>
      <Form id="permission-form" action={context.address} token={context.token} hidden={{ act: 'set' }}>
        <Field
          id="id"
          label="Permission"
          hint="Such as Orders.Read. One that ends in .All always needs an administrator."
          maxLength={100}
          value={typed?.id}
          readOnly={isKnown}
        />
        <Field
          id="describe"
          label="What it allows"
          hint="For those who consent, such as: Read orders."
          maxLength={200}
          value={typed?.describe}
        />
        <details id="other-languages" open={Object.keys(typed?.descriptions ?? {}).length > 0}>
          <summary>In other languages</summary>
          <p class="fine">
            People who read one of these see its text instead, with the permission’s name below it. When what it allows
            changes, change these too.
          </p>
          {languages.map((each) => (
            <div key={each} lang={each}>
              <Field
                id={`describe-${each}`}
                label={languageNames[each]}
                maxLength={200}
                value={typed?.descriptions[each]}
                required={false}
              />
            </div>
          ))}
        </details>
        <fieldset class="choices compact">
          <legend>Who can have it</legend>
          {kinds.map(([kind, text, hint]) => (
            <label key={kind} class="choice" for={`kind-${kind}`}>
              <input
                type="checkbox"
                id={`kind-${kind}`}
                name="kind"
                value={kind}
                checked={typed === undefined || typed.kinds.includes(kind)}
              />
              <span class="what">
                {text}
                <span class="soft">{hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <label class="choice" for="adminConsent">
          <input
            type="checkbox"
            id="adminConsent"
            name="adminConsent"
            value="yes"
            checked={typed?.adminConsent === true}
          />
          <span>For people too, only an administrator consents</span>
        </label>
        <Select
          id="role"
          label="Which people it can be used for"
          value={typed?.role}
          options={permissionRoles.map(([role, text]) => [role, text] as const)}
        />
        <Button id="save-permission">{isKnown ? 'Save' : 'Add'}</Button>
      </Form>
    </section>
  )
}
