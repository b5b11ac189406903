// The permissions of an API: what each lets an application do, in which kinds it comes, and who has to consent.

import type { VNode } from 'preact'
import type { CatalogueApi, CataloguePermission } from '../../management/api-catalogue/catalogue-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { Table } from '../table.js'

const roles = {
  member: 'every member',
  developer: 'developers and administrators',
  administrator: 'administrators',
  owner: 'owners',
}

/** The card. `request`: the address of the page on which access is requested, for those who may. */
export function PermissionsOfApi({
  api: { permissions },
  request,
}: {
  api: CatalogueApi
  request: string | undefined
}): VNode {
  return (
    <section class="card" aria-labelledby="permissions-title">
      <div class="toolbar middle">
        <h2 id="permissions-title">Permissions</h2>
        {request === undefined || permissions.length === 0 ? null : (
          <a class="button small" id="request-access" href={request}>
            Request access
          </a>
        )}
      </div>
      {permissions.length === 0 ? (
        <p class="nothing" id="no-permissions">
          It takes none: everybody may call it.
        </p>
      ) : (
        <Table
          id="permissions"
          columns={[{ text: 'Permission' }, { text: 'As itself' }, { text: 'For a person' }]}
          rows={permissions.map((one, index) => ({ id: `permission-${index}`, cells: cellsOf(one) }))}
        />
      )}
    </section>
  )
}

function cellsOf(permission: CataloguePermission) {
  const { id, description, kinds, administratorFor, role } = permission
  return [
    <>
      <code>{id}</code>
      <span class="under soft">{displayName(description, 200)}</span>
    </>,
    kinds.includes('application') ? 'An administrator consents' : 'No',
    kinds.includes('delegated') ? (
      <>
        {administratorFor.includes('delegated') ? 'An administrator consents' : 'Each person consents'}
        <span class="under">for {roles[role]}</span>
      </>
    ) : (
      'No'
    ),
  ]
}
