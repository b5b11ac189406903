// The compiled route table: what the configuration says about every path, in the form in which a request asks. Immutable:
// a reload builds a new one and swaps the reference, and requests under way finish on the one that they began with.

import Router, { type HTTPVersion, type Instance } from 'find-my-way'
import { type CompiledRequirement, compileRequirement } from '../../access/decide.js'
import type { RouteSettings, Settings } from '../../config/settings.js'
import { canonicalTarget } from '../../http/canonical-target.js'
import type { Metrics } from '../../http/metrics.js'
import type { Upstream } from '../forward/upstreams.js'

/** What one method of one path needs and where it goes. */
export interface RoutePlan {
  /** The route's id: the label in metrics and logs, the key of its limits. */
  id: string
  requirement: CompiledRequirement | 'public'
  resource: string
  /** Always the same array, so that the limiter compiles it once. */
  limits: readonly string[]
  bodyBytes: number
  onStale: 'refuse' | 'pass'
  upstream: Upstream
  /** Plans of one upstream with one requirement share an assertion, and so share this object. */
  assertionSlot: object
  countGranted: () => void
  observeOverhead: (seconds: number) => void
}

export interface RouteEntry {
  plans: ReadonlyMap<string, RoutePlan>
  /** The Allow header field. */
  allow: string
  /** No parameter and no rest: the path is matched letter by letter. */
  exact: boolean
  shape: string
}

export interface RouteSnapshot {
  /** The entry of a canonical path; undefined is a 404. */
  find(path: string): RouteEntry | undefined
}

export interface SnapshotOptions {
  settings: Pick<Settings, 'catalogue' | 'routes'>
  upstreams: ReadonlyMap<string, Upstream>
  metrics: Metrics
}

type MutableEntry = RouteEntry & { plans: Map<string, RoutePlan> }

/** Compiles every route. Throws Error on a route that requires nothing, names no upstream, or is not in canonical form. */
export function compileRoutes(options: SnapshotOptions): RouteSnapshot {
  const entries = new Map<string, MutableEntry>()
  const slots = new Map<string, object>()
  for (const route of options.settings.routes) addRoute(route, entries, slots, options)
  for (const entry of entries.values()) entry.allow = allowField(entry.plans)
  const all = [...entries.values()]
  const exact = new Map(all.filter((entry) => entry.exact).map((entry) => [decodedShape(entry), entry]))
  const router = routerOf(all, true)
  const loose = routerOf(all, false)
  const hasNeighbours = new Set<RouteEntry>(all.filter((entry) => all.some((other) => overlaps(entry, other))))
  return {
    find(path) {
      const found = exact.get(path) ?? lookUp(router, path)
      if (found === undefined || found.exact || !hasNeighbours.has(found)) return found
      // A server that does not tell letters' case apart would serve the guarded neighbour under another spelling of it.
      const neighbour = lookUp(loose, path)
      return neighbour === undefined || neighbour.shape.toLowerCase() === found.shape.toLowerCase() ? found : undefined
    },
  }
}

function addRoute(
  route: RouteSettings,
  entries: Map<string, MutableEntry>,
  slots: Map<string, object>,
  options: SnapshotOptions,
): void {
  const shape = routerPattern(route.path)
  const upstream = options.upstreams.get(route.upstream)
  if (upstream === undefined) throw new Error(`route ${route.id}: there is no upstream ${route.upstream}`)
  if (route.methods.size === 0) throw new Error(`route ${route.id}: no method says what it requires`)
  const exact = !shape.includes('/:p') && !shape.endsWith('*')
  const entry = entries.get(shape) ?? { plans: new Map(), allow: '', exact, shape }
  entries.set(shape, entry)
  for (const [method, requirement] of route.methods) {
    if (entry.plans.has(method)) throw new Error(`route ${route.id}: ${method} is declared twice`)
    const key = `${upstream.name}\n${JSON.stringify(requirement)}\n${route.resource}`
    const assertionSlot = slots.get(key) ?? {}
    slots.set(key, assertionSlot)
    const { catalogue } = options.settings
    const compiled = requirement === 'public' ? requirement : compileRequirement(catalogue, route.resource, requirement)
    entry.plans.set(method, planOf(route, { requirement: compiled, upstream, assertionSlot }, options.metrics))
  }
}

