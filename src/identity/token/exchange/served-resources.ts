// Which resources an application serves, by the configuration, and under which names the gate knows the services that
// their routes lead to: an assertion names such a service.

import type { Settings } from '../../../config/settings/settings.js'

/** The upstreams of each resource. */
type Served = ReadonlyMap<string, ReadonlySet<string>>

type Rules = Pick<Settings, 'catalogue' | 'routes'>

/** By the list of routes, which a reload replaces. */
const upstreamsOf = new WeakMap<Rules['routes'], Served>()

/** The resources whose tokens this application may exchange, each with the names of its upstreams. */
export function servedBy({ catalogue, routes }: Rules, applicationId: string): Served {
  const known = upstreamsOf.get(routes) ?? byResource(routes)
  upstreamsOf.set(routes, known)
  const own = [...catalogue.resources.values()].filter(({ exchange }) => exchange?.applications.includes(applicationId))
  return new Map(own.map(({ id }) => [id, known.get(id) ?? new Set()]))
}

/** Whether the resource is among them, and has a route to that upstream. */
export function isServedAt(served: Served, resource: string, upstream: string): boolean {
  return served.get(resource)?.has(upstream) === true
}

function byResource(routes: Rules['routes']): Served {
  const all = new Map<string, Set<string>>()
  for (const { resource, upstream } of routes) all.set(resource, (all.get(resource) ?? new Set()).add(upstream))
  return all
}
