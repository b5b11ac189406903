// Cross-origin rules of routes, and the default ones.

import { quantity } from '../process/units.js'
import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { CorsSettings } from '../settings/route-settings.js'

export type CorsOfFile = Partial<NonNullable<ConfigurationFile['routes'][string]['cors']>>

/** Reads one `cors`, at `path` of the file. Undefined when no page of another origin may call. */
export function corsOf(entry: CorsOfFile | undefined, path: Path, report: Report): CorsSettings | undefined {
  if (entry === undefined) return undefined
  const origins: readonly string[] = entry.origins ?? []
  for (const [index, origin] of origins.entries()) {
    const wrong = whyNotOrigin(origin, origins)
    if (wrong !== undefined) report.problem([...path, 'origins', index], wrong)
  }
  const { methods, headers = [], expose = [] } = entry
  for (const [index, name] of headers.entries()) {
    const wrong = name.toLowerCase() === 'cookie' ? 'pages of other origins call without cookies' : undefined
    if (wrong !== undefined) report.problem([...path, 'headers', index], wrong)
  }
  if (origins.length === 0) return undefined
  const maxAgeSeconds = Math.floor(quantity.milliseconds(entry.maxAge ?? '10min') / 1000)
  return { origins, ...(methods === undefined ? {} : { methods }), headers, expose, maxAgeSeconds }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Fetch §3.2: an origin is compared letter by letter, so only its one spelling will do. */
function whyNotOrigin(origin: string, all: readonly string[]): string | undefined {
  if (origin === '*') return all.length > 1 ? '* stands alone: it is every origin' : undefined
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return 'must be an origin, such as https://portal.example.com, or *'
  }
  if (url.origin !== origin) return `must be written as browsers send it: ${url.origin}`
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname)) return 'must be https, except on this machine'
  return undefined
}
