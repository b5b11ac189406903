// How it is said that something is about to stop, in the portal and on the command line: which act, and what hangs on
// it. `name` is what somebody called the thing, already made safe to show.

import type { Consequences } from './consequence-schemas.js'

/** A question and what follows when it is answered with yes. */
export interface StopWords {
  question: (name: string) => string
  /** Sentences: what stops, and what can come back. */
  what: string
  /** On the button. */
  button: string
}

const number = new Intl.NumberFormat('en-GB')

/** The counts as pairs of a name and a number in words; what is not known is left out. */
export function consequenceLines(counts: Consequences): [label: string, value: string][] {
  const { applications, people, signIns, sessions, tokens, calls, atLeast } = counts
  const shown = (name: Consequences['atLeast'][number], count: number) =>
    count === 0 ? 'none' : `${atLeast.includes(name) ? 'at least ' : ''}${number.format(count)}`
  return [
    ['Applications', shown('applications', applications)],
    ['People', shown('people', people)],
    ['Sign-ins that applications hold', shown('signIns', signIns)],
    ...(sessions === null ? [] : [['Browsers signed in', shown('sessions', sessions)] as [string, string]]),
    [`Tokens issued in the last ${hoursOf(counts.tokenLifetimeSeconds)}`, shown('tokens', tokens)],
    ...(calls === null
      ? []
      : [
          [`Calls since ${calls.from}, 00:00 UTC`, calls.count === 0 ? 'none' : number.format(calls.count)] as [
            string,
            string,
          ],
        ]),
  ]
}

function hoursOf(seconds: number): string {
  if (seconds === 3600) return 'hour'
  return seconds % 3600 === 0 ? `${seconds / 3600} hours` : `${Math.round(seconds / 60)} minutes`
}
