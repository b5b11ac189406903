// Looks whether a file of the configuration has changed. By looking, not by being told: what tells of changes misses
// some of them where folders are swapped by a link (ConfigMaps), mounted from elsewhere, or made anew.

import { markOf } from '../config/read/file-mark.js'
import type { ConfigSnapshot } from '../config/read/file-reader.js'

export interface WatchOptions {
  /** What was read last. */
  lastSnapshot(): ConfigSnapshot
  /** Something has changed since, and for a moment has not changed any further. */
  changed(): Promise<unknown>
  everyMs?: number
  /** How long nothing must change: an operator who writes two files, or one in two steps, has the time for it. */
  quietMs?: number
  /** After so long it counts all the same: somebody who may write one of the files keeps nobody's change waiting. */
  patienceMs?: number
}

/** Begins to look; the answer ends it. Does not keep the process alive. */
export function watchConfiguration(options: WatchOptions): () => void {
  const { lastSnapshot, changed, everyMs = 1_000, quietMs = 250, patienceMs = 10_000 } = options
  let ended = false
  let timer: NodeJS.Timeout | undefined
  const wait = (ms: number, work: () => void) => {
    if (!ended) timer = setTimeout(work, ms).unref()
  }
  const look = () => {
    if (hasMoved(lastSnapshot())) settle(marksNow(lastSnapshot()), performance.now() + patienceMs)
    else wait(everyMs, look)
  }
  const settle = (before: string, atLast: number) =>
    wait(quietMs, () => {
      const now = marksNow(lastSnapshot())
      if (now !== before && performance.now() < atLast) return settle(now, atLast)
      void changed().then(
        () => wait(everyMs, look),
        () => wait(everyMs, look),
      )
    })
  wait(everyMs, look)
  return () => {
    ended = true
    clearTimeout(timer)
  }
}

/** Each mark was taken before what it stands for was read, so a change in between is seen too. */
function hasMoved({ files, folders }: ConfigSnapshot): boolean {
  return [...Object.entries(files), ...Object.entries(folders)].some(([path, { mark }]) => markOf(path) !== mark)
}

function marksNow({ files, folders }: ConfigSnapshot): string {
  return [...Object.keys(files), ...Object.keys(folders)].map(markOf).join()
}
