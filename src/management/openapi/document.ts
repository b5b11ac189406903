// The document of the API (OpenAPI 3.1), made of the routes that registered on the public listener, the routes of the
// gate, and what the rooms say of theirs (decision 0063); in steps, for the gate may have thousands. Nothing in it is secret: every client that
// reaches the server can find its addresses, and upstreams are not named.

import type { Steps } from '../../config/reload/steps.js'
import type { Settings } from '../../config/settings/settings.js'
import type { DescribedOperation, OperationGroup } from '../../http/described-operations.js'
import { endpointPaths } from '../../identity/metadata/metadata.js'
import { createComponents } from './components.js'
import { describedByService } from './described-service.js'
import type { ApiDocument, ApiFacts, ApiOperation } from './document-types.js'
import { derivedId, writeOperation } from './operation.js'
import { passedOn, proxiedOperations } from './proxied.js'
import { refusalResponses, refusalSchemas } from './refusals.js'
import type { RegisteredRoute } from './registered.js'
import { type Reader, serviceChapters } from './service-chapters.js'

export interface DocumentSource {
  routes: readonly RegisteredRoute[]
  groups: readonly OperationGroup[]
  /** The bundled resource service, whose routes are those of the gate. */
  bundled: OperationGroup
  settings: Pick<Settings, 'server' | 'catalogue' | 'routes' | 'upstreams'>
  version: string
  /** For whom; absent: anybody. */
  reader?: Reader
}

const about = `Everything that this server answers on its public address. Times are RFC 3339 in UTC. Every answer has a \
request-id; a client-request-id that is a GUID comes back in errors. A path answers every method that is not listed with \
405 and Allow, and HEAD as GET.`

/** Writes it, a step an operation. A route that nobody describes has its method and path for a summary. */
export function* writeDocument(source: DocumentSource): Steps<ApiDocument> {
  const { routes, groups, bundled, settings, version } = source
  const { catalogue, server } = settings
  const components = createComponents(refusalSchemas)
  const paths: Record<string, Record<string, ApiOperation>> = {}
  const used = new Set<OperationGroup>()
  const behindGate = new Set<OperationGroup>()
  const ids = new Set<string>()
  const add = (route: Omit<RegisteredRoute, 'url'>, text: Described, more: (written: ApiOperation) => ApiOperation) => {
    const [id, ...rest] = text.described
    const described: DescribedOperation = [freeId(id, ids), ...rest]
    const operation = more(writeOperation({ components, catalogue }, route, { ...text, described }))
    paths[route.path] = { [route.method.toLowerCase()]: operation, ...paths[route.path] }
    used.add(text.group)
  }
  for (const route of routes) {
    add(route, describedBy(groups, route) ?? undescribed(route), (written) => written)
    yield
  }
  const taken = [...[...groups, bundled].map(({ tag }) => tag), 'Other', passedOn.tag]
  const services = serviceChapters(settings.upstreams, { reader: source.reader ?? 'anybody', taken })
  for (const { route, needs, said, ...text } of yield* proxiedOperations(settings, { bundled, services })) {
    behindGate.add(text.group)
    add(route, text, (written) => {
      const operation = said === undefined ? written : describedByService(written, { path: route.path, ...said })
      return { ...operation, ...needs }
    })
    yield
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portcullis',
      version,
      description: about,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server.baseUrl }],
    // What lies behind the gate comes first.
    tags: tagsOf([...[...used].filter(({ tag }) => !groups.some((own) => own.tag === tag)), ...groups], (group) =>
      behindGate.has(group) ? (services.factsOf(group) ?? {}) : undefined,
    ),
    paths,
    components: {
      schemas: { ...components.schemas, ...services.schemas() },
      responses: refusalResponses,
      securitySchemes: securitySchemes(settings),
    },
  }
}

/** Two paths may have one name; the one that came first keeps it. */
function freeId(id: string, taken: Set<string>): string {
  let found = id
  for (let count = 2; taken.has(found); count++) found = `${id}${count}`
  taken.add(found)
  return found
}

