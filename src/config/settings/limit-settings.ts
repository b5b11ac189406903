// A limit as the other rooms see it: checked, in milliseconds and units.

import type { Position } from '../read/position.js'

export interface LimitPolicy {
  name: string
  /** What is counted together; several parts make one combined key. */
  by: readonly ('address' | 'application' | 'tenant' | 'user' | 'route')[]
  algorithm:
    | { kind: 'rate'; limit: number; periodMs: number; burst: number }
    | { kind: 'quota'; limit: number; periodMs: number }
  /** How instances count together; `local` when absent, which the loaded configuration never leaves it. */
  mode?: 'strict' | 'leased' | 'local'
  /** What happens while the shared numbers are out of reach; `local` when absent. */
  onDown?: 'local' | 'refuse' | 'pass'
  /** Counted like every other limit, and never refuses. */
  shadow?: boolean
  /** It is of the application's plan, in its own numbers. */
  plan?: boolean
  /** Absent where no file says it. */
  position?: Position
}
