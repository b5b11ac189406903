// Paths that are others at the upstream: `strip` and `rewrite` of a route. Whole segments are exchanged for whole
// segments, so what was canonical stays canonical; the decision is always on the path that came.

/** Two beginnings of paths: without a slash at the end, `/` for none. */
export interface Prefix {
  from: string
  to: string
}

/**
 * The path that the upstream gets for one that came. Throws Error for one that does not begin so: no route leads there.
 */
export function forwardedPath({ from, to }: Prefix, path: string): string {
  const moved = exchanged(path, from, to)
  if (moved === undefined) throw new Error('a path does not begin as its route does')
  return moved
}

/** The other way: the gate's path for one of the upstream's; undefined when the gate has none for it. */
export function publicPath({ from, to }: Prefix, path: string): string | undefined {
  return exchanged(path, to, from)
}

/** `path` may have a query or fragment behind it. */
function exchanged(path: string, before: string, after: string): string | undefined {
  const old = before === '/' ? '' : before
  if (!path.startsWith(old)) return undefined
  const rest = path.slice(old.length)
  if (rest !== '' && !/^[/?#]/.test(rest)) return undefined
  const start = after === '/' ? '' : after
  return start === '' && !rest.startsWith('/') ? `/${rest}` : start + rest
}
