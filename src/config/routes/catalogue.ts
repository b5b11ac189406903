// The catalogue: every resource with its permissions, and what covers what.

import type { Language } from '../../languages/language.js'
import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { Catalogue, PermissionDefinition, Resource } from '../settings/settings.js'
import { managementPermissions } from './management-permissions.js'
import { createCovering } from './permission-closure.js'

/** The catalogue, and the identifier of each resource by the short name that routes use. */
export interface CompiledCatalogue {
  catalogue: Catalogue
  resourceIds: ReadonlyMap<string, string>
}

type PermissionsOfFile = ConfigurationFile['permissions']

// Words of the protocol (OpenID Connect Core §5.4, §11; our default scope): a permission of that name could not be
// requested.
const RESERVED_IDS = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'default']

/** Reads `resources` and `permissions`. Mistakes go to the report; what is wrong is left out of the answer. */
export function compileCatalogue(file: ConfigurationFile, report: Report): CompiledCatalogue {
  const own: Resource = { id: `${file.server.baseUrl}/api/v2`, name: 'Portcullis', own: true }
  const resources = new Map([[own.id, own]])
  const resourceIds = new Map<string, string>()
  const builtIn = managementPermissions(own.id)
  for (const { id } of builtIn.filter((one) => Object.hasOwn(file.permissions, one.id)))
    report.problem(['permissions', id], 'is a permission of the management API, which no file defines', 'key')
  const permissions = definitionsOf(file.permissions, own.id, ['permissions'], report)
  for (const [name, entry] of Object.entries(file.resources)) {
    const path: Path = ['resources', name]
    const id = entry.id ?? ''
    resourceIds.set(name, id)
    const wrong = report.isBroken([...path, 'id']) || id === '' ? undefined : whyNotIdentifier(id, resources)
    if (wrong !== undefined) report.problem([...path, 'id'], wrong)
    else {
      const more = { ...exchangeOf(entry.exchange), ...documentsOf(entry, path, report) }
      resources.set(id, { id, name: entry.name ?? name, own: false, ...more })
    }
    permissions.push(...definitionsOf(entry.permissions, id, [...path, 'permissions'], report))
  }
  return { catalogue: catalogueOf(own, resources, [...permissions, ...builtIn], file.signIn.language), resourceIds }
}

function exchangeOf(exchange: ConfigurationFile['resources'][string]['exchange']): Pick<Resource, 'exchange'> {
  if (exchange === undefined) return {}
  const { applications, ceiling = 'caller' } = exchange
  return { exchange: { applications, ceiling } }
}

/** What clients that nobody registered may ask people for: delegated permissions of this resource. */
function documentsOf(
  { documents, permissions }: ConfigurationFile['resources'][string],
  path: Path,
  report: Report,
): Pick<Resource, 'documents'> {
  if (documents === undefined) return {}
  for (const [index, id] of documents.entries()) {
    const at = [...path, 'documents', index]
    if (!Object.hasOwn(permissions, id)) {
      const section = [...path, 'permissions']
      report.unknown(at, { what: 'permission', name: id, section, known: Object.keys(permissions) })
    } else if (permissions[id]?.kinds?.includes('delegated') === false) {
      report.problem(at, 'only delegated permissions can be given to such clients: they act for people')
    }
  }
  return { documents }
}

/** The catalogue of these; `resources` by id, `language` that of the descriptions. */
export function catalogueOf(
  own: Resource,
  resources: ReadonlyMap<string, Resource>,
  permissions: readonly PermissionDefinition[],
  language: Language,
): Catalogue {
  const byId = new Map<string, PermissionDefinition[]>()
  for (const one of permissions) byId.set(one.id, [...(byId.get(one.id) ?? []), one])
  const withId = (id: string) => byId.get(id) ?? []
  return {
    own,
    language,
    resources,
    permissions,
    find: (kind, resource, id) => withId(id).find((one) => one.resource === resource && one.kinds.includes(kind)),
    resourcesOf: (id) => withId(id).map((one) => one.resource),
    satisfying: createCovering(permissions),
  }
}

function definitionsOf(file: PermissionsOfFile, resource: string, path: Path, report: Report): PermissionDefinition[] {
  return Object.entries(file).map(([id, entry]) => {
    const at = [...path, id]
    const needsAdministrator = id.endsWith('.All')
    if (RESERVED_IDS.includes(id.toLowerCase()))
      report.problem(at, 'is a word of the protocol, not a permission', 'key')
    if (needsAdministrator && entry.adminConsent === false) {
      report.problem([...at, 'adminConsent'], 'a permission that ends in .All always needs an administrator')
    }
    checkCovers(file, id, at, report)
    return {
      id,
      resource,
      kinds: entry.kinds ?? ['application', 'delegated'],
      describe: entry.describe ?? '',
      ...(entry.descriptions === undefined ? {} : { descriptions: entry.descriptions }),
      adminConsent: entry.adminConsent ?? needsAdministrator,
      role: entry.role ?? 'member',
      covers: entry.covers ?? [],
    }
  })
}

function checkCovers(file: PermissionsOfFile, id: string, path: Path, report: Report): void {
  const kindsOf = (name: string) => file[name]?.kinds ?? ['application', 'delegated']
  for (const [index, covered] of (file[id]?.covers ?? []).entries()) {
    const at = [...path, 'covers', index]
    if (covered === id) report.problem(at, 'a permission does not cover itself')
    else if (!Object.hasOwn(file, covered)) {
      const section = path.slice(0, -1)
      report.unknown(at, { what: 'permission', name: covered, section, known: Object.keys(file) })
    } else if (!kindsOf(covered).some((kind) => kindsOf(id).includes(kind))) {
      report.problem(
        at,
        `no token can hold ${report.places.quoted(at)} and this permission: they have no kind in common`,
      )
    }
  }
}

// RFC 8707 §2: an absolute URI without fragment; no query either. `{resource}/id` must be readable, and be one scope
// token.
function whyNotIdentifier(id: string, known: ReadonlyMap<string, Resource>): string | undefined {
  if (known.has(id)) return `is the identifier of ${JSON.stringify(known.get(id)?.name)} already`
  if (!/^[a-z][a-z0-9+.-]*:[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/.test(id) || !URL.canParse(id)) {
    return 'must be an absolute URI without spaces and commas, such as https://assets.example.com'
  }
  if (/[?#]/.test(id)) return 'must have neither query nor fragment'
  return id.endsWith('/') ? 'must not end with a slash' : undefined
}
