// One kind of change that stops what works for others (decision 120).

import type { Fields } from './losses.js'

/** How it is recognised, and what is said before it is done. */
export interface StoppingAct {
  /** Below /api/v2, with the parameters of the path: whose consequences are counted; absent: nothing is. */
  counted?: string
  /** Whether this request stops anything, by its body and what it changes; absent: always. */
  stops?: (body: Fields, now: Fields) => boolean
  /** Fields of the body for which what is changed has to be read. */
  compares?: readonly string[]
  /** What else is counted: the query of the consequences, from the body and what it changes; absent: nothing. */
  asks?: (body: Fields, now: Fields) => string
  /** With {name} for what the thing is called. */
  question: string
  /** What stops. */
  what: string
  /** How it is taken back, or that it cannot be. */
  undo: string
  button: string
}
