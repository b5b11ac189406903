// The permissions of an API of the tenant, each with how much hangs on it.

import type { VNode } from 'preact'
import { languages } from '../../../languages/language.js'
import type { ApiConsequences } from '../../../management/api-catalogue/api-consequences.js'
import type { ApiAnswer } from '../../../management/permissions/apis.js'
import { displayName } from '../../../web/pages/display-name.js'
import { Button } from '../../../web/pages/elements.js'
import { Form } from '../../../web/pages/form.js'
import type { PortalContext } from '../../context.js'
import { Table } from '../../table.js'
import { ownApiPath } from '../paths.js'

type Use = ApiConsequences['permissions'][number]
const kindTexts = { application: 'as itself', delegated: 'for a person' }

/** The card. */
export function OwnPermissions({
  context,
  api,
  use,
}: {
  context: PortalContext
  api: ApiAnswer
  use: ApiConsequences
}): VNode {
  return (
    <section class="card" aria-labelledby="permissions-title">
      <h2 id="permissions-title">Permissions</h2>
      {api.permissions.length === 0 ? (
        <p class="nothing" id="no-permissions">
          There are none yet, so no application can get a token for it.
        </p>
      ) : (
        <Table
          id="own-permissions"
          columns={[{ text: 'Permission' }, { text: 'Who can have it' }, { text: 'In use' }, { text: '' }]}
          rows={api.permissions.map((permission, index) => ({
            id: `own-permission-${index}`,
            cells: [
              <>
                <code>{permission.id}</code>
                <span class="under soft">{displayName(permission.describe, 200)}</span>
                {languages
                  .filter((each) => permission.descriptions[each] !== undefined)
                  .map((each) => (
                    <span key={each} class="under soft" lang={each}>
                      {displayName(permission.descriptions[each] ?? '', 200)}
                    </span>
                  ))}
              </>,
              <>
                {permission.kinds.map((kind) => kindTexts[kind]).join(', ')}
                {permission.adminConsent ? <span class="under">only with an administrator</span> : null}
              </>,
              useText(use.permissions.find(({ id }) => id === permission.id)),
              <Actions key="actions" context={context} api={api} id={permission.id} index={index} />,
            ],
          }))}
        />
      )}
    </section>
  )
}

/** In words, such as `listed by 3 applications, granted to 2`. */
export function useText(use: Use | undefined): string {
  if (use === undefined || use.listed + use.granted + use.people === 0) return 'by nobody'
  const parts = [
    use.listed === 0 ? '' : `listed by ${use.listed === 1 ? '1 application' : `${use.listed} applications`}`,
    use.granted === 0 ? '' : `granted to ${use.granted}`,
    use.people === 0 ? '' : `allowed by ${use.people === 1 ? '1 person' : `${use.people} people`}`,
  ]
  return parts.filter(Boolean).join(', ')
}

function Actions({
  context,
  api: { apiId },
  id,
  index,
}: {
  context: PortalContext
  api: ApiAnswer
  id: string
  index: number
}): VNode {
  const change = `${ownApiPath(apiId)}?${new URLSearchParams({ permission: id })}#permission-form`
  return (
    <div class="row-acts">
      <a id={`change-${index}`} href={context.link(change)}>
        Change
      </a>
      <Form
        id={`remove-${index}`}
        action={context.address}
        token={context.token}
        hidden={{ act: 'remove', id }}
        label={`Remove ${displayName(id, 100)}`}
      >
        <Button id={`remove-${index}-button`} kind="plain">
          Remove
        </Button>
      </Form>
    </div>
  )
}
