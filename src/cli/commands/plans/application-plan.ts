// What `portcullis app plan …` does.

import { connect } from '../../calls/connection.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { type ApplicationPlan, planCalls } from '../../calls/plan-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { ApplicationPlanOptions, OverrideOptions, RequestOptions } from './application-plan-command.js'
import { numbersOf } from './plan-text.js'

type Overrides = ApplicationPlan['overrides']
type Numbers = Overrides['limits'][string]

interface Named<Name = string> {
  /** Of the application, as it was typed. */
  reference: string
  name: Name
}

/** Shows it. */
export async function show(reference: string, options: ApplicationPlanOptions, terminal: Terminal): Promise<void> {
  print(terminal, options, await planCalls(await connect(options, terminal)).planOf(reference))
}

/** Puts it on a plan; null: on none. */
export async function set(
  { reference, name }: Named<string | null>,
  options: ApplicationPlanOptions,
  terminal: Terminal,
): Promise<void> {
  print(terminal, options, await planCalls(await connect(options, terminal)).change(reference, { plan: name }))
}

/** Requests a plan. */
export async function request(
  { reference, name }: Named,
  { reason, ...options }: RequestOptions,
  terminal: Terminal,
): Promise<void> {
  const calls = planCalls(await connect(options, terminal))
  const body = { plan: name, ...(reason === undefined ? {} : { reason }) }
  print(terminal, options, await calls.request(reference, body))
  terminal.say('Requested. It has the plan when somebody approves: portcullis plan requests')
}

/** Takes the request back. */
export async function withdraw(reference: string, options: ConnectionOptions, terminal: Terminal): Promise<void> {
  await planCalls(await connect(options, terminal)).withdraw(reference)
  terminal.say('Taken back.')
}

/** Gives it numbers of its own beside those that it has. */
export async function override(reference: string, options: OverrideOptions, terminal: Terminal): Promise<void> {
  if (saysNothing(options)) throw new CommandFailure(exitCodes.usage, 'say what to override: see --help')
  const calls = planCalls(await connect(options, terminal))
  const { overrides } = await calls.planOf(reference)
  print(terminal, options, await calls.change(reference, { overrides: overriddenBy(overrides, options) }))
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

function print(terminal: Terminal, { output }: ApplicationPlanOptions, plan: ApplicationPlan): void {
  const { assigned, gone, overrides, limits, concurrent, request, declined, choices, forgotten } = plan
  const name = plan.plan ?? 'none'
  const why = gone
    ? `${name} (${assigned} is gone from the configuration)`
    : assigned === null
      ? `${name} (default)`
      : name
  printRecord(terminal, output, plan, [
    { label: 'plan', value: plan.plan === null && !gone ? 'none: the limits of the routes' : why },
    ...limits.map((limit) => ({
      label: `limit ${limit.name}`,
      value: `${numbersOf(limit)} by ${limit.by.join(', ')}${overrides.limits[limit.name] === undefined ? '' : ', of its own'}`,
    })),
    ...(concurrent === null
      ? []
      : [{ label: 'under way', value: `${concurrent}${overrides.concurrent === undefined ? '' : ', of its own'}` }]),
    ...forgotten.map((limit) => ({ label: 'override', value: `${limit}, which nothing has any more` })),
    ...(request === null ? [] : [{ label: 'requested', value: `${request.plan}, since ${request.requestedAt}` }]),
    ...(declined === null ? [] : [{ label: 'declined', value: declinedText(declined) }]),
    ...(choices.length === 0 ? [] : [{ label: 'you may choose', value: choices.join(', ') }]),
  ])
}

function declinedText({ plan, reason, declinedAt }: NonNullable<ApplicationPlan['declined']>): string {
  return `${plan}, ${declinedAt}${reason === '' ? '' : `: ${reason}`}`
}
