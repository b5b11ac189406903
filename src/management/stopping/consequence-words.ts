// How it is said what hangs on something that is about to stop, in the portal and on the command line.

import type { Consequences } from './consequence-schemas.js'

const number = new Intl.NumberFormat('en-GB')

/** The counts as pairs of a name and a number in words; what is not known is left out. */
export function consequenceLines(counts: Consequences): [label: string, value: string][] {
  const { applications, people, withoutWay, signIns, sessions, tokens, calls, atLeast } = counts
  const shown = (name: Consequences['atLeast'][number], count: number) =>
    count === 0 ? 'none' : `${atLeast.includes(name) ? 'at least ' : ''}${number.format(count)}`
  return [
    ['Applications', shown('applications', applications)],
    ['People', shown('people', people)],
    ...(withoutWay === null
      ? []
      : [['Left without a way to sign in', shown('withoutWay', withoutWay)] as [string, string]]),
    ['Sign-ins that applications hold', shown('signIns', signIns)],
    ...(sessions === null ? [] : [['Browsers signed in', shown('sessions', sessions)] as [string, string]]),
    [`Tokens issued in the last ${hoursOf(counts.tokenLifetimeSeconds)}`, shown('tokens', tokens)],
    ...(calls === null ? [] : callLines(calls)),
  ]
}

function callLines({ lastHour, lastDay }: NonNullable<Consequences['calls']>): [label: string, value: string][] {
  const shown = (count: number) => (count === 0 ? 'none' : number.format(count))
  return [
    ['Calls in the last hour', shown(lastHour)],
    ['Calls in the last 24 hours', shown(lastDay)],
  ]
}

function hoursOf(seconds: number): string {
  if (seconds === 3600) return 'hour'
  return seconds % 3600 === 0 ? `${seconds / 3600} hours` : `${Math.round(seconds / 60)} minutes`
}
