// `portcullis top`: who calls what at this moment. On a terminal it looks again and again; elsewhere once.

import { setTimeout as pause } from 'node:timers/promises'
import type { UsageAnswer } from '../../../management/permissions/usage-schemas.js'
import { connect } from '../../calls/connection.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { usageCalls } from '../../calls/usage-calls.js'
import { printJson, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { type CallLine, callsOf, pairsList } from './call-lines.js'

/** To the corner, and nothing below. */
const clear = '\u001b[H\u001b[2J'
const number = new Intl.NumberFormat('en-GB')

export interface TopOptions extends ConnectionOptions {
  tenant?: string
  limit: number
  every: number
  count?: number
  output: 'table' | 'json'
}

interface Look {
  answer: UsageAnswer
  /** Epoch ms. */
  at: number
}

/** Prints it. Throws CommandFailure. */
export async function top(options: TopOptions, terminal: Terminal): Promise<void> {
  const client = await connect(options, terminal)
  const { limit, output, every } = options
  const tenantId =
    options.tenant === undefined ? undefined : await requireTenant(managementCalls(client), options.tenant)
  const isLive = terminal.interactive && output === 'table'
  const looks = options.count ?? (isLive ? Number.POSITIVE_INFINITY : 1)
  let before: Look | undefined
  for (let look = 1; look <= looks; look += 1) {
    if (look > 1) await pause(Math.max(every, 1) * 1000)
    const answer = await usageCalls(client).usage({ last: '1h', by: 'route,application', tenantId })
    const now = { answer, at: terminal.now?.() ?? Date.now() }
    if (output === 'json') printJson(terminal, { ...answer, value: answer.value.slice(0, limit) })
    else print(terminal, { now, before, limit, isLive })
    before = now
  }
}

function print(
  terminal: Terminal,
  { now, before, limit, isLive }: { now: Look; before: Look | undefined; limit: number; isLive: boolean },
): void {
  const { value, complete } = now.answer
  const rate = rateSince(before, now.at)
  const sorted = [...value].sort((one, other) => rate(other) - rate(one) || callsOf(other) - callsOf(one))
  const calls = value.reduce((sum, line) => sum + callsOf(line), 0)
  if (isLive) {
    const perSecond = value.reduce((sum, line) => sum + rate(line), 0)
    const said = before === undefined ? '' : `, ${perSecond.toFixed(1)} in a second now`
    terminal.out(`${clear}${number.format(calls)} calls in the last hour${said}. Ctrl+C ends.\n\n`)
  }
  printList(terminal, 'table', now.answer, pairsList(sorted.slice(0, limit), before === undefined ? undefined : rate))
  if (complete === false) terminal.say('The Store cannot be reached: these are the calls that this instance knows of.')
}

/** Calls of a line in a second since the look before; what left the hour meanwhile makes it no less than nothing. */
function rateSince(before: Look | undefined, nowMs: number): (line: CallLine) => number {
  if (before === undefined) return () => 0
  const known = new Map(before.answer.value.map((line) => [keyOf(line), callsOf(line)]))
  const seconds = Math.max(0.001, (nowMs - before.at) / 1000)
  return (line) => Math.max(0, callsOf(line) - (known.get(keyOf(line)) ?? 0)) / seconds
}

function keyOf({ key, applicationId }: CallLine): string {
  return `${key}\n${applicationId}`
}
