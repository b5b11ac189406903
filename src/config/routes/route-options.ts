// What a route says beyond who may call it and where it leads: read, checked, and left out where it says nothing.

import { quantity } from '../process/units.js'
import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import { didYouMean } from '../report/suggest.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { CorsSettings, RouteOptions } from '../settings/route-settings.js'
import { corsOf } from './cors.js'

type RouteOfFile = Partial<ConfigurationFile['routes'][string]>

interface Route {
  entry: RouteOfFile
  /** Undefined when the key of the route could not be read. */
  routePath: string | undefined
  path: Path
  report: Report
  defaultCors: CorsSettings | undefined
  /** Whether there is a host without sign-in and portal. */
  hasApiHosts: boolean
}

/** The options of the route at `path` of the file. Mistakes go to the report. */
export function routeOptionsOf(route: Route): RouteOptions {
  const { cost, applications, identity } = route.entry
  const cors =
    route.entry.cors === undefined ? route.defaultCors : corsOf(route.entry.cors, [...route.path, 'cors'], route.report)
  checkCallers(route)
  return {
    ...shadowOf(route),
    ...(cost === undefined ? {} : { cost }),
    ...tenantOf(route),
    ...(applications === undefined ? {} : { applications }),
    ...timesOf(route.entry),
    ...prefixOf(route),
    ...(cors === undefined ? {} : { cors }),
    ...endOf(route),
    ...(identity === undefined ? {} : { identity }),
    ...(route.entry.encodedSlashes === true ? { encodedSlashes: true as const } : {}),
    ...fieldsOf(route),
    ...pagesOf(route),
  }
}

function shadowOf({ entry, path, report }: Route): Pick<RouteOptions, 'shadow'> {
  if (entry.shadow !== true) return {}
  const at = [...path, 'shadow']
  if (entry.public === true) report.problem(at, 'means nothing on a public route: it asks for no permission', 'key')
  else report.warning(at, 'this route is open: its permissions are not enforced, only counted and logged')
  return { shadow: true }
}

/** On an origin with sign-in and portal, a script of somebody else's could do whatever the person can. */
function pagesOf({ entry, path, report, hasApiHosts }: Route): Pick<RouteOptions, 'pages'> {
  if (entry.pages !== true) return {}
  if (!hasApiHosts) {
    report.problem([...path, 'pages'], 'needs an origin of its own: name a host in server.apiHosts', 'key')
  }
  return { pages: true }
}

/** What judges a caller needs one. */
function checkCallers({ entry, path, report }: Route): void {
  if (entry.public !== true) return
  for (const name of ['tenant', 'applications', 'issuers'] as const) {
    if (entry[name] === undefined) continue
    report.problem([...path, name], 'means nothing on a public route: nobody says who calls', 'key')
  }
}

function tenantOf({ entry, routePath, path, report }: Route): Pick<RouteOptions, 'tenant'> {
  const { tenant } = entry
  if (tenant === undefined || routePath === undefined) return {}
  const parameters = routePath.split('/').flatMap((segment) => /^\{(.*)\}$/.exec(segment)?.[1] ?? [])
  if (!parameters.includes(tenant)) {
    const hint = didYouMean(report.places.shownText([...path, 'tenant']), parameters)
    report.problem([...path, 'tenant'], `is not a {parameter} of the path of this route${hint}`)
  }
  return { tenant }
}

function timesOf({ timeouts }: RouteOfFile): Pick<RouteOptions, 'headersMs' | 'idleMs'> {
  return {
    ...(timeouts?.headers === undefined ? {} : { headersMs: quantity.milliseconds(timeouts.headers) }),
    ...(timeouts?.idle === undefined ? {} : { idleMs: quantity.milliseconds(timeouts.idle) }),
  }
}

