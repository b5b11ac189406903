// Which refusals a run takes out, and in which order it tries the tests.

import { posix } from 'node:path'

/** `count` of `items` after the first `skip`, in an order that `seed` alone decides. */
export function chosen<T>(
  items: readonly T[],
  { seed, skip, count }: { seed: number; skip: number; count: number },
): T[] {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return items
    .map((item) => ({ item, at: next() }))
    .sort((a, b) => a.at - b.at)
    .slice(skip, skip + count)
    .map(({ item }) => item)
}

export interface TestFile {
  /** From the project's root: `test/gateway/decisions.test.ts`. */
  path: string
  text: string
}

/**
 * The test files for a source, the nearest first: what imports it; what has its name, in its room; the folder of tests
 * that has the name of its folder; its room's; those of several instances, without which no race shows; the others;
 * whole stories last.
 */
export function nearestFirst(files: readonly TestFile[], source: string): string[] {
  const folder = posix.dirname(source).replace(/^src/, 'test')
  const room = folder.split('/').slice(0, 2).join('/')
  const rank = ({ path, text }: TestFile): number => {
    if (imports(path, text, source)) return 0
    if (path.startsWith(`${room}/`)) {
      if (posix.basename(path, '.test.ts') === posix.basename(source).replace(/\.tsx?$/, '')) return 1
      return path.startsWith(`${folder}/`) ? 2 : 3
    }
    if (path.startsWith('test/instances/')) return 4
    return /^test\/(?:flows|browser)\//.test(path) ? 6 : 5
  }
  return files
    .map((file) => ({ path: file.path, rank: rank(file) }))
    .sort((a, b) => a.rank - b.rank || a.path.localeCompare(b.path))
    .map(({ path }) => path)
}

function imports(path: string, text: string, source: string): boolean {
  const wanted = source.replace(/\.tsx?$/, '.js')
  return [...text.matchAll(/ from '(\.[^']+)'/g)].some(
    ([, specifier = '']) => posix.join(posix.dirname(path), specifier) === wanted,
  )
}
