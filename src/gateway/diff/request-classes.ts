// The kinds of request that route patterns can tell apart. Two patterns may overlap with neither within the other
// (`/users/{id}/keys` and `/users/me/**`), so the patterns alone are not enough: what they have in common is a kind of
// its own. Within one kind every path meets the same patterns of the set, and so of every part of it; a sample of each
// therefore compares two route tables exactly.

export interface RequestClass {
  /** `/a/{id}/**`: the paths that no more specific class takes. */
  pattern: string
  /** One of them. `tenantId`: stands wherever the pattern leaves it open. */
  sample(tenantId?: string): string
}

/** A segment of a pattern tree. */
interface Node {
  literals: Map<string, Node>
  parameter: Node | undefined
  /** The parameter's name in the first pattern that has one here. */
  name: string
  ends: boolean
  rest: boolean
}

/** A pattern that the path so far fits, with a bit for each of its segments that is plain text. */
interface Fitting {
  node: Node
  plain: bigint
}

interface Walk {
  classes: RequestClass[]
  most: number
  /** Stands where no pattern has plain text. */
  other: string
  /** Deeper than any pattern, so that only `**` takes it. */
  rest: string
}

/**
 * The classes of these route paths, plain text before parameters. Throws Error when there are more than `most`:
 * patterns of many parameters can overlap in more ways than there is time for.
 */
export function requestClasses(
  patterns: readonly string[],
  most = 4 * patterns.length + 10_000,
): readonly RequestClass[] {
  const root = newNode()
  const all = patterns.map(segmentsOf).flatMap(withTwin)
  const spellings = spellingsOf(all)
  for (const segments of all) for (const spelled of spelledOut(segments, spellings)) plant(root, spelled)
  const depth = Math.max(0, ...all.map(({ length }) => length))
  let other = 'any'
  while (spellings.has(other)) other = `_${other}`
  const walk: Walk = { classes: [], most, other, rest: `/${other}`.repeat(depth + 1) }
  addClasses(walk, { fitting: [{ node: root, plain: 0n }], rests: [], plain: 0n, depth: 0, pattern: '', sample: '' })
  if (walk.classes.length > most) throw new Error(`the routes overlap in more than ${most} ways`)
  return walk.classes
}

function segmentsOf(pattern: string): readonly string[] {
  return pattern === '/' ? [] : pattern.slice(1).split('/')
}

/**
 * With the path that is told from its paths by a slash at the end alone: the gate refuses such a path where another
 * route would take it, so that is a kind too. Paths with a slash at the end are not compared.
 */
function withTwin(segments: readonly string[]): readonly (readonly string[])[] {
  const last = segments.at(-1)
  const isOpen = last === '**' || last?.startsWith('{') === true
  return isOpen && segments.length > 1 ? [segments, segments.slice(0, -1)] : [segments]
}

/** Every spelling of a text that there is, by its lower case. */
function spellingsOf(all: readonly (readonly string[])[]): ReadonlyMap<string, ReadonlySet<string>> {
  const spellings = new Map<string, Set<string>>()
  for (const text of all.flat()) {
    const key = text.toLowerCase()
    spellings.set(key, (spellings.get(key) ?? new Set()).add(text))
  }
  return spellings
}

/**
 * The pattern in all spellings: the gate refuses what is another one's path in other letters, so that is a kind too.
 */
function spelledOut(
  segments: readonly string[],
  spellings: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly string[])[] {
  let found: readonly (readonly string[])[] = [[]]
  for (const segment of segments) {
    const texts = segment.startsWith('{') ? [segment] : [...(spellings.get(segment.toLowerCase()) ?? [segment])]
    if (found.length * texts.length > mostSpellings) return [segments]
    found = found.flatMap((before) => texts.map((text) => [...before, text]))
  }
  return found
}

const mostSpellings = 64

function newNode(): Node {
  return { literals: new Map(), parameter: undefined, name: '', ends: false, rest: false }
}

