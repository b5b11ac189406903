// How it is said what hangs on something that is about to stop, in the portal and on the command line.

import type { Consequences } from './consequence-schemas.js'

const number = new Intl.NumberFormat('en-GB')

/** The counts as pairs of a name and a number in words; what is not known is left out. */
export function consequenceLines(counts: Consequences): [label: string, value: string][] {
  const { applications, people, withoutWay, signIns, sessions, tokens, calls, proofs, registrations, atLeast } = counts
  if (registrations) return registrationLines(registrations)
  const shown = (name: Consequences['atLeast'][number], count: number) =>
    count === 0 ? 'none' : `${atLeast.includes(name) ? 'at least ' : ''}${number.format(count)}`
  return [
    ['Applications', shown('applications', applications)],
    ['People', shown('people', people)],
    ...(proofs ? proofLines(proofs) : []),
    ...(withoutWay === null
      ? []
      : [['Left without a way to sign in', shown('withoutWay', withoutWay)] as [string, string]]),
    ['Sign-ins that applications hold', shown('signIns', signIns)],
    ...(sessions === null ? [] : [['Browsers signed in', shown('sessions', sessions)] as [string, string]]),
    [`Tokens issued in the last ${hoursOf(counts.tokenLifetimeSeconds)}`, shown('tokens', tokens)],
    ...(calls === null ? [] : callLines(calls)),
  ]
}

/** What goes when a link for recovery is opened. */
function proofLines({
  secondFactor,
  passkeys,
  providers,
}: NonNullable<Consequences['proofs']>): [label: string, value: string][] {
  return [
    ['Second factor', secondFactor ? 'is removed' : 'none'],
    ['Passkeys that are removed', few(passkeys)],
    ['Linked providers that are removed', few(providers)],
  ]
}

function registrationLines({
  sofar,
  lastHour,
  left,
}: NonNullable<Consequences['registrations']>): [label: string, value: string][] {
  return [
    ['Applications registered with it, which stay', few(sofar)],
    ['Registered in the last hour', few(lastHour)],
    ['Registrations that are left and end', few(left)],
  ]
}

function few(count: number): string {
  return count === 0 ? 'none' : number.format(count)
}

function callLines({ lastHour, lastDay }: NonNullable<Consequences['calls']>): [label: string, value: string][] {
  return [
    ['Calls in the last hour', few(lastHour)],
    ['Calls in the last 24 hours', few(lastDay)],
  ]
}

function hoursOf(seconds: number): string {
  if (seconds === 3600) return 'hour'
  return seconds % 3600 === 0 ? `${seconds / 3600} hours` : `${Math.round(seconds / 60)} minutes`
}
