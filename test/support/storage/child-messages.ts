// The child's side of storage-child.ts.

import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** Writes one line before it returns, so that a kill right afterwards does not lose it. */
export function say(line: string): void {
  writeSync(1, `${line}\n`)
}

/** Says "ready" and resolves at "go". */
export async function untilGo(): Promise<void> {
  const input = createInterface({ input: process.stdin })
  say('ready')
  await new Promise<void>((resolve) => input.once('line', () => resolve()))
  input.close()
  process.stdin.unref()
}
