// Permissions from security schemes. The scopes of OAuth 2.0 and OpenID Connect are permissions already; where an
// operation asks for a key, a password or any token at all, it gets one permission for reading and one for changing,
// because a route that says nothing is closed here.

import type { GivenOperation, OpenApiDocument, SecurityRequirement, SecurityScheme } from './document.js'

export interface ProposedPermission {
  id: string
  describe: string
  /** Undefined: both. */
  kinds: readonly ('application' | 'delegated')[] | undefined
}

/** `public`, or alternatives of which each is a list of permissions that are needed together. */
export type Need = 'public' | readonly (readonly string[])[]

export interface Security {
  /** The permission for a scope of a scheme. */
  ofScope(scheme: string, scope: string): string
  /** The permission for an operation that names none. */
  ofMethod(method: string): string
  isScoped(scheme: string): boolean
  /** The permissions that operations required, in the order of their first use. */
  used(): readonly ProposedPermission[]
  notes(): readonly string[]
}

const delegatedFlows = new Set(['authorizationCode', 'implicit', 'password', 'deviceAuthorization'])
const longestText = 200

/** `name` begins the permissions that are made here. */
export function securityOf(document: OpenApiDocument, { name, title }: { name: string; title: string }): Security {
  const schemes = document.components?.securitySchemes ?? {}
  const used = new Map<string, ProposedPermission>()
  const notes = new Set<string>()
  const take = (permission: ProposedPermission) => {
    used.set(permission.id, used.get(permission.id) ?? permission)
    return permission.id
  }
  return {
    isScoped: (scheme) => isScoped(schemes[scheme]),
    ofScope(scheme, scope) {
      const id = permissionId(scope)
      if (id !== scope) notes.add(`the scope ${JSON.stringify(scope.slice(0, longestText))} is called ${id} here`)
      return take({ id, ...factsOf(schemes[scheme], scope, title) })
    },
    ofMethod(method) {
      const reads = method === 'GET'
      notes.add(`${name}_${reads ? 'read' : 'write'} was made for operations that name no scope`)
      const describe = `${reads ? 'Read' : 'Change'} what ${title} has`
      return take({ id: `${name}_${reads ? 'read' : 'write'}`, describe, kinds: undefined })
    },
    used: () => [...used.values()],
    notes: () => [...notes],
  }
}

/** What an operation requires. An empty list, or an empty alternative, asks for nobody (OpenAPI 3.1 §4.8.30). */
export function requirementOf(security: Security, { method, security: given }: GivenOperation): Need {
  if (given === undefined) return [[security.ofMethod(method)]]
  if (given.length === 0 || given.some((one) => Object.keys(one).length === 0)) return 'public'
  const alternatives = given.map((one) => permissionsOf(security, one, method))
  const distinct = new Map(alternatives.map((list) => [list.toSorted().join(' '), list]))
  return [...distinct.values()]
}

function permissionsOf(security: Security, requirement: SecurityRequirement, method: string): string[] {
  const ids = Object.entries(requirement).flatMap(([scheme, scopes]) =>
    security.isScoped(scheme) ? scopes.map((scope) => security.ofScope(scheme, String(scope))) : [],
  )
  return ids.length === 0 ? [security.ofMethod(method)] : [...new Set(ids)]
}

function isScoped(scheme: SecurityScheme | undefined): boolean {
  return scheme?.type === 'oauth2' || scheme?.type === 'openIdConnect'
}

function factsOf(scheme: SecurityScheme | undefined, scope: string, title: string): Omit<ProposedPermission, 'id'> {
  const flows = Object.entries(scheme?.flows ?? {}).filter(([, flow]) => flow?.scopes?.[scope] !== undefined)
  const written = flows.map(([, flow]) => flow?.scopes?.[scope]).find((text) => typeof text === 'string' && text !== '')
  const describe = typeof written === 'string' ? written.replace(/\s+/g, ' ').trim() : `${scope} at ${title}`
  const isDelegated = flows.some(([flow]) => delegatedFlows.has(flow))
  const isApplication = flows.some(([flow]) => flow === 'clientCredentials')
  const kinds = isDelegated === isApplication ? undefined : ([isDelegated ? 'delegated' : 'application'] as const)
  return { describe: describe.slice(0, longestText), kinds }
}

/** Scopes may be addresses; permission ids have no slash. */
function permissionId(scope: string): string {
  const plain = scope.replace(/^https?:\/\//i, '').replace(/[^A-Za-z0-9._:-]+/g, '.')
  return plain.replace(/^[^A-Za-z0-9]+/, '').slice(0, 128) || 'unnamed'
}