/** Each tag once, as the first group that has it tells it. */
function tagsOf(
  groups: readonly OperationGroup[],
  factsOf: (group: OperationGroup) => ApiFacts | undefined,
): ApiDocument['tags'] {
  const first = groups.filter(({ tag }, at) => groups.findIndex((other) => other.tag === tag) === at)
  return first.map((group) => {
    const facts = factsOf(group)
    return { name: group.tag, description: group.description, ...(facts === undefined ? {} : { 'x-api': facts }) }
  })
}

/** The routes that no group describes, as `METHOD /path`. */
export function undescribedRoutes({ routes, groups }: Pick<DocumentSource, 'routes' | 'groups'>): string[] {
  const missing = routes.filter((route) => describedBy(groups, route) === undefined)
  return [...new Set(missing.map(({ method, path }) => `${method} ${path}`))]
}

interface Described {
  group: OperationGroup
  described: DescribedOperation
}

function describedBy(groups: readonly OperationGroup[], { method, path }: RegisteredRoute): Described | undefined {
  for (const group of groups) {
    const own = group.operations[`${method} ${path}`] ?? ofAllBelow(group, method, path)
    if (own !== undefined) return { group, described: own }
    const title = group.pages?.[path]
    if (title !== undefined)
      return { group, described: [derivedId(method, path), method === 'POST' ? `${title}: its form` : title] }
  }
  if (method !== 'OPTIONS') return undefined
  const granting = groups.find((group) =>
    Object.keys(group.operations).some((key) => key.endsWith(` ${path}`) || covers(key, path)),
  )
  if (granting === undefined) return undefined
  return {
    group: { ...granting, family: 'document', security: [] },
    described: [derivedId(method, path), `What a page of another origin may send to ${path}`, preflight],
  }
}

const preflight = { answers: { 204: { description: 'Fields of CORS, where the origin is allowed.' } } }

/** A key that ends in `/**`, such as of metadata that each resource has. */
function ofAllBelow(group: OperationGroup, method: string, path: string): DescribedOperation | undefined {
  const key = Object.keys(group.operations).find((one) => one.startsWith(`${method} `) && covers(one, path))
  const found = key === undefined ? undefined : group.operations[key]
  return found && [derivedId(method, path), found[1], found[2] ?? {}]
}

function covers(key: string, path: string): boolean {
  return key.endsWith('/**') && path.startsWith(key.slice(key.indexOf('/'), -2))
}

function undescribed({ method, path }: RegisteredRoute): Described {
  const group: OperationGroup = {
    tag: 'Other',
    description: 'Not described.',
    family: 'api',
    security: [],
    operations: {},
  }
  return { group, described: [derivedId(method, path), `${method} ${path}`] }
}

function securitySchemes({ server, catalogue }: DocumentSource['settings']): Record<string, object> {
  const { baseUrl } = server
  const own = catalogue.permissions.filter(({ resource }) => resource === catalogue.own.id)
  const scopesOf = (kind: 'application' | 'delegated') =>
    Object.fromEntries(own.filter(({ kinds }) => kinds.includes(kind)).map(({ id, describe }) => [id, describe]))
  const standard = {
    openid: 'Who signed in',
    profile: 'Their name',
    email: 'Their address',
    offline_access: 'Refresh tokens',
  }
  const tokenUrl = baseUrl + endpointPaths.token
  const authorizationUrl = baseUrl + endpointPaths.authorize
  return {
    oauth2: {
      type: 'oauth2',
      description: 'An access token for the own API, of an application as itself or for a person.',
      flows: {
        clientCredentials: { tokenUrl, scopes: scopesOf('application') },
        authorizationCode: {
          authorizationUrl,
          tokenUrl,
          refreshUrl: tokenUrl,
          scopes: { ...standard, ...scopesOf('delegated') },
        },
      },
    },
    bearer: { type: 'http', scheme: 'bearer', description: 'An access token for the resource of the route.' },
    client: {
      type: 'http',
      scheme: 'basic',
      description: 'client_id and client_secret; both may stand in the form instead, or a client_assertion.',
    },
    registration: {
      type: 'http',
      scheme: 'bearer',
      description: 'A registration token, then the one of the registration.',
    },
    session: { type: 'apiKey', in: 'cookie', name: '__Host-portcullis-session', description: 'Somebody signed in.' },
  }
}
