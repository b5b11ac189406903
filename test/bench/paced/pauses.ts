// What held an event loop during a pause: the stretches of named work and of collections that lie in it.

/** Milliseconds of one clock. */
export interface Stretch {
  name: string
  from: number
  to: number
  isOnePiece: boolean
}

export interface Pause {
  /** Milliseconds, epoch. */
  from: number
  to: number
  /** How long of it the main thread could have run, and another program did. */
  waitedMs: number
  /** The one that took longest first. */
  causes: { name: string; ms: number }[]
}

/** In milliseconds of the pause; work that waited in between is named only where nothing else is. */
export function causesOf(gap: { from: number; to: number }, stretches: readonly Stretch[]): Pause['causes'] {
  const found = new Map<string, { ms: number; isOnePiece: boolean }>()
  for (const { name, from, to, isOnePiece } of stretches) {
    const ms = Math.min(to, gap.to) - Math.max(from, gap.from)
    if (ms <= 0.2) continue
    const before = found.get(name)
    found.set(name, { ms: ms + (before?.ms ?? 0), isOnePiece })
  }
  return [...found]
    .sort(([, a], [, b]) => Number(b.isOnePiece) - Number(a.isOnePiece) || b.ms - a.ms)
    .map(([name, { ms, isOnePiece }]) => ({ name: isOnePiece ? name : `during ${name}`, ms }))
}
