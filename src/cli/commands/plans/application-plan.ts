// What `portcullis app plan show|set|clear|request|withdraw` do.

import { connect } from '../../calls/connection.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { planCalls } from '../../calls/plan-calls.js'
import type { Terminal } from '../../output/terminal.js'
import type { ApplicationPlanOptions, RequestOptions } from './plan-options.js'
import { printPlan } from './print-plan.js'

interface Named<Name = string> {
  /** Of the application, as it was typed. */
  reference: string
  name: Name
}

/** Shows it. */
export async function show(reference: string, options: ApplicationPlanOptions, terminal: Terminal): Promise<void> {
  printPlan(terminal, options, await planCalls(await connect(options, terminal)).planOf(reference))
}

/** Puts it on a plan; null: on none. */
export async function set(
  { reference, name }: Named<string | null>,
  options: ApplicationPlanOptions,
  terminal: Terminal,
): Promise<void> {
  printPlan(terminal, options, await planCalls(await connect(options, terminal)).change(reference, { plan: name }))
}

/** Requests a plan. */
export async function request(
  { reference, name }: Named,
  { reason, ...options }: RequestOptions,
  terminal: Terminal,
): Promise<void> {
  const calls = planCalls(await connect(options, terminal))
  const body = { plan: name, ...(reason === undefined ? {} : { reason }) }
  printPlan(terminal, options, await calls.request(reference, body))
  terminal.say('Requested. It has the plan when somebody approves: portcullis plan requests')
}

/** Takes the request back. */
export async function withdraw(reference: string, options: ConnectionOptions, terminal: Terminal): Promise<void> {
  await planCalls(await connect(options, terminal)).withdraw(reference)
  terminal.say('Taken back.')
}
