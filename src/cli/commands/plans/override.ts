// What `portcullis app plan override` does.

import { connect } from '../../calls/connection.js'
import { type ApplicationPlan, planCalls } from '../../calls/plan-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'
import type { OverrideOptions } from './plan-options.js'
import { printPlan } from './print-plan.js'

type Overrides = ApplicationPlan['overrides']
type Numbers = Overrides['limits'][string]

/** Gives it numbers of its own beside those that it has. */
export async function override(reference: string, options: OverrideOptions, terminal: Terminal): Promise<void> {
  if (saysNothing(options)) throw new CommandFailure(exitCodes.usage, 'say what to override: see --help')
  const calls = planCalls(await connect(options, terminal))
  const { overrides } = await calls.planOf(reference)
  printPlan(terminal, options, await calls.change(reference, { overrides: overriddenBy(overrides, options) }))
}

function saysNothing({ rate, burst, quota, concurrent, remove, none }: OverrideOptions): boolean {
  return [rate, burst, quota, concurrent, remove, none].every((one) => one === undefined)
}

function overriddenBy(before: Overrides, options: OverrideOptions): Overrides {
  const { rate = [], burst = [], quota = [], concurrent, remove = [], none } = options
  const limits: Record<string, Numbers> = none === true ? {} : { ...before.limits }
  for (const name of remove) {
    if (limits[name] === undefined) throw new CommandFailure(exitCodes.notFound, `${name} has no override`)
    delete limits[name]
  }
  for (const [name, value] of rate.map(pair)) limits[name] = { ...limits[name], rate: value }
  for (const [name, value] of quota.map(pair)) limits[name] = { ...limits[name], quota: value }
  for (const [name, value] of burst.map(pair)) limits[name] = { ...limits[name], burst: burstOf(value) }
  const kept = none === true || concurrent === false ? undefined : before.concurrent
  const number = typeof concurrent === 'number' ? concurrent : kept
  return { limits, ...(number === undefined ? {} : { concurrent: number }) }
}

function pair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)]
  throw new CommandFailure(exitCodes.usage, `write the limit and its number, such as daily=5000/day, not ${text}`)
}

function burstOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new CommandFailure(exitCodes.usage, `a burst is a whole number, not ${text}`)
}
