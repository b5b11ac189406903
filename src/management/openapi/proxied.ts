// The routes of the gate in the document, as the configuration has them: what they need is told, what stands behind
// them is not. Those that lead to the bundled resource service are described by it.

import type { RouteRequirement, RouteSettings } from '../../config/settings/route-settings.js'
import type { Settings } from '../../config/settings/settings.js'
import type { DescribedOperation, OperationGroup } from '../../http/described-operations.js'
import type { ApiOperation } from './document-types.js'
import { derivedId } from './operation.js'
import type { RegisteredRoute } from './registered.js'

/** What the gate itself refuses on a route with a body and without. */
const gateRefusals = [401, 403, 404, 405, 411, 413, 502, 504]
/** What OpenAPI 3.1 has a place for; HEAD follows GET. */
const methods = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH'])

const passedOn: OperationGroup = {
  tag: 'Services behind the gate',
  description: 'Routes that the configuration has. The gate decides; what else is answered, the service says.',
  family: 'api',
  security: [],
  operations: {},
}

export interface ProxiedOperation {
  route: Omit<RegisteredRoute, 'url'>
  group: OperationGroup
  described: DescribedOperation
  /** What the configuration adds to the written operation. */
  needs: Pick<ApiOperation, 'security' | 'x-permissions' | 'deprecated'>
}

/** An operation for each method of each configured route. `bundled` describes those of the bundled service. */
export function proxiedOperations(
  { routes, upstreams, catalogue }: Pick<Settings, 'routes' | 'upstreams' | 'catalogue'>,
  bundled: OperationGroup,
): ProxiedOperation[] {
  return routes.flatMap((route) => {
    const path = route.path.replace(/\*\*$/, '{rest}')
    const isBundled = upstreams.get(route.upstream)?.targets[0]?.kind === 'builtin'
    return [...route.methods].flatMap(([method, requirement]): ProxiedOperation[] => {
      if (!methods.has(method)) return []
      const known = isBundled ? bundled.operations[`${method} ${path}`] : undefined
      return [
        {
          route: { method, path, access: undefined, body: undefined, query: undefined, answers: {} },
          group: known === undefined ? passedOn : bundled,
          described: withGate(known ?? [derivedId(method, path), `${method} ${route.path}`, unknownAnswer]),
          needs: { ...needsOf(requirement, route, catalogue.own.id), ...endOf(route) },
        },
      ]
    })
  })
}

const unknownAnswer = { answers: { 200: { description: 'What the service answers.', type: '*/*' } } }

function withGate([id, summary, more = {}]: DescribedOperation): DescribedOperation {
  return [id, summary, { ...more, refusals: [...(more.refusals ?? []), ...gateRefusals] }]
}

/** RFC 9745; a route that only has a day on which it ends is not deprecated yet. */
function endOf({ deprecatedAt }: RouteSettings): { deprecated?: true } {
  return deprecatedAt === undefined ? {} : { deprecated: true }
}

function needsOf(
  requirement: RouteRequirement | 'public',
  route: RouteSettings,
  own: string,
): ProxiedOperation['needs'] {
  if (requirement === 'public') return { security: [] }
  const scheme = route.resource === own ? 'oauth2' : 'bearer'
  return { security: requirement.anyOf.map((all) => ({ [scheme]: all })), 'x-permissions': requirement.anyOf }
}
