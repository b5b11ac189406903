// How it went to read the configuration again while the process runs.

import type { Problem } from './problem.js'
import type { RuleChanges } from './rule-changes.js'

/** Who wanted it. */
export type ReloadCause = 'signal' | 'file' | 'management'

/** Since when the rules that decide now do, and how many there are. */
export interface InEffect {
  /** Epoch ms. */
  since: number
  /** What brought them: the start of the process, or what had the files read again. */
  by: 'start' | ReloadCause
  routes: number
  upstreams: number
}

/** Files that cannot be put in place: what was read before them runs on. */
export interface RefusedFiles {
  /** Since when they are refused (epoch ms), whatever mistakes they had meanwhile. */
  since: number
  problems: readonly Problem[]
}

/** Reads the configuration again, and knows how that went. Both reject when nobody answers. */
export interface Reloader {
  /** Resolves when the rules that the files say now are in effect, or are refused. */
  reload(): Promise<ReloadOutcome>
  /** Undefined: what the files said when they were last read is in effect. */
  refused(): Promise<RefusedFiles | undefined>
}

export type ReloadOutcome =
  /**
   * `changes` is empty when the files say the same as before, or say it otherwise; `waiting` takes effect at the next
   * start.
   */
  | { result: 'reloaded' | 'unchanged'; changes: RuleChanges; waiting: readonly Problem[]; inEffect: InEffect }
  /** What ran goes on. */
  | { result: 'refused'; problems: readonly Problem[] }
