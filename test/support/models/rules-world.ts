// Configurations at random, and calls at random that concern them: for the test that what is said of a change is what
// happens.

import fc from 'fast-check'
import type { RouteRequirement, RouteSettings } from '../../../src/config/settings/route-settings.js'
import { otherResource, ownResource } from '../rooms/directory.js'

/** Of the test catalogue: for both kinds, for people only, and of the other API. */
const ownIds = [
  'User.Read.All',
  'User.ReadWrite.All',
  'assets_read',
  'assets_create',
  'User.Read',
  'Application.Read.All',
]
const otherIds = ['things_read']
const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** Few texts, so that routes overlap; one in two spellings. */
const text = fc.constantFrom('a', 'a', 'b', 'b', 'c', 'A')
const segment = fc.oneof({ arbitrary: text, weight: 3 }, { arbitrary: fc.constant('{}'), weight: 2 })
const path = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 3 }), fc.nat(3))
  .map(
    ([segments, rest]) =>
      `/g/${segments.map((one, i) => (one === '{}' ? `{p${i}}` : one)).join('/')}${rest === 0 ? '/**' : ''}`,
  )

const needs = (ids: readonly string[]) =>
  fc.oneof(
    { arbitrary: fc.constant('public' as const), weight: 1 },
    {
      arbitrary: fc
        .array(fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 })
        .map((anyOf) => ({ anyOf })),
      weight: 6,
    },
  )

const route = fc
  .record({
    path: fc.oneof({ arbitrary: path, weight: 12 }, { arbitrary: fc.constant('/g/**'), weight: 1 }),
    methods: fc.uniqueArray(fc.constantFrom(...methods), { minLength: 1, maxLength: 3 }),
    own: fc.nat(5).map((n) => n > 0),
    needs: fc.tuple(needs(ownIds), needs(ownIds), needs(ownIds)),
    otherNeeds: needs(otherIds),
    upstream: fc.constantFrom('one', 'two'),
    limits: fc.subarray(['many', 'more']),
    bodyBytes: fc.constantFrom(10, 1_000),
    shadow: fc.nat(9).map((n) => (n === 0 ? (true as const) : undefined)),
    who: fc.nat(11),
  })
  .map(({ own, methods: names, needs: lists, otherNeeds, ...rest }) => ({
    ...rest,
    resource: own ? ownResource : otherResource,
    methods: new Map(names.map((name, i) => [name, own ? (lists[i] ?? 'public') : otherNeeds] as const)),
  }))

/** A configuration's routes: of several for one method of one shape, the first. Some take these applications only. */
export function randomRoutes(applications: readonly string[]): fc.Arbitrary<readonly RouteSettings[]> {
  return fc.array(route, { minLength: 1, maxLength: 8 }).map((all) => {
    const taken = new Set<string>()
    return all.flatMap(({ methods: wanted, who, shadow, ...one }, index): RouteSettings[] => {
      const shape = one.path.replace(/\{[^}]*\}/g, '{}')
      const left = new Map<string, RouteRequirement | 'public'>(
        [...wanted].filter(([method]) => !taken.has(`${method} ${shape}`)),
      )
      for (const method of left.keys()) taken.add(`${method} ${shape}`)
      if (left.size === 0) return []
      const options = [...left.values()].includes('public')
        ? {}
        : { ...(shadow ? { shadow } : {}), ...(who === 0 ? { applications } : {}) }
      const position = { file: 'random', line: index + 1, column: 1 }
      return [
        { ...one, ...options, methods: left, id: `${index} ${one.path}`, stream: false, onStale: 'refuse', position },
      ]
    })
  })
}

/** A path that a pattern may take, with texts of all routes and others; sometimes with a slash at its end. */
export function randomPath(routes: readonly RouteSettings[], pattern: string): fc.Arbitrary<string> {
  const texts = new Set(routes.flatMap((one) => one.path.split('/')).filter((one) => /^[A-Za-z]+$/.test(one)))
  const any = fc.constantFrom(...texts, 'x', 'y')
  return fc.tuple(fc.array(any, { minLength: 6, maxLength: 6 }), fc.nat(11)).map(([fill, end]) => {
    const taken = [...fill]
    const next = () => taken.pop() ?? 'x'
    const segments = pattern.split('/').flatMap((one) => {
      if (one === '**') return end % 3 === 0 ? [next()] : [next(), next()]
      return [one.startsWith('{') || (one !== '' && one !== 'g' && end === 5) ? next() : one]
    })
    return segments.join('/') + (end === 0 ? '/' : '')
  })
}

/**
 * Whether a path is one of the pattern's, and how plain the pattern is, segment by segment; written from the contract
 * alone.
 */
function plainness(pattern: string, target: string): string | undefined {
  const [wanted, given] = [pattern.split('/').slice(1), target.split('/').slice(1)]
  let found = ''
  for (const [i, one] of wanted.entries()) {
    if (one === '**') return given.length > i ? `${found}0` : undefined
    if (given[i] === undefined || (!one.startsWith('{') && one !== given[i])) return undefined
    found += one.startsWith('{') ? '1' : '2'
  }
  return given.length === wanted.length ? found : undefined
}

/** The most specific of the patterns that takes the path. */
export function mostSpecific<T extends string>(patterns: Iterable<T>, target: string): T | undefined {
  let best: { pattern: T; plain: string } | undefined
  for (const pattern of patterns) {
    const plain = plainness(pattern, target)
    if (plain !== undefined && (best === undefined || plain > best.plain)) best = { pattern, plain }
  }
  return best?.pattern
}
