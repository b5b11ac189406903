// What an Entra application asks for. Its manifest names permissions by GUID alone; the names of those that are met
// most are known here, and those of an application's own API stand in its manifest. Others can be mapped by their GUID.

import { type RequestedPermission, signInWords } from './conversion.js'
import type { ImportRecord } from './import-record.js'

const graph = '00000003-0000-0000-c000-000000000000'
/** Of Microsoft Graph: delegated ones first, then those of applications. */
const graphNames: ReadonlyMap<string, string> = new Map([
  ['37f7f235-527c-4136-accd-4a02d197296e', 'openid'],
  ['14dad69e-099b-42c9-810b-d002981feec1', 'profile'],
  ['64a6cdd6-aab1-4aaf-94b8-3cc8405e90d0', 'email'],
  ['7427e0e9-2fba-42fe-b0c0-848c9e6a8182', 'offline_access'],
  ['e1fe6dd8-ba31-4d61-89e7-88639da4683d', 'User.Read'],
  ['b340eb25-3456-403f-be2f-af7a0d370277', 'User.ReadBasic.All'],
  ['a154be20-db9c-4678-8ab7-66f6cc099a59', 'User.Read.All'],
  ['06da0dbc-49e2-44d2-8312-53f166ab848a', 'Directory.Read.All'],
  ['df021288-bdef-4463-88db-98f22de89214', 'User.Read.All'],
  ['7ab1d382-f21e-4acd-a863-ba3e13f7da61', 'Directory.Read.All'],
])

/** What it asks for, but for what only signs people in; and whether it offers permissions itself. */
export function entraPermissions(manifest: ImportRecord): { permissions: RequestedPermission[]; offersSome: boolean } {
  const own = ownNames(manifest)
  const appId = manifest.text('appId')
  const permissions = manifest.records('requiredResourceAccess').flatMap((resource) => {
    const resourceId = resource.required('resourceAppId')
    const names = resourceId === graph ? graphNames : resourceId === appId ? own : undefined
    return resource.records('resourceAccess').flatMap((access) => {
      const id = access.required('id')
      const name = names?.get(id.toLowerCase())
      if (name !== undefined && signInWords.has(name)) return []
      const kind = access.text('type') === 'Role' ? 'application' : 'delegated'
      const aliases = [`${resourceId}/${id}`, ...(name === undefined ? [] : [id])]
      return [{ name: name ?? id, aliases, kinds: [kind] } satisfies RequestedPermission]
    })
  })
  return { permissions, offersSome: own.size > 0 }
}

function ownNames(manifest: ImportRecord): ReadonlyMap<string, string> {
  const offered = [
    ...manifest.record('api').records('oauth2PermissionScopes'),
    ...manifest.records('oauth2Permissions'),
    ...manifest.records('appRoles'),
  ]
  return new Map(offered.map((one) => [one.text('id').toLowerCase(), one.text('value')]))
}