function endOf({ entry, path, report }: Route): Pick<RouteOptions, 'deprecatedAt' | 'sunsetAt' | 'link'> {
  const deprecatedAt = dayOf(entry.deprecated, [...path, 'deprecated'], report)
  const sunsetAt = dayOf(entry.sunset, [...path, 'sunset'], report)
  const { link } = entry
  if (deprecatedAt !== undefined && sunsetAt !== undefined && sunsetAt < deprecatedAt) {
    report.problem([...path, 'sunset'], 'is before the route is deprecated')
  }
  if (link !== undefined && !(URL.canParse(link) && /^https:[^\s<>"]+$/.test(link))) {
    report.problem([...path, 'link'], 'must be an https URL')
  }
  if (link !== undefined && entry.deprecated === undefined && entry.sunset === undefined) {
    report.problem([...path, 'link'], 'explains an end; the route is neither deprecated nor has it a sunset', 'key')
  }
  return {
    ...(deprecatedAt === undefined ? {} : { deprecatedAt }),
    ...(sunsetAt === undefined ? {} : { sunsetAt }),
    ...(link === undefined ? {} : { link }),
  }
}

/** What the gate decides by or says itself never crosses, so a list with it would promise what is not kept. */
const NEVER_IN_REQUESTS = /^(authorization|proxy-.*|host|connection|forwarded|via|x-forwarded-.*|x-portcullis-.*)$/
const NEVER_IN_ANSWERS =
  /^(access-control-.*|connection|strict-transport-security|content-security-policy|server|via|clear-site-data|alt-svc|set-cookie)$/

function fieldsOf({
  entry,
  path,
  report,
}: Route): Partial<Pick<RouteOptions, 'requestHeaders' | 'responseHeaders' | 'allowResponseHeaders' | 'cacheControl'>> {
  const listOf = (name: 'requestHeaders' | 'responseHeaders' | 'allowResponseHeaders', never: RegExp) => {
    const list: readonly string[] | undefined = entry[name]
    for (const [index, field] of (list ?? []).entries()) {
      if (never.test(field.toLowerCase())) report.problem([...path, name, index], 'never crosses the gate')
    }
    return list === undefined ? {} : { [name]: list.map((field) => field.toLowerCase()) }
  }
  const { cacheControl } = entry
  if (cacheControl !== undefined && entry.public !== true && /(^|, )(public|s-maxage=)/.test(cacheControl)) {
    report.problem(
      [...path, 'cacheControl'],
      'lets others have what was answered to one token; only a public route may',
    )
  }
  return {
    ...listOf('requestHeaders', NEVER_IN_REQUESTS),
    ...listOf('responseHeaders', NEVER_IN_ANSWERS),
    ...listOf('allowResponseHeaders', NEVER_IN_ANSWERS),
    ...(cacheControl === undefined ? {} : { cacheControl }),
  }
}

/** Its first second, UTC. */
function dayOf(day: string | undefined, path: Path, report: Report): number | undefined {
  if (day === undefined) return undefined
  const ms = Date.parse(`${day}T00:00:00Z`)
  // 31 February would be a day in March.
  if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)) return ms / 1000
  report.problem(path, 'is no day of the calendar')
  return undefined
}

function prefixOf({ entry, routePath, path, report }: Route): Pick<RouteOptions, 'prefix'> {
  const { strip, rewrite } = entry
  if (strip !== undefined && rewrite !== undefined) {
    report.problem([...path, 'strip'], 'says the same as rewrite, to /; a route has one of them', 'key')
  }
  const from: string | undefined = strip ?? rewrite?.from
  if (from === undefined) return {}
  const at = strip === undefined ? [...path, 'rewrite', 'from'] : [...path, 'strip']
  const isBeginning = from === '/' || routePath === from || routePath?.startsWith(`${from}/`)
  if (routePath !== undefined && !isBeginning) report.problem(at, 'is not what the path of this route begins with')
  if (from === '/' && strip !== undefined) report.problem(at, 'takes nothing away')
  return { prefix: { from, to: rewrite?.to ?? '/' } }
}
