// Who shares connections out, as one of them sees it.

import type { Ticks } from './ticks.js'

/** What a connection `C` reports to those who share it out. */
export interface ConnectionOwner<C> {
  host: string
  ticks: Ticks
  /** Whether connections serve more than one request. */
  isReusable: boolean
  /** What it carries may last. */
  lend(connection: C): void
  /** It could take another request. */
  free(connection: C): void
  closed(connection: C): void
}
