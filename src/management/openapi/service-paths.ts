// Which operations of a service's document a route of the gate leads to, and at which path of the gate each of them is.

import type { Steps } from '../../config/reload/steps.js'
import type { RouteSettings } from '../../config/settings/route-settings.js'
import type { UpstreamSettings } from '../../config/settings/upstream-settings.js'
import { compileMatcher, routerPattern } from '../../gateway/routes/matcher.js'
import { forwardedPath } from '../../gateway/routes/prefix.js'
import type { PathNames } from './described-service.js'
import type { ServiceChapter } from './service-chapters.js'

export interface ServiceOperation {
  /** At the gate. */
  path: string
  /** In the service's document. */
  documentedPath: string
  names: PathNames
}

/** Which route of the gate a path belongs to, with its parameters as they are written. */
export type FindRoute = (path: string) => string | undefined

const parameter = /^\{([^{}]+)\}$/

/** For routes of one configuration; the answer is the path of the route. */
export function* routeFinder(routes: readonly RouteSettings[]): Steps<FindRoute> {
  const paths = [...new Set(routes.map(({ path }) => path))]
  const entries = new Map(
    paths.map((path) => {
      const shape = routerPattern(path)
      return [shape, { shape, exact: !/[{*]/.test(path), path }]
    }),
  )
  const { find: match } = yield* compileMatcher([...entries.values()])
  return (path) => match(path)?.path
}

/** What the service says of `method` on a route of one path; undefined: nothing. */
export function operationAt(
  { service, route, upstream }: { service: ServiceChapter; route: RouteSettings; upstream: UpstreamSettings },
  method: string,
): ServiceOperation | undefined {
  const sent = sentPath(route, upstream, route.path).split('/')
  const fitting = service.templates
    .filter((one) => one.method === method && one.segments.length === sent.length)
    .flatMap((one) => {
      const names = namesBetween(sent, one.segments)
      return names === undefined
        ? []
        : [{ one, names, fixed: one.segments.filter((part) => !part.includes('{')).length }]
    })
    .sort((a, b) => b.fixed - a.fixed)
  const [best] = fitting
  return best && { path: route.path, documentedPath: best.one.path, names: best.names }
}

/** What the service says of `method` below a route that ends in `**`, as far as no closer route takes it away. */
export function operationsBelow(
  { service, route, upstream }: { service: ServiceChapter; route: RouteSettings; upstream: UpstreamSettings },
  method: string,
  find: FindRoute,
): ServiceOperation[] {
  const prefix = route.path.replace(/\/\*\*$/, '')
  const sent = sentPath(route, upstream, prefix === '' ? '/' : prefix)
    .replace(/\/$/, '')
    .split('/')
  return service.templates.flatMap(({ method: own, path, segments }): ServiceOperation[] => {
    if (own !== method || segments.length <= sent.length) return []
    const names = namesBetween(sent, segments.slice(0, sent.length))
    if (names === undefined) return []
    const below = segments.slice(sent.length).map((segment) => withOwnNames(segment, names))
    const found = { path: `${prefix}/${below.join('/')}`, documentedPath: path, names }
    return find(found.path) === route.path ? [found] : []
  })
}

/** The names of parameters below, as they are or with a number; adds them to `names`. */
function withOwnNames(segment: string, names: Map<string, string>): string {
  return segment.replace(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const taken = new Set(names.values())
    let own = name
    for (let count = 2; taken.has(own); count++) own = `${name}${count}`
    names.set(name, own)
    return `{${own}}`
  })
}

/** What the service gets for the route's path, parameters as they are written. */
function sentPath({ prefix }: RouteSettings, { targets: [target] }: UpstreamSettings, path: string): string {
  const base = target === undefined || target.kind === 'builtin' ? '' : target.basePath.replace(/(?<!\/)\/+$/, '')
  return base + (prefix === undefined ? path : forwardedPath(prefix, path))
}

/** Undefined: the one is not all of the other. A parameter that stands for one text at the gate has no name there. */
function namesBetween(sent: readonly string[], documented: readonly string[]): Map<string, string> | undefined {
  const names = new Map<string, string>()
  for (const [index, segment] of documented.entries()) {
    const own = sent[index] ?? ''
    const name = parameter.exec(segment)?.[1]
    if (name === undefined && own !== segment) return undefined
    const ownName = parameter.exec(own)?.[1]
    if (name !== undefined && own === '') return undefined
    if (name !== undefined && ownName !== undefined) names.set(name, ownName)
  }
  return names
}
