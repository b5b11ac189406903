// What DER must look like where it is read: this element, with nothing after it, and of this kind.

import { type Der, elements, Malformed, tags } from './der.js'

/** The one element that fills all bytes. Throws Malformed. */
export function readDer(bytes: Buffer, tag: number): Der {
  const [found, ...more] = elements(bytes)
  if (more.length > 0) throw new Malformed()
  return expectTag(found, tag)
}

/** What a constructed element holds, in order. Throws Malformed. */
export function inside(bytes: Buffer, tag: number): Der[] {
  return elements(readDer(bytes, tag).value)
}

/** An element that must be there, of this kind. Throws Malformed. */
export function expectTag(found: Der | undefined, tag: number): Der {
  if (found?.tag !== tag) throw new Malformed()
  return found
}

/** Bits of a BIT STRING that is whole bytes. Throws Malformed. */
export function bitsOf(found: Der | undefined): Buffer {
  const { value } = expectTag(found, tags.bitString)
  if (value[0] !== 0) throw new Malformed()
  return value.subarray(1)
}
