// Whether an address that a room has noted can be that of a path, by the first segments of it. Most requests go to the
// gate, where no room has any: their answer is remembered, and no router looks through its patterns for it.

const segmentsLookedAt = 3
/** Beginnings whose answer is remembered, and how long they are; bounded, because clients choose them. */
const most = 1_000
const longest = 64

export interface AddressBeginnings {
  /** From now on `pattern` is one of them. */
  add(pattern: string): void
  /** False: the path is none of theirs, for certain. */
  mayHave(path: string): boolean
}

/** Patterns are those of find-my-way; paths are canonical. There are none at first. */
export function createAddressBeginnings(): AddressBeginnings {
  const patterns: ((segment: string) => boolean | 'all')[][] = []
  const known = new Map<string, boolean>()
  return {
    add(pattern) {
      patterns.push(
        pattern
          .split('/')
          .slice(0, segmentsLookedAt + 1)
          .map(segmentTest),
      )
      known.clear()
    },
    mayHave(path) {
      const beginning = beginningOf(path)
      const before = known.get(beginning)
      if (before !== undefined) return before
      const segments = beginning.split('/')
      const may = patterns.some((tests) => begins(tests, segments))
      if (known.size < most && beginning.length <= longest) known.set(beginning, may)
      return may
    },
  }
}

function beginningOf(path: string): string {
  let end = 0
  for (let i = 0; i < segmentsLookedAt; i += 1) {
    end = path.indexOf('/', end + 1)
    if (end === -1) return path
  }
  return path.slice(0, end)
}

function begins(tests: readonly ((segment: string) => boolean | 'all')[], segments: readonly string[]): boolean {
  for (const [i, segment] of segments.entries()) {
    const answer = tests[i]?.(segment) ?? false
    if (answer !== true) return answer === 'all'
  }
  return true
}

/** `all`: whatever follows. In doubt a segment fits, and one that is written with escapes always is. */
function segmentTest(segment: string): (other: string) => boolean | 'all' {
  if (segment.includes('*')) return () => 'all'
  const choice = /^:\w+\(\^?([^()]*?)\$?\)$/.exec(segment)?.[1]
  if (choice !== undefined) {
    const pattern = new RegExp(`^(?:${choice})$`)
    return (other) => pattern.test(other) || other.includes('%')
  }
  if (segment.includes('(')) return () => 'all'
  return (other) => other === segment || other.includes('%') || segment.includes(':')
}
