// The keys of `routes`: `GET /api/v2/me`, `GET,POST /x/{id}`, `/api/v2/assets/**`.

import { didYouMean } from '../report/suggest.js'
import { METHODS } from '../schema/routes/requirements.js'

/** `methods` is empty when the key names none: then `require` must. */
export type RouteKey = { methods: readonly string[]; path: string } | { wrong: string }

/**
 * Reads a key of `routes`. A path is written plainly: no percent-encoding, dot segments, empty segments or trailing
 * slash.
 */
export function parseRouteKey(key: string): RouteKey {
  const space = key.indexOf(' ')
  const methods = space === -1 ? [] : key.slice(0, space).split(',')
  const path = key.slice(space + 1)
  const wrong = wrongMethods(methods) ?? wrongPath(path)
  return wrong === undefined ? { methods, path } : { wrong }
}

/** What two paths have in common when they match exactly the same requests: parameters without their names. */
export function shapeOf(path: string): string {
  return path.replace(/(?<=^|\/)\{[^/]*\}/g, '{}')
}

const LITERAL = /^[A-Za-z0-9._~@$!'+=&-]+$/
const PARAMETER = /^\{[A-Za-z][A-Za-z0-9_]*\}$/

function wrongMethods(methods: readonly string[]): string | undefined {
  if (new Set(methods).size !== methods.length) return 'a route names each method once'
  const unknown = methods.find((method) => !METHODS.some((known) => known === method))
  if (unknown === undefined) return undefined
  if (unknown === 'HEAD') return 'HEAD follows GET; name GET'
  if (unknown === 'OPTIONS') return 'OPTIONS is answered by the gateway; it cannot be routed'
  const expected = `a route begins with ${METHODS.join(', ')} (several with commas, no spaces), or with its path`
  return `${expected}; not ${JSON.stringify(unknown)}${didYouMean(unknown, METHODS)}`
}

function wrongPath(path: string): string | undefined {
  if (!path.startsWith('/')) return 'the path of a route begins with a slash, after one space'
  if (path === '/') return undefined
  const segments = path.slice(1).split('/')
  const names = segments.filter((segment) => segment.startsWith('{'))
  if (new Set(names).size !== names.length) return 'a path names each parameter once'
  for (const [index, segment] of segments.entries()) {
    if (segment === '') return 'a path has no empty segment and no slash at its end'
    if (segment === '.' || segment === '..') return 'a path has no dot segments: no request that is routed has any'
    if (segment === '**' && index < segments.length - 1) return '** stands at the end of a path only'
    if (segment === '**' || PARAMETER.test(segment)) continue
    if (segment.includes('*')) return 'a wildcard is a whole last segment: /**'
    if (/[{}]/.test(segment)) return 'a parameter is a whole segment: /{name}'
    if (!LITERAL.test(segment)) return `${JSON.stringify(segment)} holds a character that a path cannot have here`
  }
  return undefined
}