function planOf(
  route: RouteSettings,
  parts: Pick<RoutePlan, 'requirement' | 'upstream' | 'assertionSlot'>,
  metrics: Metrics,
): RoutePlan {
  const granted = metrics.authDecisions.labels(
    route.id,
    'allowed',
    parts.requirement === 'public' ? 'public' : 'granted',
  )
  const overhead = metrics.overhead.labels(route.id)
  return {
    id: route.id,
    resource: route.resource,
    limits: route.limits,
    bodyBytes: route.bodyBytes,
    onStale: route.onStale,
    ...parts,
    countGranted: () => granted.inc(),
    observeOverhead: (seconds) => overhead.observe(seconds),
  }
}

/** HEAD follows GET (RFC 9110 §9.3.2); OPTIONS is always answered. */
function allowField(plans: Map<string, RoutePlan>): string {
  const get = plans.get('GET')
  if (get !== undefined && !plans.has('HEAD')) plans.set('HEAD', get)
  return [...new Set([...plans.keys(), 'OPTIONS'])].join(', ')
}

/** `/a/{id}/**` in the router's words. Parameter names do not count: two routes of one shape are one entry. */
function routerPattern(path: string): string {
  const rest = path.endsWith('/**')
  const fixed = rest ? path.slice(0, -3) : path
  let parameters = 0
  const segments = fixed.split('/').map((segment) => {
    if (/^\{[^{}]+\}$/.test(segment)) return `:p${parameters++}`
    if (/[{}*]/.test(segment)) throw new Error(`route path ${path}: a parameter or ** is a whole segment`)
    return segment.replaceAll(':', '::')
  })
  const plain = fixed.replace(/\{[^{}]+\}/g, 'p')
  const canonical = canonicalTarget(plain === '' ? '/' : plain)
  if (!canonical.ok || canonical.path !== (plain === '' ? '/' : plain)) {
    throw new Error(`route path ${path} is not in canonical form`)
  }
  // The router compares decoded paths.
  return decodeURI(segments.join('/')) + (rest ? '/*' : '')
}

/** The path of an entry without parameters; the router's doubled colons are its own. */
function decodedShape(entry: RouteEntry): string {
  return entry.shape.replaceAll('::', ':')
}

/** Whether a path of `entry` could be a path of `other` in other letters. */
function overlaps(entry: RouteEntry, other: RouteEntry): boolean {
  if (entry === other) return false
  const mine = entry.shape.split('/')
  const theirs = other.shape.split('/')
  const length = Math.max(mine.length, theirs.length)
  for (let i = 0; i < length; i++) {
    const [a, b] = [mine[i], theirs[i]]
    if (a === '*' || b === '*') return true
    if (a === undefined || b === undefined) return false
    if (!a.startsWith(':p') && !b.startsWith(':p') && a.toLowerCase() !== b.toLowerCase()) return false
  }
  return true
}

function routerOf(entries: readonly RouteEntry[], caseSensitive: boolean): Instance<HTTPVersion.V1> {
  const router = Router({
    caseSensitive,
    maxParamLength: 65_536,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
  })
  const seen = new Set<string>()
  for (const entry of entries) {
    const key = caseSensitive ? entry.shape : entry.shape.toLowerCase()
    if (seen.has(key)) continue
    seen.add(key)
    router.on('GET', entry.shape === '' ? '/' : entry.shape, () => undefined, entry)
  }
  return router
}

function lookUp(router: Instance<HTTPVersion.V1>, path: string): RouteEntry | undefined {
  return router.find('GET', path)?.store ?? undefined
}
