// Which of a document's path templates a path is: segment by segment, plain text before parameters.

import { NoDescription } from './service-description.js'

export interface FoundTemplate<T> {
  item: T
  /** Decoded. */
  values: ReadonlyMap<string, string>
}

interface Leaf<T> {
  item: T
  /** Of the parameters, in order. */
  names: readonly string[]
}

/** What may stand after a beginning: a text, a text with parameters in it, or anything. */
interface Node<T> {
  plain: Map<string, Node<T>>
  mixed: Map<string, { texts: readonly string[]; next: Node<T> }>
  any: Node<T> | undefined
  leaf: Leaf<T> | undefined
}

/**
 * `/pets/{petId}` and the like, each with what is found by it. The answer takes canonical paths. Throws NoDescription.
 */
export function compileTemplates<T>(
  templates: Iterable<readonly [string, T]>,
): (path: string) => FoundTemplate<T> | undefined {
  const root = newNode<T>()
  for (const [written, item] of templates) plant(root, written, item)
  return (path) => {
    const values: string[] = []
    const segments = path.split('/').map(decoded)
    if (segments.includes(undefined)) return undefined
    const leaf = find(root, segments as string[], values)
    if (leaf === undefined) return undefined
    return { item: leaf.item, values: new Map(leaf.names.map((name, index) => [name, values[index] ?? ''])) }
  }
}

function plant<T>(root: Node<T>, written: string, item: T): void {
  const names: string[] = []
  let node = root
  for (const segment of written.split('/')) {
    const parts = segment.split(/\{([^{}]*)\}/)
    names.push(...parts.filter((_, index) => index % 2 === 1))
    node = next(node, parts)
  }
  if (node.leaf !== undefined) throw new NoDescription('#/paths: two paths differ by the names of parameters only')
  node.leaf = { item, names }
}

/** `parts`: texts and names of parameters in turn. */
function next<T>(node: Node<T>, parts: readonly string[]): Node<T> {
  const texts = parts.filter((_, index) => index % 2 === 0).map((text) => decoded(text) ?? text)
  const [text = '', rest] = texts
  if (rest === undefined) {
    const below = node.plain.get(text) ?? newNode()
    node.plain.set(text, below)
    return below
  }
  if (texts.length === 2 && text === '' && rest === '') {
    node.any ??= newNode()
    return node.any
  }
  const key = JSON.stringify(texts)
  const known = node.mixed.get(key) ?? { texts, next: newNode<T>() }
  node.mixed.set(key, known)
  return known.next
}

/** Adds to `values` what the parameters on the way stand for. */
function find<T>(node: Node<T>, segments: readonly string[], values: string[], index = 0): Leaf<T> | undefined {
  const segment = segments[index]
  if (segment === undefined) return node.leaf
  const below = (child: Node<T> | undefined, found: readonly string[]): Leaf<T> | undefined => {
    if (child === undefined) return undefined
    const before = values.length
    values.push(...found)
    const leaf = find(child, segments, values, index + 1)
    if (leaf === undefined) values.length = before
    return leaf
  }
  const exact = below(node.plain.get(segment), [])
  if (exact !== undefined) return exact
  for (const { texts, next: child } of node.mixed.values()) {
    const between = valuesBetween(texts, segment)
    const leaf = between === undefined ? undefined : below(child, between)
    if (leaf !== undefined) return leaf
  }
  return segment === '' ? undefined : below(node.any, [segment])
}

/**
 * What stands between the texts in a segment, each at least one character, earlier ones as long as they can be. From
 * the end back each text is taken at its last place, which leaves most to the others: nothing is ever tried again.
 */
function valuesBetween(texts: readonly string[], segment: string): string[] | undefined {
  const [first = '', ...rest] = texts
  const last = rest.pop() ?? ''
  if (!segment.startsWith(first) || !segment.endsWith(last)) return undefined
  const values: string[] = []
  let end = segment.length - last.length
  for (const text of rest.reverse()) {
    const at = end - 1 - text.length
    const found = at < first.length ? -1 : segment.lastIndexOf(text, at)
    if (found === -1) return undefined
    values.push(segment.slice(found + text.length, end))
    end = found
  }
  if (end <= first.length) return undefined
  return [...values, segment.slice(first.length, end)].reverse()
}

function newNode<T>(): Node<T> {
  return { plain: new Map(), mixed: new Map(), any: undefined, leaf: undefined }
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
