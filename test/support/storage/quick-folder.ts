// A folder of a test's own for what it writes often: in memory where the machine offers that. A commit waits for the
// disk, which in a test of something else than durability is most of what a commit takes.

import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestScope } from './temporary-store.js'

/** What Linux keeps in memory. */
const memoryFolder = '/dev/shm'
/** A container may have 64 MB there, which tests that run at the same time would fill. */
const enoughBytes = 512 * 1024 * 1024

/** The folder's path; it is removed after everything that the test tears down later on. */
export function quickFolder(t: TestScope): string {
  if (freeBytes(memoryFolder) < enoughBytes) return t.testdir()
  const folder = mkdtempSync(join(memoryFolder, 'portcullis-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** 0 where there is no such folder. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}
