// The server's catalogue of permissions, as a list of permissions is written against it.

import { type NamedPermission, readPermissionName } from '../../oauth/requests/permission-name.js'
import type { Answer } from '../schemas.js'
import type { RegistrationReads } from './calls.js'
import { RegistrationProblem } from './problem.js'

type Entry = Answer<'permissions'>['value'][number]

/** A permission with its resource, as the server shows it. */
export type PermissionRef = Required<NamedPermission>

export interface PermissionCatalogue {
  /**
   * The one permission that `[application:|delegated:][{resource}/]id` means; without a kind it is `kind`, without a
   * resource of the own API. Throws RegistrationProblem when it is not one, or does not exist.
   */
  require(argument: string, kind: NamedPermission['kind']): PermissionRef
  /** All of that id; those of the management API are not among them. */
  withId(id: string): readonly Entry[]
}

/** Reads the catalogue of a server. */
export async function readCatalogue(calls: Pick<RegistrationReads, 'listPermissions'>): Promise<PermissionCatalogue> {
  const [entries, { managementPermissions }, { nearestName }] = await Promise.all([
    calls.listPermissions(),
    import('../../config/routes/management-permissions.js'),
    import('../../config/report/suggest.js'),
  ])
  const management = new Set(managementPermissions('').map(({ id }) => id))
  const own = ownResource(entries, management)
  const isManagement = ({ id, resource }: Entry) => management.has(id) && (own === undefined || resource === own)
  const byId = new Map<string, Entry[]>()
  for (const entry of entries) byId.set(entry.id, [...(byId.get(entry.id) ?? []), entry])
  return {
    require(argument, kind) {
      const requested = parsed(argument, kind)
      const fits = (entry: Entry) =>
        entry.id === requested.id &&
        entry.kinds.includes(requested.kind) &&
        entry.resource === (requested.resource ?? own)
      const found = entries.find(fits)
      if (found === undefined)
        throw new RegistrationProblem('what_was_said', unknown(argument, requested, entries, nearestName))
      return { kind: requested.kind, resource: found.resource, id: requested.id }
    },
    withId: (id) => (byId.get(id) ?? []).filter((entry) => !isManagement(entry)),
  }
}

/** The own API is the one that has all permissions of the management API. */
function ownResource(entries: readonly Entry[], management: ReadonlySet<string>): string | undefined {
  const idsOf = new Map<string, Set<string>>()
  for (const { resource, id } of entries) idsOf.set(resource, (idsOf.get(resource) ?? new Set()).add(id))
  for (const [resource, ids] of idsOf) if ([...management].every((id) => ids.has(id))) return resource
  return undefined
}

function parsed(argument: string, kind: NamedPermission['kind']): NamedPermission {
  const named = readPermissionName(argument, kind)
  if (named !== undefined) return named
  throw new RegistrationProblem('what_was_said', `${JSON.stringify(argument)} is not a permission.`)
}

type Nearest = typeof import('../../config/report/suggest.js').nearestName

function unknown(
  argument: string,
  { kind, id }: NamedPermission,
  entries: readonly Entry[],
  nearestName: Nearest,
): string {
  const others = entries.filter((entry) => entry.id === id)
  const hint = others
    .slice(0, 3)
    .map(({ kinds, resource }) => `${kinds.join(' or ')} of ${resource}`)
    .join('; ')
  if (others.length > 0) return `There is no ${kind} permission "${argument}": ${id} exists as ${hint}.`
  const ofKind = entries.filter(({ kinds }) => kinds.includes(kind)).map((entry) => entry.id)
  const nearest = nearestName(id, ofKind)
  const next = nearest === undefined ? 'See: portcullis permission list' : `The nearest is "${nearest}".`
  return `There is no ${kind} permission "${argument}". ${next}`
}
