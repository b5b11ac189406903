// The routes of the gate in the document, as the configuration has them: what they need is told, and of what stands
// behind them what the service's own document says. Those that lead to the bundled resource service are described by it.

import type { Steps } from '../../config/reload/steps.js'
import type { RouteRequirement, RouteSettings } from '../../config/settings/route-settings.js'
import type { Settings } from '../../config/settings/settings.js'
import type { DescribedOperation, OperationGroup } from '../../http/described-operations.js'
import type { PublishedOperation } from '../../openapi/published/publication.js'
import type { PathNames } from './described-service.js'
import type { ApiOperation } from './document-types.js'
import { derivedId } from './operation.js'
import type { RegisteredRoute } from './registered.js'
import type { Services } from './service-chapters.js'
import { operationAt, operationsBelow, routeFinder } from './service-paths.js'

/** What the gate itself refuses on a route with a body and without. */
const gateRefusals = [401, 403, 404, 405, 411, 413, 502, 504]
/** What OpenAPI 3.1 has a place for; HEAD follows GET. */
const methods = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH'])

/** The chapter of routes whose service has no document for the reader. */
export const passedOn: OperationGroup = {
  tag: 'Services behind the gate',
  description: 'Routes that the configuration has. The gate decides; what else is answered, the service says.',
  family: 'api',
  security: [],
  operations: {},
}

export interface ProxiedOperation {
  route: Omit<RegisteredRoute, 'url'>
  /** As the configuration has it. */
  settings: RouteSettings
  group: OperationGroup
  described: DescribedOperation
  /** What the service says of it. */
  said: { documented: PublishedOperation; names: PathNames } | undefined
  /** What the configuration adds to the written operation. */
  needs: Pick<ApiOperation, 'security' | 'x-permissions' | 'x-resource' | 'x-end' | 'deprecated'>
}

/**
 * An operation for each method of each configured route, and for each operation of a service below one that ends in
 * `**`. `bundled` describes those of the bundled service. A step is a route.
 */
export function* proxiedOperations(
  settings: Pick<Settings, 'routes' | 'upstreams' | 'catalogue'>,
  { bundled, services }: { bundled: OperationGroup; services: Pick<Services, 'of'> },
): Steps<ProxiedOperation[]> {
  const { routes, upstreams, catalogue } = settings
  const find = yield* routeFinder(routes)
  const operationsOf = (route: RouteSettings) => {
    const upstream = upstreams.get(route.upstream)
    const isBundled = upstream?.targets[0]?.kind === 'builtin'
    const service = services.of(route.upstream)
    return [...route.methods].flatMap(([method, requirement]): ProxiedOperation[] => {
      if (!methods.has(method)) return []
      const needs = { ...needsOf(requirement, route, catalogue.own.id), ...endOf(route) }
      const write = (path: string, more: Pick<ProxiedOperation, 'group' | 'described' | 'said'>) => ({
        route: { method, path, access: undefined, body: undefined, query: undefined, answers: {} },
        settings: route,
        needs,
        ...more,
      })
      const path = route.path.replace(/\*\*$/, '{rest}')
      const known = isBundled ? bundled.operations[`${method} ${path}`] : undefined
      if (known !== undefined) return [write(path, { group: bundled, described: withGate(known), said: undefined })]
      const plain = (at: string, group: OperationGroup) => ({
        group,
        described: undocumented(method, at),
        said: undefined,
      })
      if (service === undefined || upstream === undefined) return [write(path, plain(route.path, passedOn))]
      const about = { service, route, upstream }
      const isOpen = route.path.endsWith('**')
      const found = isOpen ? operationsBelow(about, method, find) : [operationAt(about, method) ?? []].flat()
      const documented = found.flatMap(({ path: at, documentedPath, names }) => {
        const operation = service.service.operation(method, documentedPath)
        if (operation === undefined) return []
        return [write(at, { ...plain(at, service.group), said: { documented: operation, names } })]
      })
      // Below it there may be more; with `validate` only what is documented gets through.
      const hasRest = documented.length === 0 || (isOpen && route.description === undefined)
      return [...documented, ...(hasRest ? [write(path, plain(route.path, service.group))] : [])]
    })
  }
  const operations: ProxiedOperation[] = []
  for (const route of routes) {
    operations.push(...operationsOf(route))
    yield
  }
  return operations
}

function undocumented(method: string, path: string): DescribedOperation {
  return withGate([derivedId(method, path), `${method} ${path}`, unknownAnswer])
}

const unknownAnswer = { answers: { 200: { description: 'What the service answers.', type: '*/*' } } }

function withGate([id, summary, more = {}]: DescribedOperation): DescribedOperation {
  return [id, summary, { ...more, refusals: [...(more.refusals ?? []), ...gateRefusals] }]
}

/** RFC 9745; a route that only has a day on which it ends is not deprecated yet. */
function endOf({ deprecatedAt, sunsetAt, link }: RouteSettings): Pick<ApiOperation, 'deprecated' | 'x-end'> {
  const end = {
    ...(deprecatedAt === undefined ? {} : { deprecated: dayOf(deprecatedAt) }),
    ...(sunsetAt === undefined ? {} : { sunset: dayOf(sunsetAt) }),
    ...(link === undefined ? {} : { link }),
  }
  return {
    ...(deprecatedAt === undefined ? {} : { deprecated: true }),
    ...(Object.keys(end).length === 0 ? {} : { 'x-end': end }),
  }
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

function needsOf(
  requirement: RouteRequirement | 'public',
  route: RouteSettings,
  own: string,
): ProxiedOperation['needs'] {
  if (requirement === 'public') return { security: [] }
  const isOwn = route.resource === own
  return {
    security: requirement.anyOf.map((all) => ({ [isOwn ? 'oauth2' : 'bearer']: all })),
    'x-permissions': requirement.anyOf,
    ...(isOwn ? {} : { 'x-resource': route.resource }),
  }
}
