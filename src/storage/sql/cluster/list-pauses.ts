// How often the list of instances is read, which grows with every one of those that read it.

/** Up to so many instances each reads the whole list every second. */
const FEW = 32

/**
 * How many times as long as of a few an instance waits before it reads the list again, when it had so many rows:
 * together they read no more rows for each of them than few do.
 */
export function pauseFactor(rows: number): number {
  return Math.max(1, rows / FEW)
}
