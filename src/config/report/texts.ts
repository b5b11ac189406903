// Lists that may also stand as one text, so that an environment variable can hold them.

import type { Path } from '../read/places.js'

/** The texts of a list, or the parts of one text between commas and white space, each with the path where it stands. */
export function textsOf(value: readonly string[] | string, path: Path): readonly { text: string; path: Path }[] {
  if (typeof value !== 'string') return value.map((text, index) => ({ text, path: [...path, index] }))
  return value
    .split(/[\s,]+/)
    .filter((text) => text !== '')
    .map((text) => ({ text, path }))
}
