// What a look at this machine found.

export interface Finding {
  check: string
  state: 'ok' | 'warn' | 'fail'
  message: string
  /** What to do about it; absent when all is well. */
  advice?: string
}
