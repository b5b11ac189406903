// The catalogue as it is at this moment: what the configuration says, and beside it the APIs that tenants define. It
// looks like any catalogue, so nobody who asks it knows the difference; the Feed keeps it right.
//
// A tenant's API never takes part where a permission is named without its resource: otherwise one tenant could make a
// word of everybody's ambiguous.

import type { Catalogue, PermissionDefinition, Resource, Role } from '../../config/settings/settings.js'
import { storedTranslations } from '../../languages/translations.js'
import type { Follower } from '../../storage/changes/feed.js'
import { type ApiRecord, readApis } from '../../storage/sql/registrations/apis.js'
import type { Store } from '../../storage/sql/store.js'

export interface LiveCatalogue extends Catalogue, Follower {
  /** From now on the configuration says this. */
  configure(next: Catalogue): void
}

/** The catalogue that starts as `first`. Add it to the Feed before start(). */
export function createLiveCatalogue(first: Catalogue, store: Store): LiveCatalogue {
  let configured = first
  let apis: readonly ApiRecord[] = []
  let resources: ReadonlyMap<string, Resource> = configured.resources
  let permissions: readonly PermissionDefinition[] = configured.permissions
  let own = new Map<string, PermissionDefinition>()

  const take = (read: readonly ApiRecord[]): void => {
    apis = read
    const added = apis.flatMap(toDefinitions)
    const named = apis.map((api): [string, Resource] => [api.identifier, toResource(api)])
    resources = new Map([...configured.resources, ...named])
    permissions = [...configured.permissions, ...added]
    own = new Map(added.map((one) => [`${one.resource} ${one.id}`, one]))
  }
  const findOwn = (kind: 'application' | 'delegated', resource: string, id: string) => {
    const found = own.get(`${resource} ${id}`)
    return found?.kinds.includes(kind) === true ? found : undefined
  }
  return {
    name: 'catalogue',
    get own() {
      return configured.own
    },
    get language() {
      return configured.language
    },
    get resources() {
      return resources
    },
    get permissions() {
      return permissions
    },
    find: (kind, resource, id) => configured.find(kind, resource, id) ?? findOwn(kind, resource, id),
    resourcesOf: (id) => configured.resourcesOf(id),
    satisfying: (kind, resource, id) =>
      findOwn(kind, resource, id) === undefined ? configured.satisfying(kind, resource, id) : [id],
    configure(next) {
      configured = next
      take(apis)
    },
    load: async (snapshot) => take(await readApis(snapshot)),
    async apply({ entry }) {
      if (entry.kind === 'apis') take(await store.snapshot((tx) => readApis(tx)))
    },
  }
}

function toResource({ identifier, name, tenant_id: tenantId }: ApiRecord): Resource {
  return { id: identifier, name, own: false, tenantId }
}

/** The permissions of an API, from its rows. */
export function toDefinitions({ identifier, tenant_id: tenantId, permissions }: ApiRecord): PermissionDefinition[] {
  return permissions.map((row) => {
    const descriptions = storedTranslations(row.translations)
    return {
      id: row.permission_id,
      resource: identifier,
      describe: row.describe,
      ...(descriptions === undefined ? {} : { descriptions }),
      tenantId,
      covers: [],
      kinds: row.kinds.split(',').map((kind) => (kind === 'application' ? 'application' : 'delegated')),
      adminConsent: Number(row.admin_consent) === 1,
      role: roleOf(row.role),
    }
  })
}

/** Whatever is no role that we know is for nobody below an owner. */
function roleOf(role: string): Role {
  return role === 'member' || role === 'developer' || role === 'administrator' ? role : 'owner'
}
