// `validate` of a route: its upstream must have a document, and what that document does not describe is refused. Where
// a route has one path only, that can be said before any request.

import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { RouteSettings } from '../settings/route-settings.js'
import type { UpstreamSettings } from '../settings/upstream-settings.js'

interface ValidatedRoute {
  route: Pick<RouteSettings, 'methods' | 'prefix'> & { path: string }
  upstream: UpstreamSettings | undefined
  /** Of the route in the file. */
  path: Path
  report: Report
}

/** What requests of the route are compared with. Mistakes go to the report. */
export function descriptionFor({ route, upstream, path, report }: ValidatedRoute): Pick<RouteSettings, 'description'> {
  // An upstream that is not there was reported already.
  if (upstream === undefined) return {}
  const at = [...path, 'validate']
  const { description, targets } = upstream
  if (description === undefined) {
    const itself = ['upstreams', upstream.name, 'openapi']
    if (!report.isBroken(itself)) report.problem(at, `needs the document of the upstream: ${itself.join('.')}`, 'key')
    return {}
  }
  const [target] = targets
  const base = target === undefined || target.kind === 'builtin' ? '' : target.basePath.replace(/(?<!\/)\/+$/, '')
  if (!/[{*]/.test(route.path)) {
    const sent = base + sentPath(route)
    for (const method of route.methods.keys()) {
      if (description.find(method, sent) !== undefined) continue
      report.problem(at, `the document describes no ${method} ${sent}, which the upstream would get`, 'key')
    }
  }
  return { description }
}

function sentPath({ path, prefix }: ValidatedRoute['route']): string {
  if (prefix === undefined) return path
  const rest = path.slice(prefix.from === '/' ? 0 : prefix.from.length)
  return `${prefix.to === '/' ? '' : prefix.to}${rest}` || '/'
}
