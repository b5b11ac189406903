// What tells that a file or a folder may have changed, without reading it.

import { statSync } from 'node:fs'

/**
 * Differs whenever a file was written, replaced, made readable or led elsewhere by a link, and whenever something came
 * into a folder or left it. Equal for two things that are not there.
 */
export function markOf(path: string): string {
  try {
    // Nanoseconds: two saves of one millisecond are two.
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'absent'
  }
}