function plant(root: Node, segments: readonly string[]): void {
  let node = root
  for (const segment of segments) {
    if (segment === '**') {
      node.rest = true
      return
    }
    node = segment.startsWith('{') ? parameterOf(node, segment) : literalOf(node, segment)
  }
  node.ends = true
}

function parameterOf(node: Node, segment: string): Node {
  if (node.parameter === undefined) {
    node.parameter = newNode()
    node.name = segment
  }
  return node.parameter
}

function literalOf(node: Node, segment: string): Node {
  const next = node.literals.get(segment) ?? newNode()
  node.literals.set(segment, next)
  return next
}

interface Place {
  fitting: readonly Fitting[]
  /** The plain segments of each `**` pattern above. */
  rests: readonly bigint[]
  /** The plain segments of the path so far. */
  plain: bigint
  depth: number
  pattern: string
  sample: string
}

/**
 * A path is worth a class only when the patterns that take it have, between them, all the plain text that it has: else
 * it is like a less specific one.
 */
function addClasses(walk: Walk, place: Place): void {
  if (walk.classes.length > walk.most) return
  const { fitting, rests, plain, depth, pattern, sample } = place
  const ending = fitting.filter(({ node }) => node.ends).map((one) => one.plain)
  // Where only a `**` takes it, longer ones may be another's.
  if (ending.length + rests.length > 0 && union([...ending, ...rests]) === plain) {
    walk.classes.push(classOf(walk, pattern || '/', sample || '/'))
  }
  const texts = new Set(fitting.flatMap(({ node }) => [...node.literals.keys()]))
  const started = fitting.filter(({ node }) => node.rest).map((one) => one.plain)
  const open = [...rests, ...started]
  const bit = 1n << BigInt(depth)
  const descend = (text: string | undefined, shown: string): void => {
    const next = fitting.flatMap((one) => nextOf(one, text, bit))
    const soFar = text === undefined ? plain : plain | bit
    if (next.length === 0 || union([...next.map((one) => one.plain), ...open]) !== soFar) return
    const below = { pattern: `${pattern}/${shown}`, sample: `${sample}/${text ?? walk.other}` }
    addClasses(walk, { fitting: next, rests: open, plain: soFar, depth: depth + 1, ...below })
  }
  for (const text of texts) descend(text, text)
  const named = fitting.find(({ node }) => node.parameter !== undefined)
  if (named !== undefined) descend(undefined, named.node.name)
  if (started.length > 0 && union(open) === plain && !goesOn(fitting)) {
    walk.classes.push(classOf(walk, `${pattern}/**`, sample + walk.rest))
  }
}

function classOf({ other }: Walk, pattern: string, sample: string): RequestClass {
  const open = sample.split('/')
  const fill = (segment: string, tenantId: string) => (segment === other ? tenantId : segment)
  return {
    pattern,
    sample: (tenantId) => (tenantId === undefined ? sample : open.map((one) => fill(one, tenantId)).join('/')),
  }
}

/** Whether every path that is long enough is one of another `**` below. */
function goesOn(fitting: readonly Fitting[]): boolean {
  let below = fitting.flatMap((one) => nextOf(one, undefined, 0n))
  while (below.length > 0) {
    if (below.some(({ node }) => node.rest)) return true
    below = below.flatMap((one) => nextOf(one, undefined, 0n))
  }
  return false
}

function nextOf({ node, plain }: Fitting, text: string | undefined, bit: bigint): Fitting[] {
  const literal = text === undefined ? undefined : node.literals.get(text)
  const found: Fitting[] = literal === undefined ? [] : [{ node: literal, plain: plain | bit }]
  if (node.parameter !== undefined) found.push({ node: node.parameter, plain })
  return found
}

function union(all: readonly bigint[]): bigint {
  return all.reduce((sum, one) => sum | one, 0n)
}
