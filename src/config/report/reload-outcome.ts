// How it went to read the configuration again while the process runs.

import type { Problem } from './problem.js'
import type { RuleChanges } from './rule-changes.js'

/** Who wanted it. */
export type ReloadCause = 'signal' | 'file' | 'management'

export type ReloadOutcome =
  /**
   * `changes` is empty when the files say the same as before, or say it otherwise; `waiting` takes effect at the next
   * start.
   */
  | { result: 'reloaded' | 'unchanged'; changes: RuleChanges; waiting: readonly Problem[] }
  /** What ran goes on. */
  | { result: 'refused'; problems: readonly Problem[] }
