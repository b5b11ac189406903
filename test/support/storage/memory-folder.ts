// Folders in memory, for data that is written often and needs to outlive nothing. Their names say which process they
// are of: what a killed one leaves would stay in memory for as long as the machine runs.

import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** What Linux keeps in memory. */
const memory = '/dev/shm'
const nameOf = /^portcullis-(\d+)-/

/** The path of a new one, removed by the caller; undefined where memory has less than so many bytes to give. */
export function makeMemoryFolder(leastBytes: number): string | undefined {
  if (freeBytes() < leastBytes) return undefined
  return mkdtempSync(join(memory, `portcullis-${process.pid}-`))
}

/** Removes those of processes that are no more. */
export function sweepMemoryFolders(): void {
  if (!existsSync(memory)) return
  for (const name of readdirSync(memory)) {
    const pid = nameOf.exec(name)?.[1]
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue
    rmSync(join(memory, name), { recursive: true, force: true, maxRetries: 5 })
  }
}

/** 0 where there is no such folder. */
function freeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize
  } catch {
    return 0
  }
}
