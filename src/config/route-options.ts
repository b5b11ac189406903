// What a route says beyond who may call it and where it leads: read, checked, and left out where it says nothing.

import type { Path } from './places.js'
import type { Report } from './report.js'
import type { RouteOptions } from './route-settings.js'
import type { ConfigurationFile } from './schema/file.js'

type RouteOfFile = Partial<ConfigurationFile['routes'][string]>

/** The options of the route at `path`. Mistakes go to the report. */
export function routeOptionsOf(entry: RouteOfFile, path: Path, report: Report): RouteOptions {
  return {
    ...shadowOf(entry, path, report),
    ...(entry.cost === undefined ? {} : { cost: entry.cost }),
  }
}

function shadowOf(entry: RouteOfFile, path: Path, report: Report): Pick<RouteOptions, 'shadow'> {
  if (entry.shadow !== true) return {}
  const at = [...path, 'shadow']
  if (entry.public === true) report.problem(at, 'means nothing on a public route: it asks for no permission', 'key')
  else report.warning(at, 'this route is open: its permissions are not enforced, only counted and logged')
  return { shadow: true }
}
