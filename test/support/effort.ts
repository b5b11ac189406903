// How much random tests draw: all of it in `npm run test:all` and where a test is run by itself, a tenth in `npm test`.
// The run's seed, which it prints at its end (`--seed`), decides what is drawn, so that a run can be repeated.

/** Whether this run has time for everything. */
export const isFullEffort =
  process.env['PORTCULLIS_TEST_FULL'] === '1' || process.env['PORTCULLIS_TEST_SEED'] === undefined

/** The seed of this run, or a fresh one. */
export const runSeed = Number(process.env['PORTCULLIS_TEST_SEED'] ?? Date.now() % 1_000_000)

/** `full`, or a tenth of it, and never nothing. */
export function effort(full: number): number {
  return isFullEffort ? full : Math.max(1, Math.ceil(full / 10))
}

/** For fast-check: how many runs, and from which seed. */
export function drawn(full: number): { numRuns: number; seed: number } {
  return { numRuns: effort(full), seed: runSeed }
}
