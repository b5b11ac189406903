// What an OpenAPI document becomes here: permissions from its security schemes, a route for each operation. A proposal,
// for a person to read: what had to be guessed or could not be carried is among the notes. Pure: no file, no server.

import { reservedPathWithin } from '../../config/routes/reserved-paths.js'
import { parseRouteKey, shapeOf } from '../../config/routes/route-key.js'
import { type GivenOperation, type OpenApiDocument, operationsOf, titleOf } from './document.js'
import { type Need, type ProposedPermission, requirementOf, type Security, securityOf } from './security.js'

export interface ProposalOptions {
  /** The upstream's name here. */
  upstream: string
  /** Where the service is; undefined: what the document says. */
  target: string | undefined
  /** Where its paths begin here; empty: where they begin there. */
  prefix: string
}

export interface ProposedRoute {
  path: string
  /** By method. */
  needs: ReadonlyMap<string, Need>
}

export interface Proposal {
  upstream: string
  target: string
  /** What the upstream gets instead of the prefix; undefined: paths are the same. */
  rewrite: { from: string; to: string } | undefined
  permissions: readonly ProposedPermission[]
  routes: readonly ProposedRoute[]
  notes: readonly string[]
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Never refuses a document that is one: what cannot be carried is a note. */
export function proposeRules(document: OpenApiDocument, options: ProposalOptions): Proposal {
  const notes: string[] = []
  const server = serverOf(document, options, notes)
  const security = securityOf(document, { name: options.upstream, title: titleOf(document) })
  const routes = new Map<string, { path: string; needs: Map<string, Need> }>()
  for (const operation of operationsOf(document)) addOperation(operation, { server, security, routes, notes })
  return {
    upstream: options.upstream,
    target: server.target,
    rewrite: server.prefix === server.basePath ? undefined : { from: server.prefix, to: server.basePath || '/' },
    permissions: security.used(),
    routes: [...routes.values()],
    notes: [...notes, ...security.notes()],
  }
}

interface ServerHere {
  target: string
  /** Without a slash at the end; empty for none. */
  basePath: string
  prefix: string
}

/** The first of the document's servers, as far as it is an address. */
function serverOf(document: OpenApiDocument, options: ProposalOptions, notes: string[]): ServerHere {
  const [first] = document.servers ?? []
  const written = options.target ?? first?.url ?? ''
  const url = URL.canParse(written, 'http://127.0.0.1') ? new URL(written, 'http://127.0.0.1') : undefined
  const isWhole = /^https?:\/\//i.test(written)
  if (!isWhole || url === undefined) notes.push('where the service is stands nowhere: set target')
  if ((document.servers?.length ?? 0) > 1 && options.target === undefined) {
    notes.push(`the first of ${document.servers?.length} servers was taken: ${first?.url}`)
  }
  const basePath = (url?.pathname ?? '').replace(/(?<!\/)\/+$/, '')
  const target = isWhole && url !== undefined ? url.origin : 'http://127.0.0.1:3000'
  return { target, basePath, prefix: options.prefix === '' ? basePath : options.prefix.replace(/(?<!\/)\/+$/, '') }
}

interface Building {
  server: ServerHere
  security: Security
  routes: Map<string, { path: string; needs: Map<string, Need> }>
  notes: string[]
}

function addOperation(operation: GivenOperation, { server, security, routes, notes }: Building): void {
  const { method } = operation
  const name = `${method} ${operation.path}`
  if (!methods.has(method)) {
    if (method === 'TRACE') notes.push(`${name} was left out: it is never served`)
    return
  }
  const path = routePath(server.prefix + operation.path, notes, name)
  const parsed = parseRouteKey(`${method} ${path}`)
  const reserved = reservedPathWithin(path)
  if ('wrong' in parsed) notes.push(`${name} was left out: ${parsed.wrong}`)
  else if (reserved !== undefined) notes.push(`${name} was left out: it could reach ${reserved}; --prefix moves it`)
  else {
    const route = routes.get(shapeOf(path)) ?? { path, needs: new Map<string, Need>() }
    if (route.needs.has(method)) notes.push(`${name} was left out: ${method} ${route.path} is the same route`)
    else route.needs.set(method, requirementOf(security, operation))
    routes.set(shapeOf(path), route)
  }
}

/** A parameter is a whole segment with a plain name here; one that is part of a segment takes the whole of it. */
function routePath(path: string, notes: string[], name: string): string {
  const known = new Set<string>()
  const segments = path.split('/').map((segment) => {
    if (!segment.includes('{')) return segment
    if (!/^\{[^{}]*\}$/.test(segment)) notes.push(`${name}: ${segment} is matched by any segment`)
    const plain = segment.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^_+|_+$/g, '')
    let parameter = /^[A-Za-z]/.test(plain) ? plain : `p${plain}`
    while (known.has(parameter)) parameter += '_'
    known.add(parameter)
    return `{${parameter}}`
  })
  return segments.join('/')
}
