// Lines of calls as the commands about them show them.

import type { UsageAnswer } from '../../../management/permissions/usage-schemas.js'
import type { PrintedList } from '../../output/output.js'

export type CallLine = UsageAnswer['value'][number]

/** All calls of a line, allowed or not. */
export function callsOf(line: CallLine): number {
  return line.allowed + refusedOf(line)
}

/** Those that were refused, for whatever reason. */
export function refusedOf({ refused }: CallLine): number {
  return refused.permission + refused.limit + refused.token
}

/** A table of routes and applications; `perSecond`: what each was called, where that is known. */
export function pairsList(lines: readonly CallLine[], perSecond?: (line: CallLine) => number): PrintedList {
  return {
    headings: ['ROUTE', 'APPLICATION', ...(perSecond === undefined ? [] : ['PER S']), 'CALLS', 'REFUSED', 'ERRORS'],
    rows: lines.map((line) => [
      line.key === '_other' ? 'others' : line.key,
      line.name ?? line.applicationId ?? '',
      ...(perSecond === undefined ? [] : [perSecond(line).toFixed(1)]),
      ...[callsOf(line), refusedOf(line), line.errors.server].map(String),
    ]),
    firstToGo: ['ERRORS', 'REFUSED'],
    empty: 'No calls were counted in the last hour.',
  }
}
