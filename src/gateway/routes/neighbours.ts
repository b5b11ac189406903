// Which routes have a neighbour: another route whose paths could be theirs if somebody read both in other letters. All
// are found in one walk through the tree of their segments, because comparing each with each takes minutes for
// thousands.

import type { Steps } from '../../config/reload/steps.js'

/** A route's pattern in the router's words (routerPattern): `/a/:p0`, `/a/*`. */
interface Shaped {
  shape: string
}

/** Routes that begin with the same segments, letters' case and names of parameters aside. */
interface Branch<T> {
  literals: Map<string, Branch<T>>
  parameter: Branch<T> | undefined
  /** Routes that end here. */
  ends: T[]
  /** Routes that go on with `*`. */
  rests: T[]
  /** How many routes are here and below. */
  size: number
}

/**
 * The routes that have a neighbour. A parameter can be any segment; `*` any rest, and none. Takes time for each segment
 * of the table, not for each pair of routes, as long as parameters stand beside few others.
 */
export function* withNeighbours<T extends Shaped>(all: readonly T[]): Steps<ReadonlySet<T>> {
  const root = branch<T>()
  for (const one of all) {
    plant(root, one)
    yield
  }
  const found = new Set<T>()
  yield* addNeighbours(root, [root], found)
  return found
}

function branch<T>(): Branch<T> {
  return { literals: new Map(), parameter: undefined, ends: [], rests: [], size: 0 }
}

function plant<T extends Shaped>(root: Branch<T>, one: T): void {
  let at = root
  at.size++
  for (const segment of one.shape.split('/').slice(1)) {
    if (segment === '*') {
      at.rests.push(one)
      return
    }
    at = childOf(at, segment)
    at.size++
  }
  at.ends.push(one)
}

function childOf<T>(parent: Branch<T>, segment: string): Branch<T> {
  if (segment.startsWith(':p')) {
    parent.parameter ??= branch()
    return parent.parameter
  }
  const name = segment.toLowerCase()
  const child = parent.literals.get(name) ?? branch()
  parent.literals.set(name, child)
  return child
}

/** `beside`: the branches whose beginnings could be that of `here`, itself among them. */
function* addNeighbours<T>(here: Branch<T>, siblings: readonly Branch<T>[], found: Set<T>): Steps<void> {
  yield
  const rests = sum(siblings, ({ rests }) => rests.length)
  if (sum(siblings, ({ size }) => size) > 1) for (const one of here.rests) found.add(one)
  if (rests > 0) {
    addBelow(here, found)
    return
  }
  if (sum(siblings, ({ ends }) => ends.length) > 1) for (const one of here.ends) found.add(one)
  const siblingsNamed = literalsOf(siblings)
  for (const [name, child] of here.literals) yield* addNeighbours(child, siblingsNamed(name), found)
  if (here.parameter !== undefined) yield* addNeighbours(here.parameter, siblings.flatMap(childrenOf), found)
}

/** All but those that go on with `*` right here: one of them alone is not its own neighbour. */
function addBelow<T>({ ends, literals, parameter }: Branch<T>, found: Set<T>): void {
  for (const one of ends) found.add(one)
  for (const child of [...literals.values(), ...(parameter === undefined ? [] : [parameter])]) {
    for (const one of child.rests) found.add(one)
    addBelow(child, found)
  }
}

function childrenOf<T>({ literals, parameter }: Branch<T>): Branch<T>[] {
  return parameter === undefined ? [...literals.values()] : [...literals.values(), parameter]
}

/**
 * Where a literal segment leads from all of these. Beyond a few, what they have is listed once instead of looked up
 * each time.
 */
function literalsOf<T>(siblings: readonly Branch<T>[]): (name: string) => Branch<T>[] {
  const parameters = siblings.flatMap(({ parameter }) => parameter ?? [])
  if (siblings.length <= 8)
    return (name) => [...siblings.flatMap(({ literals }) => literals.get(name) ?? []), ...parameters]
  const named = new Map<string, Branch<T>[]>()
  for (const { literals } of siblings) {
    for (const [name, child] of literals) {
      const known = named.get(name)
      if (known === undefined) named.set(name, [child])
      else known.push(child)
    }
  }
  return (name) => [...(named.get(name) ?? []), ...parameters]
}

function sum<T>(branches: readonly Branch<T>[], count: (one: Branch<T>) => number): number {
  return branches.reduce((total, one) => total + count(one), 0)
}
