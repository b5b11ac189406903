// What applications that are registered with a token may be configured with at the most.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import type { PermissionKind } from '../../directory/records.js'
import { choicesOf } from '../permissions/choices.js'
import { PermissionId } from '../permissions/permission-id.js'

const kinds = [
  ['delegated', 'for a person who signed in'],
  ['application', 'as the application itself'],
] as const

/** The permission that a checkbox of PermissionCeiling stands for. */
export function permissionIn(value: string): { kind: PermissionKind; resource: string; id: string } {
  const [kind = '', resource = '', id = ''] = value.split(' ')
  return { kind: kind === 'application' ? 'application' : 'delegated', resource, id }
}

/** The checkboxes, folded away: most tokens need none. */
export function PermissionCeiling({
  catalogue,
  tenantId,
  chosen,
}: {
  catalogue: Catalogue
  tenantId: string
  chosen: readonly string[]
}): VNode {
  return (
    <details open={chosen.length > 0}>
      <summary>Permissions that they may ask for</summary>
      <p class="fine">
        An application that is registered with this token may be configured with these, and with no others. None of them
        permits anything until somebody consents.
      </p>
      {kinds.flatMap(([kind, text]) =>
        choicesOf(catalogue, [], { kind, search: '', tenantId }).map(({ api, resource, choices }) => (
          <fieldset class="choices compact" key={`${kind} ${api}`}>
            <legend>
              {api}, {text} <span class="fine">{resource}</span>
            </legend>
            {choices.map(({ ref, description }) => {
              const value = `${kind} ${ref.resource} ${ref.id}`
              const id = value.replace(/[^A-Za-z0-9.-]+/g, '_')
              return (
                <label class="choice" for={id} key={value}>
                  <input type="checkbox" id={id} name="permission" value={value} checked={chosen.includes(value)} />
                  <span class="what">
                    <span class="name">
                      <PermissionId id={ref.id} />
                    </span>
                    <span class="soft">{description}</span>
                  </span>
                </label>
              )
            })}
          </fieldset>
        )),
      )}
    </details>
  )
}
