// Which of a document's path templates a path is: segment by segment, plain text before parameters.

interface Template<T> {
  segments: readonly (string | RegExp)[]
  /** Of the parameters, in order. */
  names: readonly string[]
  item: T
}

export interface FoundTemplate<T> {
  item: T
  /** Decoded. */
  values: ReadonlyMap<string, string>
}

/** `/pets/{petId}` and the like, each with what is found by it. The answer takes canonical paths. */
export function compileTemplates<T>(
  templates: Iterable<readonly [string, T]>,
): (path: string) => FoundTemplate<T> | undefined {
  const byLength = new Map<number, Template<T>[]>()
  for (const [written, item] of templates) {
    const template = templateOf(written, item)
    const { length } = template.segments
    byLength.set(length, [...(byLength.get(length) ?? []), template])
  }
  for (const some of byLength.values()) some.sort(byPlainness)
  return (path) => {
    const segments = decodedSegments(path)
    for (const template of segments === undefined ? [] : (byLength.get(segments.length) ?? [])) {
      const values = valuesOf(template, segments ?? [])
      if (values !== undefined) return { item: template.item, values }
    }
    return undefined
  }
}

function templateOf<T>(written: string, item: T): Template<T> {
  const names: string[] = []
  const segments = written.split('/').map((segment) => {
    if (!segment.includes('{')) return decoded(segment) ?? segment
    const parts = segment.split(/\{([^{}]*)\}/)
    const source = parts.map((part, index) => {
      if (index % 2 === 0) return (decoded(part) ?? part).replace(/[\\^$.|?+*()[\]{}/-]/g, '\\$&')
      names.push(part)
      return '(.+)'
    })
    return new RegExp(`^${source.join('')}$`, 's')
  })
  return { segments, names, item }
}

function valuesOf<T>({ segments, names }: Template<T>, given: readonly string[]): Map<string, string> | undefined {
  const values: string[] = []
  for (const [index, segment] of segments.entries()) {
    const text = given[index] ?? ''
    if (typeof segment === 'string') {
      if (segment !== text) return undefined
      continue
    }
    const found = segment.exec(text)
    if (found === null) return undefined
    values.push(...found.slice(1))
  }
  return new Map(names.map((name, index) => [name, values[index] ?? '']))
}

function byPlainness<T>(one: Template<T>, other: Template<T>): number {
  for (const [index, segment] of one.segments.entries()) {
    const difference = rank(other.segments[index]) - rank(segment)
    if (difference !== 0) return difference
  }
  return 0
}

/** Plain, in part, a parameter. */
function rank(segment: string | RegExp | undefined): number {
  if (typeof segment === 'string') return 2
  return segment?.source === '^(.+)$' ? 0 : 1
}

function decodedSegments(path: string): readonly string[] | undefined {
  const segments = path.split('/').map(decoded)
  return segments.every((segment) => segment !== undefined) ? (segments as readonly string[]) : undefined
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
