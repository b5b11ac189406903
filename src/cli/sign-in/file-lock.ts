// One process at a time: the process that makes the lock's file has it. A process that died with it is noticed by its
// id, and one of those who wait takes it away.

import { open, readFile, rm, stat } from 'node:fs/promises'
import { CommandFailure, exitCodes } from '../output/exit.js'

const everyMs = 25
const patienceMs = 60_000
/** Taking away takes no time; who has not done it by then died over it. */
const removalMs = 10_000

/**
 * Runs `work` with the lock. Throws CommandFailure when somebody else keeps it for a minute, and what `work` throws.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs
  while (!(await take(path))) {
    if (performance.now() > until) {
      throw new CommandFailure(exitCodes.failed, `another command keeps ${path}; if none runs, remove that file`)
    }
    await removeDead(path)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

async function take(path: string): Promise<boolean> {
  const handle = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined
    throw error
  })
  if (handle === undefined) return false
  await handle.writeFile(String(process.pid)).finally(() => handle.close())
  return true
}

/** Only one removes at a time, and looks again first: the lock may be somebody's by now. */
async function removeDead(path: string): Promise<void> {
  if (!(await isDead(path))) return
  const removal = `${path}.removal`
  const since = await stat(removal).catch(() => undefined)
  if (since !== undefined && Date.now() - since.mtimeMs > removalMs) await rm(removal, { force: true })
  if (!(await take(removal))) return
  if (await isDead(path)) await rm(path, { force: true })
  await rm(removal, { force: true })
}

async function isDead(path: string): Promise<boolean> {
  const pid = Number(await readFile(path, 'utf8').catch(() => ''))
  // Empty: made a moment ago.
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
