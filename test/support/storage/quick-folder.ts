// A folder of a test's own for what it writes often: in memory where the machine offers that. A commit waits for the
// disk, which in a test of something else than durability is most of what a commit takes.

import { rmSync } from 'node:fs'
import { makeMemoryFolder } from './memory-folder.js'
import type { TestScope } from './temporary-store.js'

/** A container may have 64 MB there, which tests that run at the same time would fill. */
const enoughBytes = 512 * 1024 * 1024

/** The folder's path; it is removed after everything that the test tears down later on. */
export function quickFolder(t: TestScope): string {
  const folder = makeMemoryFolder(enoughBytes)
  if (folder === undefined) return t.testdir()
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
