// Which token to get: one form for each API of which something is granted, since a token is for one API.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import type { PortalContext } from '../context.js'
import type { PermissionStatus } from '../permissions/permission-status.js'

/** The forms. `granted`: application permissions that are configured and granted. */
export function TokenForms({
  context,
  catalogue,
  granted,
  ticked,
}: {
  context: PortalContext
  catalogue: Catalogue
  granted: readonly PermissionStatus[]
  /** Keys that were chosen before. */
  ticked: readonly string[]
}): VNode {
  const resources = [...new Set(granted.map(({ ref }) => ref.resource))]
  return (
    <>
      {resources.map((resource, index) => {
        const own = granted.filter(({ ref }) => ref.resource === resource)
        return (
          <Form
            key={resource}
            id={`token-form-${index}`}
            action={context.address}
            token={context.token}
            hidden={{ resource }}
          >
            <fieldset class="choices compact">
              <legend>
                {own[0]?.api} {resource === catalogue.own.id ? null : <span class="fine">{resource}</span>}
              </legend>
              {own.map(({ key, ref, description }) => (
                <label key={key} class="choice" for={`${index}-${ref.id}`}>
                  <input
                    type="checkbox"
                    id={`${index}-${ref.id}`}
                    name="permission"
                    value={ref.id}
                    checked={ticked.includes(key)}
                  />
                  <span class="what">
                    <code>{ref.id}</code>
                    <span class="soft">{description}</span>
                  </span>
                </label>
              ))}
            </fieldset>
            <Button id={`get-token-${index}`}>Get a token</Button>
          </Form>
        )
      })}
    </>
  )
}

/** The scope list of a form that was sent: what was ticked, or the API's default when nothing was. */
export function scopeOf(resource: string, ids: readonly string[]): string {
  if (ids.length === 0) return `${resource}/.default`
  return ids.map((id) => `${resource}/${id}`).join(' ')
}
