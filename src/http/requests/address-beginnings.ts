// Whether an address that a room has noted can be that of a path, by the first segments of it. Most requests go to the
// gate, where no room has any: no router looks through its patterns for them. A tree, so that neither many patterns nor
// paths that a client invents make it slower.

const segmentsLookedAt = 3

export interface AddressBeginnings {
  /** From now on `pattern` is one of them. */
  add(pattern: string): void
  /** False: the path is none of theirs, for certain. */
  mayHave(path: string): boolean
}

interface Node {
  literals: Map<string, Node>
  /** By their text: what a literal is not. `all`: whatever follows. */
  others: Map<string, { fits: (segment: string) => boolean | 'all'; next: Node }>
}

/** Patterns are those of find-my-way; paths are canonical. There are none at first. */
export function createAddressBeginnings(): AddressBeginnings {
  const root = newNode()
  return {
    add(pattern) {
      let node = root
      for (const segment of pattern.split('/').slice(1, segmentsLookedAt + 1)) node = childOf(node, segment)
    },
    mayHave: (path) => path.startsWith('/') && begins(root, path, 1, segmentsLookedAt),
  }
}

function newNode(): Node {
  return { literals: new Map(), others: new Map() }
}

function childOf({ literals, others }: Node, segment: string): Node {
  const fits = testOf(segment)
  const next = (fits === undefined ? literals.get(segment) : others.get(segment)?.next) ?? newNode()
  if (fits === undefined) literals.set(segment, next)
  else others.set(segment, { fits, next })
  return next
}

/** Whether a pattern goes on as the path does from `start`; in doubt it does, and with an escape there is doubt. */
function begins(node: Node, path: string, start: number, left: number): boolean {
  if (start > path.length || left === 0) return true
  const slash = path.indexOf('/', start)
  const end = slash === -1 ? path.length : slash
  const segment = path.slice(start, end)
  if (segment.includes('%')) return node.literals.size + node.others.size > 0
  const literal = node.literals.get(segment)
  if (literal !== undefined && begins(literal, path, end + 1, left - 1)) return true
  for (const { fits, next } of node.others.values()) {
    const answer = fits(segment)
    if (answer === 'all' || (answer && begins(next, path, end + 1, left - 1))) return true
  }
  return false
}

/** Undefined: a literal. */
function testOf(segment: string): ((other: string) => boolean | 'all') | undefined {
  if (segment.includes('*')) return () => 'all'
  const choice = /^:\w+\(\^?([^()]*?)\$?\)$/.exec(segment)?.[1]
  if (choice !== undefined) {
    const pattern = new RegExp(`^(?:${choice})$`)
    return (other) => pattern.test(other)
  }
  if (segment.includes('(')) return () => 'all'
  return segment.includes(':') ? () => true : undefined
}
