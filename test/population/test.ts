// What a population needs of anyone who runs it: a tap test, or the command.

export interface Test {
  /** Work for the end, the last one first. */
  teardown(work: () => unknown): void
}
