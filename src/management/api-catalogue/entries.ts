// The API catalogue: what applications can be given access to. Everything about operations is taken from the document
// of the API as this reader gets it, so nobody sees here what the reference does not show them; permissions are those
// that applications of the tenant can be given.

import { isManagementPermission } from '../../config/routes/management-permissions.js'
import type { Catalogue, PermissionDefinition } from '../../config/settings/settings.js'
import type { ApiDocument, ApiFacts, ApiOperation } from '../openapi/document-types.js'
import { passedOn } from '../openapi/proxied.js'

/** An operation where it is. */
export interface PlacedOperation {
  /** In upper case. */
  method: string
  path: string
  operation: ApiOperation
}

export interface ApiEntry {
  /** A word for addresses, made of the name. */
  id: string
  /**
   * `service`: its own document describes it; `routes`: routes of the gate, by the API that their permissions are of;
   * `management`: this server's; `tenant`: of the tenant, which verifies its tokens itself.
   */
  kind: 'service' | 'routes' | 'management' | 'tenant'
  name: string
  description: string
  facts: ApiFacts
  /** The chapter of the document that it is in; undefined for what has no operations there. */
  operations: readonly PlacedOperation[]
  permissions: readonly PermissionDefinition[]
}

/** Words of addresses that other pages have. */
const takenIds = ['own', 'new']
const notHere = 'Its permissions are named here; where it is called, and by what address, its operators say.'

/** All that a reader of `document` in the tenant finds; undefined: in none, and so without the APIs of any. */
export function apiEntries(document: ApiDocument, catalogue: Catalogue, tenantId: string | undefined): ApiEntry[] {
  const known = catalogue.permissions.filter((one) => one.tenantId === undefined || one.tenantId === tenantId)
  const operations = placedOperations(document)
  const documented = document.tags.flatMap((tag): Draft[] => {
    const { name, description, 'x-api': facts } = tag
    if (facts === undefined || name === passedOn.tag) return []
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    return [
      { kind: 'service', name, description, facts, operations: own, permissions: neededBy(own, catalogue, known) },
    ]
  })
  withRestOf(documented, catalogue, known)
  const listed = new Set(documented.flatMap(({ permissions }) => permissions))
  const routes = operations.filter(({ operation }) => operation.tags.includes(passedOn.tag))
  const resources = [...catalogue.resources.values()].flatMap((resource): Draft[] => {
    if (resource.tenantId !== undefined && resource.tenantId !== tenantId) return []
    const led = routes.filter(({ operation }) => resourceOf(operation, catalogue) === resource.id)
    const isLeft = (one: PermissionDefinition) =>
      one.resource === resource.id && !listed.has(one) && !isManagementPermission(catalogue, one)
    const needed = neededBy(led, catalogue, known)
    const permissions = known.filter((one) => isLeft(one) || needed.includes(one))
    if (led.length + permissions.length === 0) return []
    const name = resource.own ? passedOn.tag : resource.name
    const description = led.length > 0 ? passedOn.description : notHere
    const kind = resource.tenantId === undefined ? 'routes' : 'tenant'
    return [{ kind, name, description, facts: {}, operations: led, permissions }]
  })
  const management: Draft = {
    kind: 'management',
    name: `${catalogue.own.name} management`,
    description: 'What this server answers itself: applications, permissions, people, usage, audit.',
    facts: {},
    operations: operations.filter((one) => isOfServer(one, document)),
    permissions: known.filter((one) => isManagementPermission(catalogue, one)),
  }
  const ids = new Set(takenIds)
  return [...documented, ...resources, management].map((draft) => ({ id: freeId(draft.name, ids), ...draft }))
}

type Draft = Omit<ApiEntry, 'id'>

/** One reads what there is before one changes it, and ends it last. */
export const methodsInOrder: readonly string[] = ['get', 'head', 'post', 'put', 'patch', 'delete']

/** The operations of the document, without the answers to preflights, which browsers ask for by themselves. */
export function placedOperations({ paths }: ApiDocument): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'options')
      .sort(([one], [other]) => methodsInOrder.indexOf(one) - methodsInOrder.indexOf(other))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

function resourceOf(operation: ApiOperation, { own }: Catalogue): string {
  return operation['x-resource'] ?? own.id
}

/** The permissions that one of the operations names, in the order of the catalogue. */
function neededBy(
  operations: readonly PlacedOperation[],
  catalogue: Catalogue,
  known: readonly PermissionDefinition[],
): PermissionDefinition[] {
  const names = new Set(
    operations.flatMap(({ operation }) =>
      (operation['x-permissions'] ?? []).flat().map((id) => `${resourceOf(operation, catalogue)} ${id}`),
    ),
  )
  return known.filter(({ resource, id }) => names.has(`${resource} ${id}`))
}

/** An API that only one service is behind goes with it whole: also what none of its routes asks for. */
function withRestOf(documented: Draft[], catalogue: Catalogue, known: readonly PermissionDefinition[]): void {
  const used = documented.map(
    ({ operations }) => new Set(operations.map((one) => resourceOf(one.operation, catalogue))),
  )
  for (const [at, service] of documented.entries()) {
    const only = [...(used[at] ?? [])].filter(
      (id) => id !== catalogue.own.id && used.every((others, other) => other === at || !others.has(id)),
    )
    service.permissions = known.filter((one) => service.permissions.includes(one) || only.includes(one.resource))
  }
}

function isOfServer({ operation }: PlacedOperation, { tags }: ApiDocument): boolean {
  if (operation['x-permissions'] === undefined) return false
  return tags.some((tag) => tag['x-api'] === undefined && operation.tags.includes(tag.name))
}

function freeId(name: string, taken: Set<string>): string {
  const word = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  let id = word || 'api'
  for (let count = 2; taken.has(id); count++) id = `${word || 'api'}-${count}`
  taken.add(id)
  return id
}
