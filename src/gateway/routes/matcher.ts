// Which entry of the route table a canonical path belongs to. Plain text wins before a parameter, a parameter before
// `**`; a path without parameters costs one look-up in a map.

import Router, { type HTTPVersion, type Instance } from 'find-my-way'
import type { Steps } from '../../config/reload/steps.js'
import { canonicalTarget } from '../../http/requests/canonical-target.js'
import { looseReadings } from './loose-reading.js'
import { withNeighbours } from './neighbours.js'

/** What is matched: its pattern, in the router's words (routerPattern). */
export interface Matchable {
  /** No parameter and no rest: the path is matched letter by letter. */
  exact: boolean
  shape: string
}

/** How paths are read. */
export interface Matcher<T> {
  /** The entry of a canonical path; undefined is a 404. */
  find(path: string): T | undefined
  /**
   * The entries that a server could serve which tells neither letters' case apart nor a slash, dots or blanks at the
   * end of a segment.
   */
  mayBeRead(path: string): readonly T[]
}

/** Compiles the entries, of which each has another shape: a step for each. */
export function* compileMatcher<T extends Matchable>(all: readonly T[]): Steps<Matcher<T>> {
  const exact = new Map<string, T>()
  for (const entry of all) if (entry.exact) exact.set(decodedShape(entry), entry)
  yield
  const router = yield* routerOf(all, true)
  const loose = yield* routerOf(all, false)
  const hasNeighbours = yield* withNeighbours(all)
  const find = strictly({ exact, router, loose, hasNeighbours })
  return { find, mayBeRead: (path) => loosely(loose, path) }
}

function strictly<T extends Matchable>(table: {
  exact: ReadonlyMap<string, T>
  router: Instance<HTTPVersion.V1>
  loose: Instance<HTTPVersion.V1>
  hasNeighbours: ReadonlySet<T>
}): (path: string) => T | undefined {
  const { exact, router, loose, hasNeighbours } = table
  return (path) => {
    const found = exact.get(path) ?? lookUp<T>(router, path)
    if (found === undefined || found.exact) return found
    const readings = looseReadings(path)
    if (readings === undefined) return undefined
    if (readings.length === 1 && !hasNeighbours.has(found)) return found
    return readings.some((read) => isAnothers(loose, read, found)) ? undefined : found
  }
}

/** Whether a server that reads a path so could serve a guarded neighbour of the route that was found for it. */
function isAnothers<T extends Matchable>(loose: Instance<HTTPVersion.V1>, read: string, found: T): boolean {
  // One that does not tell letters' case apart would serve it under another spelling of it.
  const neighbour = lookUp<T>(loose, read)
  if (neighbour !== undefined && neighbour.shape.toLowerCase() !== found.shape.toLowerCase()) return true
  const isGuarded = (as: string) => {
    const twin = lookUp<T>(loose, as)
    return twin !== undefined && isTighter(twin.shape, found.shape)
  }
  // Nor does many a server see a slash at the end: it would serve the neighbour that is told from this one by that
  // alone.
  if (isGuarded(withOtherEnd(read))) return true
  // Nor does one on some file systems see dots and spaces at the end of a name.
  const bare = read.split('/').map(withoutUnseenEnd).join('/')
  return bare !== read && (isGuarded(bare) || isGuarded(withOtherEnd(bare)))
}

function loosely<T extends Matchable>(router: Instance<HTTPVersion.V1>, path: string): readonly T[] {
  const found: T[] = []
  for (const read of looseReadings(path) ?? [path]) {
    const bare = read.split('/').map(withoutUnseenEnd).join('/')
    for (const as of [read, withOtherEnd(read), bare, withOtherEnd(bare)]) {
      const entry = lookUp<T>(router, as)
      if (entry !== undefined) found.push(entry)
    }
  }
  return found
}

/** Without the dots and blanks that some file systems do not see at the end of a name; linear in its length. */
function withoutUnseenEnd(segment: string): string {
  let end = segment.length
  for (;;) {
    if (segment.endsWith('.', end)) end -= 1
    else if (segment.endsWith('%20', end)) end -= 3
    else return segment.slice(0, end)
  }
}

function withOtherEnd(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`
}

/** `/a/{id}/**` in the router's words. Parameter names do not count: two routes of one shape are one entry. */
export function routerPattern(path: string): string {
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

/** Whether the pattern would win over the other, as it stands at the top: plain text, a parameter, `**`. */
function isTighter(pattern: string, than: string): boolean {
  const others = than.toLowerCase().split('/')
  const segments = pattern.toLowerCase().split('/')
  const at = segments.findIndex((segment, i) => segment !== others[i])
  if (at === -1) return segments.length < others.length
  return rank(segments[at]) > rank(others[at])
}

/** The end of a pattern says more than any rest. */
function rank(segment: string | undefined): number {
  if (segment === undefined) return 3
  if (segment === '*') return 0
  return segment.startsWith(':p') ? 1 : 2
}

/** The path of an entry without parameters; the router's doubled colons are its own. */
function decodedShape(entry: Matchable): string {
  return entry.shape.replaceAll('::', ':')
}

function* routerOf(entries: readonly Matchable[], caseSensitive: boolean): Steps<Instance<HTTPVersion.V1>> {
  const router = Router({
    caseSensitive,
    maxParamLength: 65_536,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
  })
  const known = new Set<string>()
  for (const entry of entries) {
    const key = caseSensitive ? entry.shape : entry.shape.toLowerCase()
    if (known.has(key)) continue
    yield
    known.add(key)
    router.on('GET', entry.shape === '' ? '/' : withLastSegment(entry.shape), () => undefined, entry)
  }
  return router
}

/** A parameter is some segment: with nothing behind the last slash the path is another one. */
function withLastSegment(shape: string): string {
  return shape.replace(/:p\d+$/, '$&(^.+$$)')
}

function lookUp<T extends Matchable>(router: Instance<HTTPVersion.V1>, path: string): T | undefined {
  return (router.find('GET', path)?.store as T | null | undefined) ?? undefined
}
